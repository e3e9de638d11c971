// SPDX-License-Identifier: BSD-3-Clause
/* Computes a batch of small arrays, of reals or of complex numbers, as columns. Each axis of a
 * single array is a few short rows or columns, which fill no vector and take a codelet call each.
 * Several arrays in the lanes of vectors fill these, however small the arrays: each array is a row
 * whose axes are columns (rows_as_columns.c). */
#include "sched/planner/arrays_as_columns.h"

#include <math.h>

#include "sched/planner/rows_as_columns.h"
#include "sched/problem/problem.h"

/* Buffers that L2 must hold; multiple of L1 that a block may have. */
enum { BUFFERS = 2, L1S = 2 };

/* Is axis d computed? An axis of one point is if its matrix is no mere number
 * (sched_axis_constant). */
static bool has_axis(const sched_order *o, int d)
{
    int i = 0;

    while (i < o->count && o->piece[i].axis != d)
        i++;
    return i < o->count;
}

/* The type that all axes read and write: reals, for kinds that write reals if they read reals, or
 * complex numbers; ANY: there is none. */
static spl_type type_of(const sluice_problem *p, const sched_order *o)
{
    bool reals = true;

    if (sched_all_dft(p))
        return SPL_TYPE_COMPLEX;
    for (int d = 0; d < p->rank; d++)
        reals = reals
                && (!has_axis(o, d)
                    || (sched_is_real_matrix(sched_axis_kind(p, d))
                        && sched_axis_type(p, d) == SPL_TYPE_REAL));
    return reals ? SPL_TYPE_REAL : SPL_TYPE_ANY;
}

/* Is the order a batch of one dimension, or one item of a batch, followed by the axes in order? */
static bool is_batch(const sched_target *t, const sched_order *o)
{
    for (int i = o->lead; i < o->count; i++)
        if (o->piece[i].axis < 0 || (i > o->lead && o->piece[i].axis < o->piece[i - 1].axis))
            return false;
    return o->lead == 1 || (o->lead == 0 && t->batch_scale > 1);
}

/* The stride of a side's batch if the axes are contiguous apart from the batch; 0: they are not. */
static ptrdiff_t batch_stride(const sluice_problem *p, const sched_order *o, int side)
{
    const sched_piece *batch = o->lead > 0 ? &o->piece[0] : NULL;
    const ptrdiff_t first = batch ? sched_piece_stride(p, batch, side) : 0;
    ptrdiff_t points = batch && first == 1 ? (ptrdiff_t)batch->n : 1;

    for (int i = o->count - 1; i >= o->lead; i--) {
        if (sched_piece_stride(p, &o->piece[i], side) != points)
            return 0;
        points *= (ptrdiff_t)o->piece[i].n;
    }
    return !batch || first == 1 || first >= points ? (first ? first : points) : 0;
}

/* The number of runs with a constant stride in an array on a side. */
static int64_t runs_of(const sluice_problem *p, const sched_order *o, int side)
{
    int i = o->count - 1;

    while (i > o->lead
           && sched_piece_stride(p, &o->piece[i - 1], side)
                  == (ptrdiff_t)o->piece[i].n * sched_piece_stride(p, &o->piece[i], side))
        i--;
    return sched_order_points(o, o->lead, i);
}

/* Reads how a side has its arrays: as columns, as rows, or, for complex numbers, as runs; false:
 * none of these. In place, interleaved blocks are excluded, since they would read a copy that has
 * rows. */
static bool read_side(const sluice_problem *p, const sched_order *o, int side, sched_columns *x)
{
    const ptrdiff_t stride = batch_stride(p, o, side);

    x->interleaved[side] = stride == 1;
    x->n[side] = sched_order_points(o, o->lead, o->count);
    x->runs[side] = stride == 0 ? runs_of(p, o, side) : 1;
    return (stride != 0 || x->type == SPL_TYPE_COMPLEX) && !(stride == 1 && p->in_place)
           && sched_problem_cyclic(p, side).parts == 0;
}

/* The batch as rows, whose axes have no trees yet; false: it is no batch of small arrays. */
static bool rows_of(const sched_target *t, const sluice_problem *p, const sched_order *o,
                    sched_columns *x)
{
    const spl_type type = type_of(p, o);

    *x = (sched_columns){.axes = p->rank, .type = type, .lanes = sched_columns_lanes(t, type)};
    if (!sched_may_have_columns(t) || sched_problem_axes(p) < 2 || type == SPL_TYPE_ANY
        || !is_batch(t, o))
        return false;
    for (int side = 0; side < 2; side++)
        if (!read_side(p, o, side, x))
            return false;
    for (int d = 0; d < p->rank; d++)
        x->axis[d] = (sched_column_axis){.kind = sched_axis_kind(p, d), .n = (int64_t)p->dim[d].n};
    return true;
}

