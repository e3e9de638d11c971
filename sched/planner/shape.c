// SPDX-License-Identifier: BSD-3-Clause
/* A block is the trailing dimensions that fill at most half a local store, computed before the next
 * block. The axis before it, of n = r m points, may give its first radix r to slabs: r blocks and
 * their DFT_r are computed before the next slab, so that stage r needs no pass through memory of
 * its own. DFT_m of that axis follows in a pass over all slabs. */
#include "sched/planner/shape.h"

#include "sched/planner/search_figures.h"

#include "sched/planner/groups.h"
#include "sched/planner/slab_pairs.h"
#include "sched/planner/stockham.h"
#include "sched/problem/problem.h"

/* The first of the trailing dimensions that fit a local store together, and their *points; the
 * number of dimensions if there are none. */
static int block_begin(const sched_target *t, const sched_order *o, int64_t *points)
{
    const int64_t capacity = (int64_t)t->unit.local_store / (2 * sched_complex_bytes(t->precision));
    int first = o->count;
    bool axes = false;

    *points = 1;
    while (first > o->lead && *points * o->piece[first - 1].n <= capacity) {
        *points *= o->piece[--first].n;
        axes = axes || o->piece[first].axis >= 0;
    }
    return axes ? first : o->count;
}

/* Can n points be one or two stages whose rows fit the ways of L1, if all rows map to one set? */
static bool fits_ways(const sched_radix_model *model, int64_t n)
{
    const int64_t ways = (int64_t)model->l1 / SCHED_ALIAS_BYTES;

    for (int64_t r = 1; r <= ways; r++)
        if (n % r == 0 && n / r <= ways)
            return true;
    return false;
}

/* Can slabs over blocks of model->columns points have this radix, for an axis of n points? */
static bool is_slab_radix(const sched_radix_model *model, spl_kind kind, int64_t n, int64_t r)
{
    return n % r == 0 && n / r > 1 && sched_slab_suits(kind, r)
           && sched_kernel_cycles(model, SPL_DFT, r, false) > 0;
}

/* The number of blocks whose rows fill a vector, if each block is a row. A fold reads each half of
 * them separately, so it needs twice as many. 0: the blocks are no rows, or vectors cannot take
 * several rows. */
static int64_t filling_blocks(const sched_radix_model *model, const sched_shape *s, int first,
                              spl_kind kind)
{
    const backend_team *team = model->table->team;
    const sched_piece *last = &s->order.piece[s->order.count - 1];

    if (first + 1 < s->order.count || last->axis < 0 || !team->row_lanes)
        return 0;
    const int lanes = team->row_lanes(model->backend, (int)sched_axis_kind(s->p, last->axis),
                                      last->n, model->precision, SPL_INTER);
    return !spl_is_dft_kind(kind) ? 2 * lanes : lanes;
}

/* Do r slabs of `points` points leave a single codelet of n points? */
static bool leaves_one_stage(const sched_target *t, int64_t n, int64_t r, int64_t points)
{
    const sched_radix_model model = sched_model(t, r * points, 1);

    return n % r == 0 && n <= r * SCHED_MAX_UNTWIDDLED
           && sched_kernel_cycles(&model, SPL_DFT, n / r, false) > 0;
}

/* The first radix of the axis before dimension `first`, in slabs of blocks of `points` points; 1:
 * none. It is at most 8, or the number of blocks that fills vectors. If blocks share sets of L1, it
 * grows until no remaining stage has more rows than ways. A slab has at most `most` blocks, or
 * `held` if one stage remains, which makes the axis one pass through memory. */
