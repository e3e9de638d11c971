// SPDX-License-Identifier: BSD-3-Clause
/* The multibuffer pipeline: blocks in, the same blocks out, in order, in bounded memory. It does
 * not know what blocks mean: teams provide the functions that compute them, and threads of their
 * backend.
 *
 * One producer (acquire, submit) and one consumer (reap, release), on one thread or two; cancel and
 * finish from any. A block's failure is kept in its slot's status, and the stream continues.
 *
 * This is the only place where data move between memories: a team gets, computes and puts, several
 * blocks at a time if it can. The pipeline decides when each block begins and which thread waits
 * for it. */
#ifndef STREAMING_PIPELINE_H
#define STREAMING_PIPELINE_H

#include "api/sluice.h"
#include "backends/backend.h"
#include "core/log.h"
#include "streaming/schedule.h"

/* Computes a slot's block; OK or a failure. */
typedef sluice_status stream_compute(void *user, int team, sluice_slot *slot);

/* The same in two steps, like begin, is_done and finish of backend_team. If other teams keep the
 * unit busy, begin waits only if this team has nothing in flight (may_wait), else it returns
 * AGAIN. */
typedef sluice_status stream_begin(void *user, int team, sluice_slot *slot, bool may_wait,
                                   backend_ticket **ticket);
typedef sluice_status stream_finish(void *user, int team, sluice_slot *slot, backend_ticket *ticket,
                                    backend_legs *seconds);

/* Writes the cause of a block's failure to `why`. */
typedef void stream_explain(void *user, const sluice_slot *slot, sluice_diag *why);

/* All functions but explain are called on the team's own thread. A team with a depth has `depth`
 * blocks in flight if as many are queued; without, it computes one block at a time. */
typedef struct stream_team {
    stream_compute *compute; /* used if depth is 0 */
    int depth;               /* 0: the next three are NULL */
    stream_begin *begin;
    bool (*is_done)(const backend_ticket *ticket);
    stream_finish *finish;
    /* Called after a failure; false: the team computes no more. NULL: it is never lost. */
    bool (*is_alive)(void *user, int team);
    /* Computes blocks that the team failed with E_DEVICE or E_MEMORY, and all blocks of a lost
     * team; NULL: see below. Blocks in place whose input a failed finish may have overwritten are
     * not computed again. */
    stream_compute *fallback;
    /* explains blocks of any team, on the consumer's thread; NULL: no causes are given */
    stream_explain *explain;
    void *user;
    const backend_team *threads; /* start and join of the thread that runs this team */
    backend *owner;              /* teams of one owner are of one kind */
    int unit;                    /* the unit named in slots of its blocks */
} stream_team;

/* Without a fallback a failed block keeps its status. The blocks that a lost team has begun, and
 * those scheduled for it, go to the other teams. If it was the last team, they and all later blocks
 * fail with E_DEVICE. */

typedef struct stream_config {
    const stream_team *team; /* schedule.teams teams; copied */
    stream_schedule schedule;
    bool on_caller; /* teams have no threads: reap computes the oldest block, using `compute` */
    int slots;      /* at least 1 */
    /* initial pointers and full count of each slot, out == in: in place; copied */
    const sluice_slot *initial;
    const core_log *log; /* outlives the pipeline; may be NULL */
} stream_config;

typedef struct stream_totals {
    uint64_t blocks, count; /* blocks that did not fail; the sum of their counts */
    uint64_t fallbacks;     /* of these, the blocks that a fallback computed */
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
/* For a slot that was reaped, or that was acquired and not submitted. */
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
