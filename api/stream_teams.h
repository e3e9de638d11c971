// SPDX-License-Identifier: BSD-3-Clause
/* The teams of a stream, on all kinds of units that its plan has. Throughput plans have one team
 * per unit, each computing whole blocks; latency plans have one team per kind, whose workers share
 * a block. In a forked child, which has no workers, the calling thread computes. */
#ifndef API_STREAM_TEAMS_H
#define API_STREAM_TEAMS_H

#include "sched/plan/plan.h"
#include "streaming/pipeline.h"

/* The teams of one kind of units; their `user` pointer. */
typedef struct stream_kind {
    const sluice_plan *plan; /* the stream's, or one of its others */
    sluice_plan *item;       /* computes short blocks; NULL: `plan` does */
    const sched_fallback *fallback;
    int workers; /* that compute one block together */
    int first, teams;
} stream_kind;

typedef struct stream_teams {
    int kinds, count;
    stream_kind *kind;
    stream_team *team;
    int *rate; /* blocks of each team per round of a static deal */
    int slots; /* the number that keeps all teams busy */
} stream_teams;

/* `plan` and `fallback` (fallback->plan NULL: none) must outlive the teams. After a failure the
 * teams must be closed as well. */
sluice_status stream_teams_open(stream_teams *out, const sluice_plan *plan,
                                const sched_fallback *fallback, sluice_diag *why);
void stream_teams_close(stream_teams *teams);

#endif
