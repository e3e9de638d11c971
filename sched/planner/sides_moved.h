// SPDX-License-Identifier: BSD-3-Clause
/* Moves around transforms of reals that are not adjacent: sides_moved.c. */
#ifndef SCHED_SIDES_MOVED_H
#define SCHED_SIDES_MOVED_H

#include "sched/planner/order.h"

/* x, the problem's formula in the order o by a tree, with the sides moved that are worth it. */
const spl *sched_with_moved_sides(sched_target *t, const sluice_problem *p, const sched_order *o,
                                  const sched_tree *tree, const spl *x);

#endif
