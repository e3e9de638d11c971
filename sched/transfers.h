// SPDX-License-Identifier: BSD-3-Clause
/* Soft DMA: what a plan streams through local stores, who gets and puts it, and what is fastest. */
#ifndef SCHED_TRANSFERS_H
#define SCHED_TRANSFERS_H

#include "core/text.h"
#include "sched/formula.h"
#include "sched/plan.h"

/* The planner's formula of a problem with stream(s) wherever rows or columns fit the local store;
 * the scenarios of docs/SCENARIOS.md. */
const spl *sched_streams(sched_target *t, const sluice_problem *p, const spl *x);
/* Why that streams nothing of a plan, where it does so. */
const char *sched_streams_not(const sluice_plan *plan);

/* Where the units are to be measured: makes the plan each way, times it, keeps the fastest. `recipe`
 * made the plan. until: when to stop (0: never). */
sluice_status sched_transfers_measure(sluice_plan **best, const sched_recipe *recipe, double until,
                                      sluice_diag *why);
/* A '#' line of a plan whose units were asked to get and put. */
void sched_transfers_print(const sluice_plan *plan, core_text *out);

#endif
