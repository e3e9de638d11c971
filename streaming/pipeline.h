// SPDX-License-Identifier: BSD-3-Clause
/* The multibuffer pipeline: blocks in, the same blocks out, in order, in bounded memory. It knows
 * neither what a block means nor who computes it: teams bring verbs, and threads of their backend.
 *
 * One producer (acquire, submit) and one consumer (reap, release), on one thread or two; cancel and
 * finish from any. A block's failure travels in its slot's status and the stream goes on. */
#ifndef STREAMING_PIPELINE_H
#define STREAMING_PIPELINE_H

#include "api/sluice.h"
#include "backends/backend.h"
#include "core/log.h"
#include "streaming/deal.h"

/* OK or a failure. */
typedef sluice_status stream_verb(void *user, int team, sluice_slot *slot);

/* Says in `why` what a block's status, which is a failure, came from. */
typedef void stream_explain(void *user, const sluice_slot *slot, sluice_diag *why);

/* Verbs run on the team's own thread, one block at a time. */
typedef struct stream_team {
    stream_verb *compute;
    stream_verb *get, *put; /* explicit copies before and after; NULL: none                     */
    stream_explain
        *explain; /* of a block of any team, on the consumer's thread; NULL: nobody can */
    void *user;
    const backend_team *threads; /* start and join of the thread that drives this team          */
    backend *owner;
} stream_team;

typedef struct stream_config {
    const stream_team *team; /* deal.teams of them; copied */
    stream_deal deal;
    bool on_caller;          /* teams have no threads: reap computes the oldest block itself */
    int slots;               /* at least 1 */
    const sluice_slot *home; /* pointers and full count of each slot, out == in: in place; copied */
    const core_log *log;     /* may be NULL; else outlives the pipeline */
} stream_config;

typedef struct stream_totals {
    uint64_t blocks, count; /* computed; sum of their counts, of blocks that did not fail */
    double get_seconds, compute_seconds, put_seconds; /* of the teams, summed over blocks */
} stream_totals;

typedef struct stream_pipeline stream_pipeline;

/* Starts every team's thread. E_INVALID, E_MEMORY (no memory or no thread to be had). */
sluice_status stream_pipeline_open(stream_pipeline **out, const stream_config *config,
                                   sluice_diag *why);

/* All that follow leave a sentence in `why` (NULL allowed) where they fail, and fail at once with
 * E_INVALID in a child of the process that opened the pipeline: its teams are not there. */

/* timeout_ms: 0 asks, < 0 waits. AGAIN: no slot is free. E_INVALID once finished, E_CANCELLED once
 * cancelled. */
sluice_status stream_pipeline_acquire(stream_pipeline *p, sluice_slot **slot, int timeout_ms,
                                      sluice_diag *why);
/* E_INVALID: not an acquired slot of this pipeline, contents that stream_slot_check refuses, or
 * finished; E_CANCELLED. The slot then stays with the caller. */
sluice_status stream_pipeline_submit(stream_pipeline *p, sluice_slot *slot, sluice_diag *why);
/* The oldest block; where that failed, OK with the sentence of its status. AGAIN: it is not done, or
 * there is none. END: finished and drained. */
sluice_status stream_pipeline_reap(stream_pipeline *p, sluice_slot **slot, int timeout_ms,
                                   sluice_diag *why);
/* Of a slot that was reaped, or acquired and not submitted. */
sluice_status stream_pipeline_release(stream_pipeline *p, sluice_slot *slot, sluice_diag *why);
/* No more blocks will come. Twice is as good as once. */
sluice_status stream_pipeline_finish(stream_pipeline *p, sluice_diag *why);
/* Finishes, and blocks that no team has begun come back with E_CANCELLED. */
sluice_status stream_pipeline_cancel(stream_pipeline *p, sluice_diag *why);
void stream_pipeline_totals(stream_pipeline *p, stream_totals *out);
/* Drops what is queued, waits for what is computing; in a child, for nothing. NULL is allowed. */
void stream_pipeline_close(stream_pipeline *p);

#endif
