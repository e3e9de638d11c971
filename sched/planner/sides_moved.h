// SPDX-License-Identifier: BSD-3-Clause
/* Moves around transforms of reals whose rows are not adjacent: sides_moved.c. */
#ifndef SCHED_SIDES_MOVED_H
#define SCHED_SIDES_MOVED_H

#include "sched/planner/order.h"

/* Moves b rows of n elements of one side to where they are adjacent, or back, repeated for `all`
 * elements. */
const spl *sched_moves_of_rows(const sched_target *t, int64_t b, int64_t n, int64_t all);
/* x, the problem's formula in the order o by a tree, with moves on the sides where they pay. */
const spl *sched_with_moved_sides(const sched_target *t, const sluice_problem *p,
                                  const sched_order *o, const sched_tree *tree, const spl *x);

#endif
