// SPDX-License-Identifier: BSD-3-Clause
/* Threads that execute copying tasks, first come, first served. They exist because one core copies
 * at a fraction of the bandwidth of a link to a device. */
#ifndef BACKENDS_COPY_TEAM_H
#define BACKENDS_COPY_TEAM_H

#include <stdbool.h>

typedef struct copy_team copy_team;

/* A task must not be changed from copy_team_give until copy_team_wait has returned. */
typedef struct copy_task {
    void (*run)(struct copy_task *task);
    struct copy_task *next;
    bool done;
} copy_task;

/* Starts up to `threads` threads; if none can be created, tasks run as they are given. NULL: out of
 * memory. */
copy_team *copy_team_open(int threads);
/* No task may be running. In a child after fork, where the threads do not exist (`forked`), only
 * frees the memory. NULL allowed. */
void copy_team_close(copy_team *team, bool forked);
/* The following may be called by any thread. */
void copy_team_give(copy_team *team, copy_task *task);
bool copy_team_is_done(copy_team *team, const copy_task *task);
void copy_team_wait(copy_team *team, const copy_task *task);

#endif
