// SPDX-License-Identifier: BSD-3-Clause
/* One phase of a plan: a known number of blocks through one pipeline per team, without order
 * between teams. */
#ifndef STREAMING_PHASE_H
#define STREAMING_PHASE_H

#include "streaming/deal.h"
#include "streaming/feed.h"
#include "streaming/pipeline.h"

typedef struct stream_phase {
    const stream_team *team; /* deal.teams of them; team 0 runs on the calling thread            */
    stream_deal deal;        /* total: how many blocks                                           */
    const stream_feed *feed; /* called by all teams at once, for different blocks                */
    sluice_slot *slot;       /* team t's are slot[t*slots] .. slot[t*slots + slots-1]; with `in` */
    int slots;               /* and `out` apart 2 of them are the 2+2 buffers, in place take 3   */
} stream_phase;

/* Per team: put(k-1), get(k+1), compute(k), an order in which no buffer is used twice at once for
 * 2 slots and more (1 slot: get, compute, put). get is the feed's, then the team's; put is the
 * team's, then the feed's. A team that gets no thread is run by the caller after its own. The first
 * failure ends the phase: no further block is got. Slots come with their full count and, but for a
 * failure, leave with it. Returns when every team is done. */
sluice_status stream_run_phase(const stream_phase *phase, sluice_diag *why);

#endif
