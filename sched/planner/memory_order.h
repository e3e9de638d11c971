// SPDX-License-Identifier: BSD-3-Clause
/* Problems of reals whose axes lie in another order than they are numbered: memory_order.c. */
#ifndef SCHED_MEMORY_ORDER_H
#define SCHED_MEMORY_ORDER_H

#include "sched/planner/expand.h"

/* A problem with its axes, the slowest in memory first but for those of one point, which stay where
 * they are, and which axes they are of the original. */
typedef struct sched_memory_order {
    sluice_problem p;
    int axis[SLUICE_MAX_RANK];
    bool changed; /* else they are in order */
} sched_memory_order;

sched_memory_order sched_memory_order_of(const sluice_problem *p);
/* Bits of its axes as those of the original. */
unsigned sched_memory_order_axes(const sched_memory_order *order, unsigned axes);
/* x, a formula of it, as one of the original: permutations on both sides, which become part of
 * their layouts. */
const spl *sched_memory_order_packed(spl_ctx *ctx, const sched_memory_order *order,
                                     const sluice_problem *p, const spl *x);

#endif