static int64_t slab_radix(const sched_target *t, const sched_shape *s, int first, int64_t points,
                          int64_t most, int64_t held)
{
    enum { SHORT = 8 };
    const sched_piece *axis = &s->order.piece[first - 1];
    const spl_kind kind = sched_axis_kind(s->p, axis->axis);
    const sched_radix_model model = sched_model(t, points, 1);
    const int64_t filling = filling_blocks(&model, s, first, kind);
    const int64_t least = filling > SHORT ? filling : SHORT;
    const int64_t enough = least < SCHED_MAX_RADIX ? least : SCHED_MAX_RADIX;
    const bool alike =
        model.l1 && points * sched_complex_bytes(t->precision) % SCHED_ALIAS_BYTES == 0;
    int64_t best = 1;

    for (int64_t r = 2; r <= (alike ? SCHED_MAX_RADIX : enough); r++) {
        if (r > enough && fits_ways(&model, axis->n / best))
            break;
        if (r <= most || (r <= held && leaves_one_stage(t, axis->n, r, points)))
            best = is_slab_radix(&model, kind, axis->n, r) ? r : best;
    }
    return best;
}

bool sched_runs_last_first(const sluice_problem *p)
{
    return sched_axis_order(p, 0) == p->rank - 1;
}

/* The number of real columns that are one complex column of a slab of this axis: 2 for an axis of
 * reals; columns of a batch are never paired. 1: the blocks write complex numbers. 0: slabs are
 * impossible. */
static int64_t slab_reals_per_number(const sluice_problem *p, const sched_order *o,
                                     const sched_piece *before)
{
    const sched_piece *last = &o->piece[o->count - 1];
    const spl_kind kind = sched_axis_kind(p, before->axis);

    if (o->codelet_transposes[0] || o->codelet_transposes[1] || !sched_runs_last_first(p)
        || !sched_slab_suits(kind, before->n))
        return 0;
    if (spl_is_dft_kind(kind))
        return 1;
    if (o->moved[0] || o->moved[1] || before->step > 1)
        return 0;
    if (sched_axis_type(p, before->axis) != SPL_TYPE_REAL)
        return 1;
    return last->axis >= 0 && last->n % 2 == 0 ? 2 : 0;
}

/* The number of complex numbers in this many points: half if they are reals. The last element of a
 * half-spectrum does not count, so that it fits where its reals do. */
static int64_t held_points(const sched_shape *s, int64_t points)
{
    const sched_piece *last = &s->order.piece[s->order.count - 1];

    if (last->axis >= 0 && sched_axis_has_half_spectrum(s->p, last->axis) && last->n > 1)
        return points / last->n * (last->n - 1);
    return sched_axis_type(s->p, s->p->rank - 1) == SPL_TYPE_REAL ? points / 2 : points;
}

/* Complex numbers that the buffers of a block may have: those of a local store. If the arrays lie
 * in memory, those of all of L2, as another pass through memory takes longer than lines that L2
 * loses. */
static int64_t buffered_points(const sched_target *t, const sched_order *o)
{
    const int64_t store = (int64_t)t->unit.local_store / sched_complex_bytes(t->precision);
    const int64_t all = sched_order_points(o, 0, o->count) * t->batch_scale;

    return (double)all > sched_search.memory_l2s * 2 * (double)store ? 2 * store : store;
}

int64_t sched_shape_slab_points(const sched_target *t, const sched_shape *s)
{
    return buffered_points(t, &s->order) / 2;
}

/* The slabs of the axis before dimension `first`. */
static sched_slabs slabs_before(const sched_target *t, const sched_shape *s, int first)
{
    const sched_order *o = &s->order;
    const int64_t store = (int64_t)t->unit.local_store / sched_complex_bytes(t->precision);
    const int64_t points = sched_order_points(o, first, o->count);
    sched_slabs x = {1, slab_reals_per_number(s->p, o, &o->piece[first - 1])};

    if (x.reals_per_number)
        x.radix = slab_radix(t, s, first, points / x.reals_per_number,
                             store / 2 / (points / x.reals_per_number),
                             buffered_points(t, o) / held_points(s, points));
    return x;
}

