// SPDX-License-Identifier: BSD-3-Clause
/* Soft DMA: who gets and puts what a plan streams, and what is fastest. */
#ifndef SCHED_TRANSFERS_H
#define SCHED_TRANSFERS_H

#include "core/text.h"
#include "sched/plan/plan.h"

/* Where the units are to be measured: makes the plan each way, times it, keeps the fastest. `request`
 * made the plan. until: when to stop (0: never). */
sluice_status sched_transfers_measure(sluice_plan **best, const sched_plan_request *request,
                                      double until, sluice_diag *why);
/* A '#' line of a plan whose units were asked to get and put. */
void sched_transfers_print(const sluice_plan *plan, core_text *out);

#endif
