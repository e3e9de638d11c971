// SPDX-License-Identifier: BSD-3-Clause
/* A formula acts on the packed problem, in which the last axis is adjacent and batches are slowest.
 * In memory any dimension may be adjacent, so the planner computes in an order of dimensions that
 * follows the strides, between permutations of the packed points. For a batch of b transforms of n
 * points whose batch dimension has stride 1
 *     I_b (x) A_n  =  L(b n, b) (A_n (x) I_b) L(b n, n)
 * so the batch is the columns of all stages. The permutations merge into the first gather and the
 * last scatter, where they cancel those of the strides. Axes commute and are ordered like batches.
 *
 * If the sides have different orders, one is computed in, and the elements of the other side are
 * moved, DFT(1) (x) I, or the codelet of the axis transposes (order_side.c). */
#include "sched/planner/order.h"

#include <stdlib.h>
#include <string.h>

#include "sched/planner/search_figures.h"
#include "sched/planner/stage_price.h"
#include "sched/problem/problem.h"

/* Transforms that are moved together: SCHED_MOVED_ROWS, or as many as have MOVED_POINTS if that is
 * more, in at most 1/MOVED_SHARE of a local store. */
enum { MOVED_POINTS = 1024, MOVED_SHARE = 4 };
/* Bytes of a row of a block: of columns; of transposed elements. The last vector of columns may be
 * partial if there are EVEN_VECTORS. */
enum { COLUMN_BYTES = 512, TRANSPOSED_BYTES = 128, EVEN_VECTORS = 3 };
/* Orders of pieces: by the strides of side 0 or 1, or as in the packed problem. */
enum { NATURAL = 2 };

static size_t stride_size(const sluice_problem *p, const sched_piece *x, int side)
{
    const ptrdiff_t stride = sched_piece_stride(p, x, side);

    return stride < 0 ? (size_t)0 - (size_t)stride : (size_t)stride;
}

/* ---- orders ---- */

/* Does x come before y? */
static bool precedes(const sluice_problem *p, const sched_piece *x, const sched_piece *y, int by)
{
    if (by == NATURAL)
        return x->dim != y->dim ? x->dim < y->dim : x->step > y->step;
    return stride_size(p, x, by) > stride_size(p, y, by);
}

static void sort_pieces(sched_order *o, const sluice_problem *p, int by)
{
    for (int i = 1; i < o->count; i++) {
        const sched_piece x = o->piece[i];
        int at = i;
        for (; at > 0 && precedes(p, &x, &o->piece[at - 1], by); at--)
            o->piece[at] = o->piece[at - 1];
        o->piece[at] = x;
    }
}

sched_order sched_natural_order(const sluice_problem *p)
{
    sched_order o = {.count = 0};

    for (int d = 0; d < sched_problem_dims(p); d++) {
        const int axis = d < p->batch_rank ? -1 : d - p->batch_rank;
        const int64_t all = (int64_t)sched_problem_dim(p, d).n;
        const int64_t n = axis < 0 ? all : (int64_t)sched_axis_columns(p, axis);
        if (all > 1 || (axis >= 0 && sched_axis_constant(p, axis) == 0))
            o.piece[o.count++] = (sched_piece){.dim = d, .axis = axis, .n = n, .step = 1};
    }
    o.natural = true;
    o.lead = sched_order_lead(&o);
    return o;
}

/* Fills in the members that follow from the pieces. */
static void complete_order(const sched_target *t, sched_order *o, const sluice_problem *p)
{
    sched_group_arrays(t, o, p);
    o->natural = true;
    o->lead = sched_order_lead(o);
    for (int i = 1; i < o->count; i++)
        o->natural = o->natural && precedes(p, &o->piece[i - 1], &o->piece[i], NATURAL);
    sched_order_place_sides(t, o, p);
}

/* ---- blocks ---- */

static int64_t points_inside(const sched_order *o)
{
    int64_t points = 1;

    for (int i = 0; i < o->count; i++)
        points *= o->piece[i].inside ? o->piece[i].n : 1;
    return points;
}

/* Puts n points of piece i into the block; the remaining ones become a piece of their own. */
static void put_inside(sched_order *o, int i, int64_t n)
{
    sched_piece *x = &o->piece[i], rest = *x;

    x->inside = true;
    if (n == x->n)
        return;
    x->n = n;
    rest.n /= n;
    rest.step *= n;
    o->piece[o->count++] = rest;
}

