// SPDX-License-Identifier: BSD-3-Clause
/* The edges of an axis: elements that scale=ortho multiplies by a weight. */
#ifndef SCHED_EDGES_H
#define SCHED_EDGES_H

#include "api/sluice.h"
#include "sched/planner/tree.h"
#include "spl/formula/spl.h"

/* The axes whose edges are weighted inside the tree, as bits. */
unsigned sched_edges_inside(const sched_tree *tree);
/* x, of the whole batch, with the edges of all other axes on both sides. */
const spl *sched_with_edges(spl_ctx *ctx, const sluice_problem *problem, unsigned inside,
                            const spl *x);

#endif
