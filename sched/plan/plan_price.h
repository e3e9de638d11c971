// SPDX-License-Identifier: BSD-3-Clause
/* The choice among candidates by their prices. */
#ifndef SCHED_PLAN_PRICE_H
#define SCHED_PLAN_PRICE_H

#include "sched/plan/plan.h"
#include "sched/planner/formula.h"

/* Moves the candidate that a plan without a formula should use to the front of its list. If that
 * was another one, `comments` gets a line about it. Fails with E_MEMORY. */
sluice_status sched_price_candidates(const sluice_plan *plan, const sched_target *t,
                                     sched_candidates *found, core_text *comments,
                                     sluice_diag *why);

#endif
