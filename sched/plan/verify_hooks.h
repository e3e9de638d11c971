// SPDX-License-Identifier: BSD-3-Clause
/* The effect of hooks on single elements, for the oracle. */
#ifndef SCHED_VERIFY_HOOKS_H
#define SCHED_VERIFY_HOOKS_H

#include "sched/plan/plan.h"

/* Is element `index` of one transform within the extents of a side? */
bool sched_hooks_reach(const sluice_plan *plan, int side, size_t index);
/* Applies the hooks of a side, except its storage, to an element of transform `which`. */
void sched_hooks_apply(const sluice_plan *plan, int side, size_t which, size_t index,
                       long double *x);
/* What the storage type of outputs and the rounding of weights add to the error bound, if `count`
 * outputs have this energy. */
double sched_hooks_bound(const sluice_plan *plan, long double energy, size_t count);

#endif