/* Adds one more axis to the block if the block's buffers can hold it: then the rest of that axis,
 * after the slabs' radix, runs before the next block instead of in a pass through memory. One
 * remaining stage needs one buffer, several need two. */
static void add_axis(const sched_target *t, sched_shape *s)
{
    const sched_order *o = &s->order;
    const int axis = s->first - 1;

    if (axis < o->lead || axis < 0 || o->piece[axis].axis < 0 || t->mode != BACKEND_FUSED
        || sched_order_points(o, 0, axis) * t->batch_scale == 1)
        return;
    const sched_slabs slabs = slabs_before(t, s, s->first);
    const int64_t points = sched_order_points(o, s->first, o->count)
                           / (slabs.reals_per_number ? slabs.reals_per_number : 1);
    const bool first = !sched_runs_last_first(s->p);
    const int buffers = first || leaves_one_stage(t, o->piece[axis].n, slabs.radix, points) ? 1 : 2;
    if ((!first && slabs.radix == 1)
        || buffers * held_points(s, sched_order_points(o, axis, o->count)) > buffered_points(t, o))
        return;
    s->within = slabs;
    s->first--;
}

/* If the blocks are too few for the parts, the added axis leaves them, and its slabs stand before
 * the blocks. Its place stays the same, since the tree chosen for it must not depend on the
 * parts. */
static void keep_parts_busy(const sched_target *t, sched_shape *s)
{
    if (s->first == s->inner || s->outer.radix > 1
        || sched_fill_parts(t, sched_order_points(&s->order, 0, s->first)))
        return;
    s->outer = s->within;
    s->within = (sched_slabs){1, 1};
    s->first++;
}

/* In place, slabs need a buffer for all points; blocks and an axis of two stages do without. */
static bool has_outer_slabs(const sched_target *t, const sched_shape *s)
{
    const sched_order *o = &s->order;
    const int64_t store = (int64_t)t->unit.local_store / sched_complex_bytes(t->precision);
    const int before = s->first > o->lead ? o->piece[s->first - 1].axis : -1;
    const int64_t view =
        s->blocks && before >= 0 ? slab_reals_per_number(s->p, o, &o->piece[s->first - 1]) : 0;

    return view && sched_order_points(o, 0, o->count) / view * t->batch_scale > store
           && !(t->in_place && o->piece[s->first - 1].n <= SCHED_MAX_RADIX * SCHED_MAX_RADIX);
}

/* Is a block just one row of reals, without slabs? */
static bool are_rows_of_reals(const sched_shape *s)
{
    const int last = s->order.count - 1;

    return s->blocks && s->first == last && s->inner == last && s->outer.radix == 1 && s->may_turn
           && sched_is_real_matrix(sched_axis_kind(s->p, s->order.piece[last].axis));
}

sched_shape sched_shape_of(const sched_target *t, const sluice_problem *p, const sched_order *o)
{
    sched_shape s = {.p = p,
                     .order = *o,
                     .outer = {1, 1},
                     .within = {1, 1},
                     .may_turn = sched_may_have_columns(t),
                     .is_item = t->batch_scale > 1};
    int64_t block;
    const int first = block_begin(t, o, &block), lead = o->lead;

    /* Blocks may depend on the parts. Places, for which trees are found, may not. */
    s.blocks = !sched_has_groups(t) && sched_problem_axes(p) >= 2 && first < o->count
               && (first > lead || sched_order_points(o, 0, lead) >= t->parts);
    s.first = s.blocks ? first : 0;
    s.inner = first;
    if (s.blocks)
        add_axis(t, &s);
    s.whole = s.first;
    if (has_outer_slabs(t, &s))
        s.outer = slabs_before(t, &s, s.first);
    if (s.blocks)
        keep_parts_busy(t, &s);
    s.rows_of_reals = are_rows_of_reals(&s);
    return s;
}

