// SPDX-License-Identifier: BSD-3-Clause
/* Threads that copy pieces of memory for whoever asks, first come, first served. One core copies a
 * fraction of what a link to a device moves. */
#ifndef BACKENDS_COPY_TEAM_H
#define BACKENDS_COPY_TEAM_H

#include <stdbool.h>

typedef struct copy_team copy_team;

/* Who gives it leaves it alone until it was waited for. */
typedef struct copy_task {
    void (*run)(struct copy_task *task);
    struct copy_task *next;
    bool done;
} copy_task;

/* As many threads as can be had of those asked for; with none, tasks run as they are given. NULL:
 * out of memory. */
copy_team *copy_team_open(int threads);
/* Nothing is being copied. In a child after fork, which has not got the threads (`forked`), frees
 * the memory alone. NULL allowed. */
void copy_team_close(copy_team *team, bool forked);
/* Any thread. */
void copy_team_give(copy_team *team, copy_task *task);
bool copy_team_is_done(copy_team *team, const copy_task *task);
void copy_team_wait(copy_team *team, const copy_task *task);

#endif
