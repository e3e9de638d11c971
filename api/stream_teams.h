// SPDX-License-Identifier: BSD-3-Clause
/* The teams of a stream, of all kinds of units that its plan has. Throughput plans have one team
 * per unit, each computing whole blocks; latency plans have one team of each kind, whose workers
 * share a block. In a forked child, which has no workers, the caller computes. */
#ifndef API_STREAM_TEAMS_H
#define API_STREAM_TEAMS_H

#include "sched/plan/plan.h"
#include "streaming/pipeline.h"

/* The teams of one kind of units; the user of their calls. */
typedef struct stream_kind {
    const sluice_plan *plan; /* the stream's, or one of its others */
    sluice_plan *item;       /* computes short blocks; NULL: `plan` does */
    const sched_fallback *fallback;
    int workers; /* that compute one block */
    int first, teams;
} stream_kind;

typedef struct stream_teams {
    int kinds, count;
    stream_kind *kind;
    stream_team *team;
    int *rate; /* of each team, in small numbers, for a static deal */
    int slots; /* that keep all of them busy */
} stream_teams;

/* Plan and fallback (plan NULL: there is none) live as long as the teams. On failure there is
 * something to close as well. */
sluice_status stream_teams_open(stream_teams *out, const sluice_plan *plan,
                                const sched_fallback *fallback, sluice_diag *why);
void stream_teams_close(stream_teams *teams);

#endif
