// SPDX-License-Identifier: BSD-3-Clause
/* What the files of this backend share: its settings, its units, its programs. */
#ifndef BACKENDS_FAKE_FAKE_STATE_H
#define BACKENDS_FAKE_FAKE_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "backends/backend.h"

/* The numbers of a unit string; fake_backend.h says what they mean. */
typedef enum fake_setting {
    FAKE_UNITS,
    FAKE_DELAY,
    FAKE_SEED,
    FAKE_FAIL,
    FAKE_THREADS,
    FAKE_EXCHANGE,
    FAKE_DEPTH,
    FAKE_GET,
    FAKE_COMPUTE,
    FAKE_PUT,
    FAKE_SLOW,
    FAKE_LATE,
    FAKE_BEGIN,
    FAKE_FINISH,
    FAKE_DIE,
    FAKE_DYING,
    FAKE_LAUNCH,
    FAKE_CORES,
    FAKE_SETTINGS
} fake_setting;

enum { FAKE_LEGS = 3 }; /* get, compute, put */

/* A unit on its virtual clock, in microseconds. */
typedef struct fake_unit {
    double now;             /* when the host last waited for it */
    double free[FAKE_LEGS]; /* when each leg's engine has done what was begun */
    long calls;             /* of begin and finish */
    int in_flight;
    bool lost;
} fake_unit;

struct backend {
    long setting[FAKE_SETTINGS];
    size_t local_store;
    /* Relaxed, all of them: they number events and order nothing else. */
    atomic_long runs, starts, arrivals, pinned;
    pthread_mutex_t lock; /* protects what follows */
    fake_unit *unit;
    long begins, finishes;
    sluice_diag fault; /* message "": none */
};

typedef struct fake_program {
    backend_program base; /* first */
    const prog *body;
    size_t points, scalar;
    bool split_in, split_out;
} fake_program;

/* Sleeps the pseudo-random time of event `number`, up to the setting `delay`. */
void fake_dawdle(const backend *b, long number);
/* A pseudo-random number from 0 to most, of the event's number alone. */
uint64_t fake_random(const backend *b, long number, uint64_t most);
/* "Computes" the first `points` points. */
void fake_copy(const fake_program *p, const sluice_arrays *arrays, size_t points);
/* Under the lock. */
void fake_set_fault(backend *b, const char *name, long number);

/* Units that compute several blocks at a time: members of backend_team. */
int fake_depth(const backend *b);
sluice_status fake_begin(const backend_program *program, const backend_block *block,
                         backend_ticket **out);
bool fake_is_done(const backend_ticket *ticket);
sluice_status fake_finish(backend_ticket *ticket, backend_legs *seconds);
bool fake_is_alive(const backend *b, int unit);
/* A run on the clock of unit 0: nothing overlaps. */
void fake_pass_time(backend *b);

#endif
