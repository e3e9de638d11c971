// SPDX-License-Identifier: BSD-3-Clause
/* Transforms along axes commute if they are real matrices, so the axes of a problem may be numbered
 * in any order:
 *
 *     A_n (x) A_m = L(nm,n) (A_m (x) A_n) L(nm,m)
 *
 * If both sides lie in memory in the same order, but not the one in which the axes are numbered
 * (columns one after another, for example), the problem is planned in the order of memory: then
 * rows are adjacent. In complex problems order.c puts the pieces of axes in any order. */
#include "sched/planner/memory_order.h"

#include <stdlib.h>

#include "sched/planner/find.h"
#include "sched/planner/order.h"
#include "sched/problem/problem.h"

static bool are_real_matrices(const sluice_problem *p)
{
    bool are = p->in_cyclic.parts == 0 && p->out_cyclic.parts == 0;

    for (int d = 0; d < p->rank; d++)
        are = are && sched_is_real_matrix(sched_axis_kind(p, d));
    return are;
}

/* Is an axis slower than another one on both sides? */
static bool precedes(const sluice_dim *a, const sluice_dim *b)
{
    return labs(a->in_stride) > labs(b->in_stride) && labs(a->out_stride) > labs(b->out_stride);
}

static void swap_axes(sched_memory_order *x, int a, int b)
{
    const sluice_dim dim = x->p.dim[a];
    const sluice_kind kind = x->p.kind[a];
    const int axis = x->axis[a];

    x->p.dim[a] = x->p.dim[b];
    x->p.kind[a] = x->p.kind[b];
    x->axis[a] = x->axis[b];
    x->p.dim[b] = dim;
    x->p.kind[b] = kind;
    x->axis[b] = axis;
}

/* Sorts the axes of more than one point, which are at `count` places; false: the sides have
 * different orders. */
static bool sort_axes(sched_memory_order *x, const int *place, int count)
{
    bool one = true;

    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && precedes(&x->p.dim[place[k]], &x->p.dim[place[k - 1]]); k--) {
            swap_axes(x, place[k], place[k - 1]);
            x->changed = true;
        }
    for (int i = 1; i < count; i++)
        one = one && precedes(&x->p.dim[place[i - 1]], &x->p.dim[place[i]]);
    return one;
}

sched_memory_order sched_memory_order_of(const sluice_problem *p)
{
    sched_memory_order same = {.p = *p}, x;
    int place[SLUICE_MAX_RANK], count = 0;

    for (int d = 0; d < p->rank; d++)
        same.axis[d] = d;
    if (sched_problem_axes(p) < 2 || !are_real_matrices(p))
        return same;
    x = same;
    for (int d = 0; d < sched_problem_dims(p); d++)
        *sched_mutable_dim(&x.p, d) = sched_problem_dim(p, d);
    for (int d = 0; d < p->rank; d++)
        if (p->dim[d].n > 1)
            place[count++] = d;
    return sort_axes(&x, place, count) && x.changed ? x : same; /* packed sides stay packed */
}

unsigned sched_memory_order_axes(const sched_memory_order *order, unsigned axes)
{
    unsigned own = 0;

    for (int d = 0; d < order->p.rank; d++)
        own |= (axes >> d & 1U) << order->axis[d];
    return own;
}

const spl *sched_memory_order_packed(spl_ctx *ctx, const sched_memory_order *order,
                                     const sluice_problem *p, const spl *x)
{
    sched_order o = {.count = 0};

    if (!order->changed)
        return x;
    for (int d = 0; d < sched_problem_dims(p); d++) {
        const int axis = d - p->batch_rank;
        const int dim = axis < 0 ? d : p->batch_rank + order->axis[axis];
        const int64_t n = (int64_t)sched_problem_dim(p, dim).n;
        if (n > 1)
            o.piece[o.count++] = (sched_piece){.dim = dim, .axis = axis, .n = n, .step = 1};
    }
    return sched_order_packed(ctx, &o, p, x);
}
