// SPDX-License-Identifier: BSD-3-Clause
/* Plans that a machine keeps for whoever asks for the same again: the newest used ones, to a number
 * of bytes, made with all the wisdom and costs that the machine has now. */
#ifndef SCHED_PLAN_CACHE_H
#define SCHED_PLAN_CACHE_H

#include "sched/plan/plan.h"

/* What a plan is made from, besides the machine. */
typedef struct sched_plan_key {
    const sluice_problem *problem; /* normalised, or without points where the formula has them */
    const char *text;              /* the formula; NULL: the planner's */
    sluice_effort effort;
} sched_plan_key;

/* A planning under way, for what it is to be kept as. */
typedef struct sched_planning {
    sched_plan_key key;
    bool keeps;               /* may it be kept? */
    unsigned long generation; /* of wisdom and costs when it began */
    ptrdiff_t held;           /* bytes that this thread held then */
} sched_planning;

/* The plan that is kept for a key, which is the caller's as if just made; NULL: there is none. Then
 * sched_plan_cache_add is told of the one that was made. Any thread. */
sluice_plan *sched_plan_cache_find(sluice_machine *machine, const sched_plan_key *key,
                                   const sluice_plan_options *options, sched_planning *out);
void sched_plan_cache_add(const sched_planning *planning, const sluice_plan *plan);

#endif
