// SPDX-License-Identifier: BSD-3-Clause
/* One phase of a plan: a known number of blocks through one pipeline per team; teams are not
 * ordered. */
#ifndef STREAMING_PHASE_H
#define STREAMING_PHASE_H

#include "streaming/feed.h"
#include "streaming/pipeline.h"
#include "streaming/schedule.h"

typedef struct stream_phase {
    const stream_team *team;  /* schedule.teams teams; team 0 runs on the calling thread */
    stream_schedule schedule; /* total: number of blocks */
    const stream_feed *feed;  /* called by all teams concurrently, for different blocks */
    sluice_slot *slot;        /* team t's are slot[t*slots] .. slot[t*slots + slots-1]; with `in` */
    int slots;                /* and `out` apart 2 of them are the 2+2 buffers, in place take 3   */
} stream_phase;

/* Per team: put(k-1), get(k+1), compute(k), an order in which with 2 or more slots no buffer has
 * two uses at a time (1 slot: get, compute, put). get calls the feed, then the team; put the team,
 * then the feed. If no thread can be started for a team, the caller runs it after its own. The
 * first failure ends the phase: no further block is loaded. Slots have their full count before and,
 * unless the phase fails, after it. Returns when every team is done. */
sluice_status stream_run_phase(const stream_phase *phase, sluice_diag *why);

#endif
