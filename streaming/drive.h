// SPDX-License-Identifier: BSD-3-Clause
/* The inside of a pipeline: its state, and the drivers, one per team, which keep the teams busy. */
#ifndef STREAMING_DRIVE_H
#define STREAMING_DRIVE_H

#include <pthread.h>

#include "core/fork.h"
#include "streaming/pipeline.h"
#include "streaming/slots.h"

typedef struct stream_begun {
    stream_slot *slot;
    backend_ticket *ticket;
} stream_begun;

typedef struct stream_driver {
    stream_pipeline *pipeline;
    stream_team team;
    int index;
    backend_thread *thread;
    bool lost; /* the team is; written under the lock by the driver, which may read it without */
    stream_begun *begun; /* the driver's own: team.depth entries, the oldest first */
    int in_flight;
    /* Under the lock: how long the longest leg (get, compute or put) of its newest block took, 0:
     * none is done; and the number of the pipeline's blocks at that time. */
    double seconds;
    uint64_t asked;
} stream_driver;

struct stream_pipeline {
    core_fork *mark;      /* marks the process that owns the threads */
    pthread_mutex_t lock; /* protects the fields below except on_caller, log, drivers[] */
    /* a slot became free, or no more will become free (producer waits) */
    pthread_cond_t slot_freed;
    pthread_cond_t ready; /* the oldest block is done, or no more will come   (consumer waits)  */
    pthread_cond_t work;  /* a block was queued, or no more will come         (drivers wait)    */
    stream_slots slots;
    uint64_t submitted;
    bool finished, cancelled;
    int pending;    /* blocks that are queued or computing */
    int teams_left; /* teams that are not lost */
    stream_totals totals;
    stream_schedule schedule;
    int *rates; /* schedule.rate */
    bool on_caller;
    const core_log *log;
    int drivers_started;
    stream_driver *drivers;
};

/* The main function of a team's thread; arg: its driver. */
void stream_drive(void *arg);
/* Computes the oldest block on the calling thread if it is queued. Under the lock. */
void stream_drive_oldest(stream_pipeline *p);

#endif
