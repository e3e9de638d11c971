// SPDX-License-Identifier: BSD-3-Clause
/* What hooks do to single elements, for the oracle. */
#ifndef SCHED_VERIFY_HOOKS_H
#define SCHED_VERIFY_HOOKS_H

#include "sched/plan/plan.h"

/* Is element `index` of one transform within the extents of a side? */
bool sched_hooks_reach(const sluice_plan *plan, int side, size_t index);
/* The hooks of a side but for its storage on an element, `which` counting transforms. */
void sched_hooks_apply(const sluice_plan *plan, int side, size_t which, size_t index,
                       long double *x);
/* What the storage of outputs and the rounding of weights add to the bound of the error; for so
 * much energy in `count` outputs. */
double sched_hooks_bound(const sluice_plan *plan, long double energy, size_t count);

#endif