/* Puts about `max` points of the last batch dimensions in a side's order, up to the first axis,
 * into the block of at most `capacity` points. */
static void take_last(sched_order *o, const sluice_problem *p, int side, int64_t max,
                      int64_t capacity)
{
    int64_t taken = 1;

    sort_pieces(o, p, side);
    for (int i = o->count - 1; i >= 0 && o->piece[i].axis < 0 && taken < max; i--) {
        const int64_t left = capacity / points_inside(o), all = o->piece[i].n;
        const int64_t n = o->piece[i].inside
                              ? all
                              : sched_divisor_near(all, max / taken < left ? max / taken : left);
        if (!o->piece[i].inside && n > 1)
            put_inside(o, i, n);
        taken *= n;
        if (n < all)
            return;
    }
}

/* Moves the pieces of the block after the others. */
static void put_block_last(sched_order *o)
{
    const sched_order all = *o;

    o->count = 0;
    for (int inside = 0; inside < 2; inside++)
        for (int i = 0; i < all.count; i++)
            if (all.piece[i].inside == inside)
                o->piece[o->count++] = all.piece[i];
}

/* Does one side of the whole problem fit the local store? */
static bool fits_store(const sched_target *t, const sched_order *o)
{
    return sched_order_points(o, 0, o->count)
           <= (int64_t)t->unit.local_store / sched_complex_bytes(t->precision);
}

/* Makes a block of the last pieces: all axes, and of what is adjacent on either side as much as
 * stays in the local store. It is read and written in whole lines, and computed before the next
 * one. False if that gains nothing, or if the side's adjacent dimension is not in it. */
static bool make_block(const sched_target *t, sched_order *o, const sluice_problem *p, int side)
{
    const int64_t bytes = sched_complex_bytes(t->precision);
    const int64_t capacity = (int64_t)t->unit.local_store / bytes / 2;

    for (int i = 0; i < o->count; i++)
        o->piece[i].inside = o->piece[i].axis >= 0;
    const int64_t axes = points_inside(o);
    if (fits_store(t, o) || axes * t->lanes > capacity)
        return false;
    take_last(o, p, !side, TRANSPOSED_BYTES / bytes, capacity / t->lanes);
    take_last(o, p, side, COLUMN_BYTES / bytes, capacity);
    sort_pieces(o, p, side);
    const bool adjacent = o->piece[o->count - 1].inside;
    put_block_last(o);
    return adjacent && points_inside(o) > axes;
}

/* ---- candidates ---- */

/* The same order with the last axis after the columns that follow it. */
static sched_order with_axis_last(const sched_order *o)
{
    sched_order made = *o;
    int at = made.count - 1;

    while (at > 0 && made.piece[at].axis < 0)
        at--;
    const sched_piece axis = made.piece[at];
    memmove(made.piece + at, made.piece + at + 1,
            (size_t)(made.count - 1 - at) * sizeof *made.piece);
    made.piece[made.count - 1] = axis;
    return made;
}

static bool same_order(const sched_order *a, const sched_order *b)
{
    bool same = a->count == b->count;

    for (int i = 0; i < a->count && same; i++)
        same = a->piece[i].dim == b->piece[i].dim && a->piece[i].step == b->piece[i].step;
    return same;
}

static int add_order(const sched_target *t, const sluice_problem *p, sched_order *out, int count,
                     sched_order o)
{
    complete_order(t, &o, p);
    for (int i = 0; i < count; i++)
        if (same_order(&out[i], &o))
            return count;
    out[count] = o;
    return count + 1;
}

/* The order by the strides of a side; true if one codelet transposes and nothing is moved, which is
 * fastest. */
static bool is_one_pass(const sched_target *t, const sluice_problem *p, int side, sched_order *o)
{
    *o = sched_natural_order(p);
    sort_pieces(o, p, side);
    complete_order(t, o, p);
    return (o->codelet_transposes[0] || o->codelet_transposes[1]) && !o->moved[0] && !o->moved[1];
}

/* Columns after the last axis. */
static int64_t columns_of(const sched_order *o)
{
    int64_t columns = 1;

    for (int i = o->count - 1; i >= o->lead && o->piece[i].axis < 0; i--)
        columns *= o->piece[i].n;
    return columns;
}

/* Is the block too narrow to pay? Either its columns are few and do not fill vectors, while the
 * order without it moves nothing; or two stages, one of which transposes, would have whole vectors
 * only without it. */
