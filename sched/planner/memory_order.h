// SPDX-License-Identifier: BSD-3-Clause
/* Problems of reals whose axes lie in memory in another order than they are numbered:
 * memory_order.c. */
#ifndef SCHED_MEMORY_ORDER_H
#define SCHED_MEMORY_ORDER_H

#include "sched/planner/expand.h"

/* A problem whose axes are sorted by memory, the slowest first; axes of one point stay where they
 * are. `axis`: the number of each axis in the original problem. */
typedef struct sched_memory_order {
    sluice_problem p;
    int axis[SLUICE_MAX_RANK];
    bool changed; /* false: the axes were in order */
} sched_memory_order;

sched_memory_order sched_memory_order_of(const sluice_problem *p);
/* A bit set of its axes as one of the original's axes. */
unsigned sched_memory_order_axes(const sched_memory_order *order, unsigned axes);
/* x, a formula of the sorted problem, as one of the original. The permutations on both sides merge
 * into the layouts. */
const spl *sched_memory_order_packed(spl_ctx *ctx, const sched_memory_order *order,
                                     const sluice_problem *p, const spl *x);

#endif
