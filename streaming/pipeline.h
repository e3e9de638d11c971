// SPDX-License-Identifier: BSD-3-Clause
/* The multibuffer pipeline: blocks in, the same blocks out, in order, in bounded memory. It is
 * independent of the meaning of blocks: teams provide the calls that compute them, and threads of
 * their backend.
 *
 * One producer (acquire, submit) and one consumer (reap, release), on one thread or two; cancel and
 * finish from any. A block's failure is kept in its slot's status, and the stream continues. */
#ifndef STREAMING_PIPELINE_H
#define STREAMING_PIPELINE_H

#include "api/sluice.h"
#include "backends/backend.h"
#include "core/log.h"
#include "streaming/schedule.h"

/* Returns OK or a failure. */
typedef sluice_status stream_team_call(void *user, int team, sluice_slot *slot);

/* Writes the cause of a block's failure to `why`. */
typedef void stream_explain(void *user, const sluice_slot *slot, sluice_diag *why);

/* Calls run on the team's own thread, one block at a time. */
typedef struct stream_team {
    stream_team_call *compute;
    stream_team_call *get,
        *put; /* explicit copies before and after; NULL: none                     */
    stream_explain
        *explain; /* for blocks of any team, called on the consumer's thread; NULL: no causes */
    void *user;
    const backend_team *threads; /* start and join of the thread that runs this team */
    backend *owner;
} stream_team;

typedef struct stream_config {
    const stream_team *team; /* schedule.teams teams; copied */
    stream_schedule schedule;
    bool on_caller; /* teams have no threads: reap computes the oldest block */
    int slots;      /* at least 1 */
    const sluice_slot
        *initial; /* initial pointers and full count of each slot, out == in: in place; copied */
    const core_log *log; /* outlives the pipeline; may be NULL */
} stream_config;

typedef struct stream_totals {
    uint64_t blocks, count; /* blocks that did not fail; sum of their counts */
    double get_seconds, compute_seconds, put_seconds; /* times of the teams, summed over blocks */
} stream_totals;

typedef struct stream_pipeline stream_pipeline;

/* Starts every team's thread. E_INVALID, E_MEMORY (no memory, or no thread could be started). */
sluice_status stream_pipeline_open(stream_pipeline **out, const stream_config *config,
                                   sluice_diag *why);

/* If the following calls fail, `why` (NULL allowed) holds the reason. In a forked child, which has
 * no teams, they fail with E_INVALID. */

/* timeout_ms: 0 polls, < 0 waits without limit. AGAIN: no slot became free in time. E_INVALID after
 * finish, E_CANCELLED after cancel. */
sluice_status stream_pipeline_acquire(stream_pipeline *p, sluice_slot **slot, int timeout_ms,
                                      sluice_diag *why);
/* E_INVALID: not an acquired slot of this pipeline, contents that stream_slot_check refuses, or
 * finished; E_CANCELLED. The caller then keeps the slot. */
sluice_status stream_pipeline_submit(stream_pipeline *p, sluice_slot *slot, sluice_diag *why);
/* Returns the oldest block; if that failed, the result is OK and `why` explains the block's status.
 * AGAIN: it is not done, or there is none. END: finished and drained. */
sluice_status stream_pipeline_reap(stream_pipeline *p, sluice_slot **slot, int timeout_ms,
                                   sluice_diag *why);
/* For a slot that was reaped, or acquired and not submitted. */
sluice_status stream_pipeline_release(stream_pipeline *p, sluice_slot *slot, sluice_diag *why);
/* No more blocks will be submitted. May be called again. */
sluice_status stream_pipeline_finish(stream_pipeline *p, sluice_diag *why);
/* Finishes; blocks that no team has started are returned with E_CANCELLED. */
sluice_status stream_pipeline_cancel(stream_pipeline *p, sluice_diag *why);
void stream_pipeline_totals(stream_pipeline *p, stream_totals *out);
/* Discards queued blocks and waits for those being computed; does not wait in a forked child. NULL
 * is allowed. */
void stream_pipeline_close(stream_pipeline *p);

#endif
