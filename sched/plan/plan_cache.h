// SPDX-License-Identifier: BSD-3-Clause
/* Plans that a machine keeps for equal requests: the most recently used ones up to a limit in
 * bytes, made with the machine's current wisdom and costs. */
#ifndef SCHED_PLAN_CACHE_H
#define SCHED_PLAN_CACHE_H

#include "sched/plan/plan.h"

/* What a plan is made from, besides the machine. */
typedef struct sched_plan_key {
    const sluice_problem *problem; /* normalised; without points if they follow from the formula */
    const char *text;              /* the formula; NULL: the planner chooses */
    sluice_effort effort;
    bool reproducible;
    double hooks_scale; /* 1: none */
    const char *fallback;
} sched_plan_key;

/* A planning in progress. */
typedef struct sched_planning {
    sluice_machine *machine;
    sched_plan_key key;
    bool keeps;               /* may the plan be kept? */
    unsigned long generation; /* of wisdom and costs at the beginning */
    ptrdiff_t held;           /* bytes that this thread held at the beginning */
} sched_planning;

/* The plan kept for a key, with a reference for the caller. NULL: there is none; the caller makes
 * one and passes it to sched_plan_cache_add. Any thread may call this. */
sluice_plan *sched_plan_cache_find(sluice_machine *machine, const sched_plan_key *key,
                                   const sluice_plan_options *options, sched_planning *out);
void sched_plan_cache_add(const sched_planning *planning, const sluice_plan *plan);

#endif