static int64_t count_rows(const sched_target *t, const sched_order *o)
{
    return sched_order_points(o, 0, o->lead) * t->batch_scale;
}

/* Finds the cheapest tree of axis d as columns of b arrays; returns its cycles. */
static double find_axis(const sched_target *t, sched_columns *x, int d, int64_t before, int64_t b)
{
    sched_column_axis *axis = &x->axis[d];
    int64_t after = b;

    for (int i = d + 1; i < x->axes; i++)
        after *= x->axis[i].n;
    const sched_place at = {.kind = axis->kind,
                            .type = x->type,
                            .n = axis->n,
                            .columns = after,
                            .batch = before,
                            .before = before,
                            .outermost = before == 1,
                            .one_batch = before == 1};
    sched_list list;

    sched_find_trees(t, &at, &list);
    axis->tree = list.count > 0 ? list.tree[0] : NULL;
    return axis->tree ? (double)before
                            * (axis->tree->cycles + sched_columns_folds(t, &at, axis->tree, after))
                      : 0;
}

/* Adds the trees of all axes and their cycles to the tree of a block of b arrays; false: an axis
 * has no tree. */
static bool find_axes(const sched_target *t, const sched_order *o, sched_columns *x, int64_t b,
                      sched_tree *tree)
{
    sched_target own = *t;
    int64_t before = 1;

    own.around.allow_none = own.around.columns_apart = true;
    own.around.contiguous = false;
    for (int d = 0; d < x->axes; d++) {
        if (!has_axis(o, d))
            continue;
        tree->cycles += find_axis(&own, x, d, before, b);
        tree->kid[d] = x->axis[d].tree;
        if (!tree->kid[d])
            return false;
        before *= x->axis[d].n;
    }
    return true;
}

/* Arrays of a block. Of complex numbers as many as fit twice L1, since the time of calls matters
 * more than loads from L2 (measured). */
static int64_t arrays_of(const sched_target *t, const sched_columns *x, int64_t arrays)
{
    const sched_place row = {.type = x->type, .n = x->n[0]};
    const int64_t vector = x->lanes * x->n[0] * sched_complex_bytes(t->precision);
    const int64_t needed = (arrays + x->lanes - 1) / x->lanes;

    if (x->type == SPL_TYPE_REAL)
        return sched_columns_rows(t, &row, arrays);
    const int64_t fit = L1S * (int64_t)t->unit.l1 / vector, most = fit < 1 ? 1 : fit;
    const int64_t blocks = (needed + most - 1) / most;
    return BUFFERS * vector > sched_l2_bytes(t) ? 0 : x->lanes * ((needed + blocks - 1) / blocks);
}

void sched_images_columns_find(const sched_target *t, const sluice_problem *p, int number,
                               sched_list *all)
{
    const sched_order o = sched_natural_order(p);
    sched_columns x;
    const bool may = rows_of(t, p, &o, &x);
    const int64_t rows = count_rows(t, &o), b = may ? arrays_of(t, &x, rows) : 0;
    sched_tree tree = {.rule = &spl_row_column,
                       .params = {{number}},
                       .block_rows = b,
                       .nkids = p->rank,
                       .cycles = b ? sched_columns_moves(x.interleaved, x.n[0] * b) : 0};

    if (b == 0 || rows < 2 || all->count == 0 || !find_axes(t, &o, &x, b, &tree))
        return;
    tree.cycles *= (double)((rows + b - 1) / b) / (double)t->batch_scale;
    all->count -= all->count == SCHED_MAX_CANDIDATES;
    if (x.type == SPL_TYPE_COMPLEX) /* the others stay first within a few per cent (measured) */
        tree.cycles = fmax(tree.cycles, all->tree[all->count - 1]->cycles);
    sched_list_insert(t->ctx, all, &tree);
}

const spl *sched_images_columns_expand(const sched_target *t, const sluice_problem *p,
                                       const sched_tree *tree)
{
    const sched_order o = sched_natural_order(p);
    sched_target own = *t;
    sched_columns x;

    if (!rows_of(t, p, &o, &x))
        return NULL;
    x.most = tree->block_rows;
    for (int d = 0; d < p->rank; d++) {
        x.axis[d].tree = tree->kid[d];
        for (int side = 0; side < 2; side++)
            x.axis[d].edges[side] = sched_axis_edges(t->ctx, p, d, side);
    }
    own.around.type = x.type;
    return sched_columns_expand(&own, &x, sched_order_points(&o, 0, o.lead), true);
}
