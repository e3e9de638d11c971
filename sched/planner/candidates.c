// SPDX-License-Identifier: BSD-3-Clause
/* The candidates of a problem. For each order of its dimensions (order.c) the candidates of its
 * axes are combined; each axis is a place of its own (find.c). Further candidates compute batches
 * of small arrays as columns (arrays_as_columns.c), or strided sides of reals as packed ones
 * (sides_packed.c). */
#include "sched/planner/arrays_as_columns.h"
#include "sched/planner/find.h"
#include "sched/planner/memory_order.h"
#include "sched/planner/order.h"
#include "sched/planner/shape.h"
#include "sched/planner/sides_packed.h"
#include "sched/planner/transposed.h"
#include "sched/problem/problem.h"

/* The candidates of dimension i. Pairs of reals have one stride over half as many points. */
static void find_axis(const sched_target *t, const sched_shape *s, int i, const sched_place *at,
                      sched_list *out)
{
    const int64_t uniform = t->around.uniform_points;
    const sched_slabs *slabs = sched_slabs_of(s, i);
    const bool pairs = slabs && slabs->reals_per_number == 2;
    sched_target own = *t;

    if (pairs)
        own.around.uniform_points = uniform % 2 == 0 ? uniform / 2 : 1;
    sched_find_trees(&own, at, out);
}

/* Combines the lists of the axes after d with the candidates of d. `moved`: the price of moves,
 * which a tree whose stages transpose does not pay. */
static void combine_axis(const sched_target *t, const sched_place *at, int d,
                         const sched_list *axis, double moved, sched_list *all)
{
    const sched_list before = *all;

    all->count = 0;
    for (int i = 0; i < before.count; i++)
        for (int k = 0; k < axis->count; k++) {
            sched_tree x = *before.tree[i];
            x.cycles += (double)at->batch * axis->tree[k]->cycles;
            if (sched_tree_transposes(axis->tree[k])) /* then nothing is moved */
                x.cycles -= moved;
            x.kid[d] = axis->tree[k];
            if (sched_list_refuses(all, x.cycles))
                break;
            sched_list_insert(t->ctx, all, &x);
        }
    sched_keep_transposed(t, at, d, axis, &before, all);
}

/* The candidates of a problem whose dimensions are computed in this order. The number of the order
 * is the choice of the root. */
static void find_in_order(const sched_target *t, const sluice_problem *p, const sched_order *o,
                          int number, sched_candidates *c)
{
    const sched_target own = sched_order_target(t, p, o);
    const sched_shape s = sched_shape_of(&own, p, o);
    const sched_tree none = {.rule = &spl_row_column,
                             .params = {{number}},
                             .nkids = p->rank,
                             .cycles = sched_order_cycles(&own, o)};

    *c = (sched_candidates){.rank = p->rank, .contiguous = own.around.contiguous};
    sched_list_insert(t->ctx, &c->all, &none);
    for (int i = o->count - 1; i >= 0; i--) {
        if (o->piece[i].axis < 0)
            continue;
        const sched_place at = sched_shape_place(&s, i);
        c->kind[o->piece[i].axis] = at.kind;
        find_axis(&own, &s, i, &at, &c->axis[o->piece[i].axis]);
        combine_axis(&own, &at, o->piece[i].axis, &c->axis[o->piece[i].axis], none.cycles, &c->all);
    }
    sched_images_columns_find(&own, p, number, &c->all);
}

/* Adds the candidates with packed sides. `c` is working space. */
static void find_packed(const sched_target *t, const sluice_problem *p, sched_candidates *c,
                        sched_list *all)
{
    sched_packed x;

    if (!sched_pack_sides(t, p, &x))
        return;
    const sched_order o = sched_natural_order(&x.problem);
    find_in_order(&x.target, &x.problem, &o, 0, c);
    sched_add_packed(t, &x, &c->all, all);
}

sched_candidates *sched_find_candidates(const sched_target *t, const sluice_problem *problem)
{
    const sched_memory_order own = sched_memory_order_of(problem);
    const sluice_problem *p = &own.p;
    sched_candidates *best = spl_ctx_get(t->ctx, sizeof *best);
    sched_candidates *c = spl_ctx_get(t->ctx, sizeof *c);
    sched_order order[SCHED_MAX_ORDERS];
    const int orders = sched_orders_of(t, p, order);

    if (!best || !c)
        return NULL;
    for (int i = 0; i < orders; i++) {
        find_in_order(t, p, &order[i], i, c);
        if (c->all.count == 0) /* then no other order has any */
            return NULL;
        if (i == 0 || c->all.tree[0]->cycles < best->all.tree[0]->cycles)
            *best = *c;
    }
    find_packed(t, p, c, &best->all);
    best->natural = orders == 1 && order[0].natural && !own.changed;
    return spl_ctx_status(t->ctx, NULL) == SLUICE_OK ? best : NULL;
}