const sched_slabs *sched_slabs_of(const sched_shape *s, int i)
{
    if (s->blocks && s->outer.radix > 1 && i == s->first - 1)
        return &s->outer;
    return s->blocks && s->within.radix > 1 && i == s->first ? &s->within : NULL;
}

/* Rows in the innermost loop of axis i, of several axes: those of one image of a batch, or of one
 * block if the image exceeds the local store. */
static int64_t rows_of(const sched_shape *s, int i)
{
    const sched_order *o = &s->order;
    const int64_t in_block = i > s->inner ? sched_order_points(o, s->inner, i) : 1;

    if (sched_problem_axes(s->p) < 2)
        return 0;
    return in_block > 1 ? in_block : sched_order_points(o, o->lead < i ? o->lead : i, i);
}

/* Do the stages of an axis read and write its rows where they lie? */
static bool has_own_rows(const sched_order *o, int i)
{
    return !o->moved[0] && !o->moved[1] && !o->codelet_transposes[0] && !o->codelet_transposes[1]
           && o->strided == 0 && o->transposing_stages == SCHED_NOT_TRANSPOSING
           && i + 1 == o->count;
}

/* Decides whether the rows of the last axis may be columns. In place sides do not count as
 * interleaved, because all blocks would read a copy that has rows. */
static void place_rows(const sched_shape *s, int i, sched_place *at)
{
    const bool matrix = sched_is_real_matrix(at->kind);
    const bool reals = matrix && at->type == SPL_TYPE_REAL;
    const sched_order *o = &s->order;
    const bool one = sched_problem_axes(s->p) == 1 && o->count == 2 && !s->p->in_place;
    const bool alone = s->blocks && i == s->inner && !s->rows_of_reals; /* a block may be one row */

    at->as_columns = s->may_turn && at->columns == 1 && (at->batch > 1 || s->is_item) && !alone
                     && (reals || (!matrix && has_own_rows(o, i)));
    at->split = at->as_columns && sched_side_split(s->p, 1);
    for (int side = 0; side < 2; side++)
        at->interleaved[side] =
            at->as_columns && reals && one && sched_piece_stride(s->p, &o->piece[i - 1], side) == 1;
}

/* Reduces a place to what remains if slabs have its first radix. */
static void leave_to_slabs(const sched_slabs *slabs, sched_place *at)
{
    if (!slabs)
        return;
    at->kind = spl_is_dft_kind(at->kind) ? at->kind : SPL_DFT;
    at->type = SPL_TYPE_COMPLEX;
    at->n /= slabs->radix;
    at->columns = at->columns / slabs->reals_per_number * slabs->radix;
    at->rows_in = true;
}

sched_place sched_shape_place(const sched_shape *s, int i)
{
    const sched_order *o = &s->order;
    sched_place at = {.kind = sched_axis_kind(s->p, o->piece[i].axis),
                      .type = sched_axis_type(s->p, o->piece[i].axis),
                      .n = (int64_t)s->p->dim[o->piece[i].axis].n,
                      .columns = sched_order_points(o, i + 1, o->count),
                      .batch = sched_order_points(o, 0, i),
                      .rows = rows_of(s, i),
                      .before = i > 0 ? o->piece[i - 1].n : 1,
                      .outermost = i <= o->lead,
                      .one_batch = i <= o->lead && i <= 1,
                      .transposing_stages =
                          i + 1 == o->count ? o->transposing_stages : SCHED_NOT_TRANSPOSING,
                      .transposing_codelet = sched_order_transposing_codelet(o, i),
                      .strided = o->strided};

    at.rows_out = !spl_is_dft_kind(at.kind) && at.batch == 1
                  && (i + 2 == o->count || (s->blocks && i + 1 == s->whole))
                  && at.columns > SCHED_MAX_UNTWIDDLED && !sched_runs_last_first(s->p)
                  && o->piece[i + 1].axis >= 0;
    place_rows(s, i, &at);
    leave_to_slabs(sched_slabs_of(s, i), &at);
    return at;
}