static bool is_narrow(const sched_target *t, const sluice_problem *p, sched_order all,
                      sched_order block)
{
    const int64_t columns = columns_of(&block);

    complete_order(t, &all, p);
    complete_order(t, &block, p);
    if (columns % t->lanes != 0 && columns > 1 && !all.moved[0] && !all.moved[1])
        return columns < EVEN_VECTORS * t->lanes;
    return all.transposing_stages != SCHED_NOT_TRANSPOSING
           && block.transposing_stages == SCHED_NOT_TRANSPOSING;
}

int sched_orders_of(const sched_target *t, const sluice_problem *p, sched_order *out)
{
    const sched_order natural = sched_natural_order(p);
    int count = 0;

    if (!sched_all_dft(p))
        return add_order(t, p, out, 0, natural);
    for (int side = 0; side < 2; side++)
        if (sched_problem_axes(p) == 1 && is_one_pass(t, p, side, &out[0]))
            return sched_add_strided(t, p, out, 1);
    for (int side = 0; side < 2; side++) {
        sched_order o = natural, block = natural;
        sort_pieces(&o, p, side);
        const bool made = make_block(t, &block, p, side) && !is_narrow(t, p, o, block);
        count = add_order(t, p, out, count, made ? block : o);
    }
    for (int i = 0, sides = count; i < sides; i++) {
        const sched_order *o = &out[i];
        const int64_t columns = columns_of(o);
        if (columns == 1 || columns >= 2 * t->lanes)
            continue;
        const sched_order rows = with_axis_last(o);
        if (columns < t->lanes && o->moved[0] && o->moved[1]) { /* rows cost no further move */
            out[i] = rows;
            complete_order(t, &out[i], p);
        } else
            count = add_order(t, p, out, count, rows);
    }
    if (fits_store(t, &natural)) /* the packed problem, between moves */
        count = add_order(t, p, out, count, natural);
    return sched_add_strided(t, p, out, count);
}

int64_t sched_order_points(const sched_order *o, int first, int end)
{
    int64_t points = 1;

    for (int i = first; i < end; i++)
        points *= o->piece[i].n;
    return points;
}

/* `points`, or fewer if a block of a block-cyclic side has fewer. */
static int64_t block_points(const sluice_problem *p, int64_t points)
{
    for (int side = 0; side < 2; side++) {
        const sluice_cyclic c = sched_problem_cyclic(p, side);
        if (c.parts > 1 && (int64_t)c.block < points)
            points = (int64_t)c.block;
    }
    return points;
}

/* Points of the last pieces, from the first axis on, over which each side has one stride. */
static int64_t uniform_points(const sched_order *o, const sluice_problem *p)
{
    int64_t points = 1;
    ptrdiff_t next[2] = {0, 0}; /* the stride that would continue the pieces so far, of each side */

    for (int i = o->count - 1; i >= o->lead; i--) {
        const sched_piece *x = &o->piece[i];
        for (int side = 0; side < 2; side++) {
            if (points > 1 && !o->moved[side] && sched_piece_stride(p, x, side) != next[side])
                return block_points(p, points);
            const bool halves = x->axis >= 0 && sched_axis_has_half_spectrum(p, x->axis);
            const size_t n = halves ? sched_problem_extent(p, x->dim, side) : (size_t)x->n;
            next[side] = (ptrdiff_t)n * sched_piece_stride(p, x, side);
        }
        points *= x->n;
    }
    return block_points(p, points);
}

/* Is the last piece an axis that the stages see without gaps? */
static bool is_contiguous(const sched_order *o, const sluice_problem *p)
{
    const int last = o->count - 1;

    if (p->in_cyclic.parts != 0 || p->out_cyclic.parts != 0 || last < 0 || o->piece[last].axis < 0)
        return false;
    const sched_piece *x = &o->piece[last];
    return sched_all_dft(p)
           || (sched_piece_stride(p, x, 0) == 1
               && sched_piece_stride(p, x, 1) == 1); /* neither side moved */
}

sched_target sched_order_target(const sched_target *t, const sluice_problem *p,
                                const sched_order *o)
{
    sched_target own = *t;

    own.around.uniform_points = uniform_points(o, p);
    own.around.contiguous = is_contiguous(o, p);
    return own;
}

