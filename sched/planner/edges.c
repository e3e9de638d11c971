// SPDX-License-Identifier: BSD-3-Clause
/* Edges are diagonals E, ones except for one or two constants, on either side of a transform:
 *
 *     (I_b (x) E) (I_b (x) A) (I_b (x) E')  =  I_b (x) (E A E')
 *
 * The left form needs passes of its own over all arrays. The right form weights edges in blocks
 * that a cache holds; with rows as columns (rows_as_columns.c) each edge is one row of adjacent
 * elements. */
#include "sched/planner/edges.h"

#include "sched/problem/problem.h"

unsigned sched_edges_inside(const sched_tree *tree)
{
    unsigned inside = 0;

    for (int d = 0; d < tree->nkids; d++)
        if (tree->block_rows > 0 || (tree->kid[d] && tree->kid[d]->block_rows > 0))
            inside |= 1U << d;
    return inside;
}

const spl *sched_with_edges(spl_ctx *ctx, const sluice_problem *p, unsigned inside, const spl *x)
{
    const spl *edges[SLUICE_MAX_RANK];

    if (!x)
        return NULL;
    for (int i = sched_problem_edges(ctx, p, 1, inside, edges); i-- > 0;)
        x = spl_mul2(ctx, edges[i], x);
    const int count = sched_problem_edges(ctx, p, 0, inside, edges);
    for (int i = 0; i < count; i++)
        x = spl_mul2(ctx, x, edges[i]);
    return x;
}
