// SPDX-License-Identifier: BSD-3-Clause
/* Moves sides of transforms of reals to where rows are adjacent, and back: sides that are
 * interleaved with the batch (a few channels, for example), half-spectra whose rows lie across
 * another axis, and split sides whose rows are a codelet for interleaved numbers only. Stages would
 * gather and scatter their elements one by one, some several times. Loops over the transforms of
 * the batch, or over the rows, move all of them:
 *
 *     I_b (x) A = (SUM(k<b) S G) (I_b (x) A) (SUM(k<b) S G)
 *
 * If whole vectors of the batch are adjacent, codelets and blocks of columns (rows_as_columns.c)
 * read them as they lie; in place only codelets do, as several blocks would have to read a copy. */
#include "sched/planner/sides_moved.h"

#include <stdlib.h>

#include "sched/planner/find.h"
#include "sched/planner/order.h"
#include "sched/planner/rows_moved.h"
#include "sched/problem/problem.h"

/* Is a side accessed as columns: by a single codelet, for any number of columns, or by codelets and
 * blocks of columns, for whole vectors of the batch? */
static bool are_columns(const sched_target *t, const sluice_problem *p, const sched_order *o,
                        const sched_tree *tree, int side)
{
    const int last = o->count - 1;
    const sched_piece *batch = last > 0 ? &o->piece[last - 1] : NULL;
    const sched_tree *axis = tree->kid[o->piece[last].axis];

    return (sched_problem_axes(p) == 1 && axis && !axis->rule)
           || (batch && batch->axis < 0 && sched_piece_stride(p, batch, side) == 1
               && batch->n >= 2 * t->lanes && axis
               && (!axis->rule || (axis->block_rows > 0 && !axis->pairs_rows && !p->in_place)));
}

/* The first and last stages of type I move elements themselves, wherever these lie. */
static bool moves_itself(const sluice_problem *p, const sched_order *o)
{
    const spl_kind kind = sched_axis_kind(p, o->piece[o->count - 1].axis);

    return sched_problem_axes(p) == 1 && (kind == SPL_DCT1 || kind == SPL_DST1);
}

/* Is a side interleaved with the batch dimension before its last axis? */
static bool is_moved(const sched_target *t, const sluice_problem *p, const sched_order *o,
                     const sched_tree *tree, int side)
{
    const int last = o->count - 1;

    if (o->lead == 0 || o->piece[last].axis < 0 || sched_problem_cyclic(p, side).parts != 0)
        return false;
    const ptrdiff_t stride = sched_piece_stride(p, &o->piece[last], side);
    const ptrdiff_t batch = sched_piece_stride(p, &o->piece[o->lead - 1], side);
    return o->piece[last].n > 1 && labs(stride) > labs(batch) && !moves_itself(p, o)
           && !are_columns(t, p, o, tree, side);
}

/* The number of rows of a side that are moved together, one by one: transforms of the batch or,
 * between split and interleaved numbers, rows of the last axis; 0: nothing is moved. */
static int64_t moved_rows(const sched_target *t, const sluice_problem *p, const sched_order *o,
                          const sched_tree *tree, int side)
{
    if (t->interleaves_sides && sched_side_split(p, side))
        return sched_order_points(o, 0, o->count - 1);
    return is_moved(t, p, o, tree, side) ? sched_order_points(o, 0, o->lead) : 0;
}

/* The number of rows along a half-spectrum's axis whose elements are further apart than the rows
 * are, as in columns that lie one after another; 0: none. */
static int64_t crossed_rows(const sluice_problem *p, const sched_order *o, int side)
{
    const int last = o->count - 1;
    const sched_piece *x = &o->piece[last];

    if (last == 0 || x->axis < 0 || !sched_axis_has_half_spectrum(p, x->axis)
        || o->piece[last - 1].axis < 0)
        return 0;
    return labs(sched_piece_stride(p, x, side)) > labs(sched_piece_stride(p, x - 1, side)) ? x[-1].n
                                                                                           : 0;
}

const spl *sched_moves_of_rows(const sched_target *t, int64_t b, int64_t n, int64_t all)
{
    const spl *loop = sched_loop_over_rows(t->ctx, b, spl_identity(t->ctx, n));

    return all == b * n
               ? sched_with_shares(t, loop)
               : sched_with_batch_spe(
                   t, spl_kron2(t->ctx, spl_identity(t->ctx, all / (b * n)), loop), all / (b * n));
}

/* Elements of a row on a side. */
static int64_t row_length(const sluice_problem *p, const sched_order *o, int side)
{
    return (int64_t)sched_problem_extent(p, o->piece[o->count - 1].dim, side);
}

const spl *sched_with_moved_sides(const sched_target *t, const sluice_problem *p,
                                  const sched_order *o, const sched_tree *tree, const spl *x)
{
    const spl *factor[3];
    int count = 0;

    if (!x || sched_all_dft(p) || !sched_may_have_columns(t))
        return x;
    const int64_t out = moved_rows(t, p, o, tree, 1), in = moved_rows(t, p, o, tree, 0);
    const int64_t crossed_out = out > 0 ? 0 : crossed_rows(p, o, 1);
    const int64_t crossed_in = in > 0 ? 0 : crossed_rows(p, o, 0);
    if (out > 0)
        factor[count++] = sched_moves_of_rows(t, out, x->rows / out, x->rows);
    if (crossed_out > 0)
        factor[count++] = sched_moves_of_rows(t, crossed_out, row_length(p, o, 1), x->rows);
    factor[count++] = x;
    if (in > 0)
        factor[count++] = sched_moves_of_rows(t, in, x->cols / in, x->cols);
    if (crossed_in > 0)
        factor[count++] = sched_moves_of_rows(t, crossed_in, row_length(p, o, 0), x->cols);
    return spl_mul(t->ctx, count, factor);
}