double sched_order_cycles(const sched_target *t, const sched_order *o)
{
    const int last = o->count - 1;
    const bool alone = o->transposing_stages != SCHED_NOT_TRANSPOSING
                       && sched_order_rows(t, o, 0, last, false) == 1;

    return (o->moved[0] + o->moved[1])
           * ((alone ? sched_search.moved_alone : 1)
                  * sched_moved_cycles(sched_order_points(o, 0, o->count), price_moved_evenly)
              + sched_search.moved_wait);
}

/* ---- moves ---- */

bool sched_order_runs_first(const sched_order *o, int i, bool last_first)
{
    bool first = true;

    for (int k = last_first ? i + 1 : 0; k < (last_first ? o->count : i); k++)
        first = first && o->piece[k].axis < 0;
    return first;
}

bool sched_order_moves(const sched_order *o, int i, int side)
{
    bool outermost = true; /* no axis is read before it (side 0), or written after it (side 1) */

    for (int k = side ? 0 : i + 1; k < (side ? i : o->count); k++)
        outermost = outermost && o->piece[k].axis < 0;
    return o->moved[side] && outermost;
}

int64_t sched_order_rows(const sched_target *t, const sched_order *o, int first, int i,
                         bool distribute)
{
    const int64_t points = sched_order_points(o, i, o->count);
    const int64_t store = (int64_t)t->unit.local_store / sched_complex_bytes(t->precision);
    int64_t max =
        SCHED_MOVED_ROWS * points < MOVED_POINTS ? MOVED_POINTS / points : SCHED_MOVED_ROWS;
    int64_t rows = 1;

    if (distribute && max > sched_order_points(o, first, i) / t->parts)
        max = sched_order_points(o, first, i) / t->parts;
    if (max * points > store / MOVED_SHARE)
        max = store / MOVED_SHARE / points;
    for (int k = i - 1; k >= first; k--) {
        const int64_t r = sched_divisor_near(o->piece[k].n, max / rows);
        rows *= r;
        if (r < o->piece[k].n)
            break;
    }
    return rows;
}

const spl *sched_order_with_moves(const sched_target *t, const sched_order *o, int i, const spl *x,
                                  sched_tags tags)
{
    const spl *one = x ? spl_mark_leaves(t->ctx, spl_dft(t->ctx, 1, false)) : NULL;
    const spl *const moves =
        x ? sched_with_columns(t, spl_kron2(t->ctx, one, spl_identity(t->ctx, x->rows)), 0, tags)
          : NULL;
    const spl *factor[3];
    int count = 0;

    if (sched_order_moves(o, i, 1))
        factor[count++] = moves;
    factor[count++] = x;
    if (sched_order_moves(o, i, 0))
        factor[count++] = moves;
    return spl_mul(t->ctx, count, factor);
}

/* ---- permutations ---- */

/* The permutation from the packed order of a side to this order, or back, one dimension at a time:
 * (A, n) -> (n, A) is L(A n, n), and its inverse L(A n, A). */
static const spl *order_permutation(spl_ctx *ctx, const sched_order *o, const sluice_problem *p,
                                    bool back)
{
    const spl *factor[SCHED_MAX_PIECES];
    sched_order now = *o;
    int count = 0;

    sort_pieces(&now, p, NATURAL);
    for (int i = 0; i < o->count; i++) {
        const sched_piece x = o->piece[i];
        int from = i;
        while (now.piece[from].dim != x.dim || now.piece[from].step != x.step)
            from++;
        if (from == i)
            continue;
        const int64_t over = sched_order_points(&now, i, from);
        const spl *const kron[] = {spl_identity(ctx, sched_order_points(&now, 0, i)),
                                   spl_stride(ctx, over * x.n, back ? over : x.n),
                                   spl_identity(ctx, sched_order_points(&now, from + 1, o->count))};
        factor[back ? count : SCHED_MAX_PIECES - 1 - count] = spl_kron(ctx, 3, kron);
        count++;
        memmove(now.piece + i + 1, now.piece + i, (size_t)(from - i) * sizeof x);
        now.piece[i] = x;
    }
    return spl_mul(ctx, count, factor + (back ? 0 : SCHED_MAX_PIECES - count));
}

const spl *sched_order_packed(spl_ctx *ctx, const sched_order *o, const sluice_problem *p,
                              const spl *x)
{
    if (!x || o->natural)
        return x;
    const spl *inner = spl_mul2(ctx, x, order_permutation(ctx, o, p, false));
    return spl_mul2(ctx, order_permutation(ctx, o, p, true), inner);
}
