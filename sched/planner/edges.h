// SPDX-License-Identifier: BSD-3-Clause
/* The elements of the edge of an axis that scale=ortho weighs. */
#ifndef SCHED_EDGES_H
#define SCHED_EDGES_H

#include "api/sluice.h"
#include "sched/planner/tree.h"
#include "spl/formula/spl.h"

/* Axes whose edges are weighed where a tree computes them: bits of a number. */
unsigned sched_edges_inside(const sched_tree *tree);
/* The edges of all other axes on both sides of x, of the whole batch. */
const spl *sched_with_edges(spl_ctx *ctx, const sluice_problem *problem, unsigned inside,
                            const spl *x);

#endif
