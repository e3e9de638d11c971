// SPDX-License-Identifier: BSD-3-Clause
/* How fast a plan is on its kind of units: predicted, or measured there. */
#ifndef SCHED_PLAN_RATE_H
#define SCHED_PLAN_RATE_H

#include "sched/plan/plan.h"

/* Units that work on one execution of the plan at a time. Units with a depth each take a share of
 * their own. */
int sched_rate_units(const sluice_plan *plan);
/* Sets plan->rate: from wisdom, else measured on arrays of the library and kept in wisdom, else
 * predicted. Fails with E_MEMORY, E_DEVICE. */
sluice_status sched_rate_find(sluice_plan *plan, bool measures, double until, sluice_diag *why);

#endif
