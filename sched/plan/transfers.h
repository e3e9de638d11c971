// SPDX-License-Identifier: BSD-3-Clause
/* Explicit transfers (software DMA): finds the fastest transfer mode of a plan. */
#ifndef SCHED_TRANSFERS_H
#define SCHED_TRANSFERS_H

#include "core/text.h"
#include "sched/plan/plan.h"

/* If the units request measuring, makes the plan in each mode and keeps the fastest. `request` made
 * the plan. until: when to stop, as core_seconds() (0: no limit). */
sluice_status sched_transfers_measure(sluice_plan **best, const sched_plan_request *request,
                                      double until, sluice_diag *why);
/* A '#' line for a plan of units with transfers. */
void sched_transfers_print(const sluice_plan *plan, core_text *out);

#endif
