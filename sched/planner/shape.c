// SPDX-License-Identifier: BSD-3-Clause
#include "sched/planner/shape.h"

#include "sched/planner/groups.h"
#include "sched/planner/slab_passes.h"
#include "sched/planner/stockham.h"
#include "sched/problem/problem.h"

/* The first of the trailing dimensions that fit a local store together, and their *points; their
 * number: none. */
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

/* Do the rows of one or two stages of n points fit the ways of L1, if all share a set? */
static bool fits_ways(const sched_radix_model *model, int64_t n)
{
    const int64_t ways = (int64_t)model->l1 / SCHED_ALIAS_BYTES;

    for (int64_t r = 1; r <= ways; r++)
        if (n % r == 0 && n / r <= ways)
            return true;
    return false;
}

/* Can slabs of an axis of n points over blocks of model->columns points have this radix? */
static bool is_slab_radix(const sched_target *t, const sched_radix_model *model, spl_kind kind,
                          int64_t n, int64_t r)
{
    const int64_t capacity = (int64_t)t->unit.local_store / (2 * sched_complex_bytes(t->precision));

    return n % r == 0 && n / r > 1 && r * model->columns <= capacity && sched_slab_suits(kind, r)
           && sched_kernel_cycles(model, SPL_DFT, r, false) > 0;
}

/* Blocks that fill a vector of their rows, if each is a row: of those that a fold reads each half
 * is read by itself. 0: other blocks, or rows that no vectors take side by side. */
static int64_t filling_blocks(const sched_radix_model *model, const sched_shape *s, spl_kind kind)
{
    const backend_team *team = model->table->team;
    const sched_piece *last = &s->order.piece[s->order.count - 1];

    if (s->first + 1 < s->order.count || last->axis < 0 || !team->row_lanes)
        return 0;
    const int lanes = team->row_lanes(model->backend, (int)sched_axis_kind(s->p, last->axis),
                                      last->n, model->precision, SPL_INTER);
    return kind > SPL_IDFT ? 2 * lanes : lanes;
}

/* The first radix of an axis of n points over blocks of `points` points, so that r blocks fit the
 * local store and its stage needs no pass through memory of its own; 1: none. Up to 8 or what fills
 * vectors, but where blocks share sets of L1 as many as leave no stage with more rows than ways. In
 * place a slab needs a buffer for all points, which blocks and an axis of two stages do not. */
static int64_t slab_radix(const sched_target *t, const sched_shape *s, spl_kind kind, int64_t n,
                          int64_t points)
{
    enum { SHORT = 8 };
    const sched_radix_model model = sched_model(t, points, 1);
    const int64_t filling = filling_blocks(&model, s, kind);
    const int64_t least = filling > SHORT ? filling : SHORT;
    const int64_t enough = least < SCHED_MAX_RADIX ? least : SCHED_MAX_RADIX;
    const bool alike =
        model.l1 && points * sched_complex_bytes(t->precision) % SCHED_ALIAS_BYTES == 0;
    int64_t best = 1;

    if (t->in_place && n <= SCHED_MAX_RADIX * SCHED_MAX_RADIX)
        return 1;
    for (int64_t r = 2; r <= (alike ? SCHED_MAX_RADIX : enough); r++) {
        if (r > enough && fits_ways(&model, n / best))
            break;
        best = is_slab_radix(t, &model, kind, n, r) ? r : best;
    }
    return best;
}

bool sched_runs_last_first(const sluice_problem *p)
{
    return sched_axis_order(p, 0) == p->rank - 1;
}

/* Real columns by which a slab of this axis has one of complex numbers: two of an axis, none of a
 * batch; 1: the blocks leave complex numbers, 0: slabs cannot be. */
static int64_t slab_view(const sluice_problem *p, const sched_order *o, const sched_piece *before)
{
    const sched_piece *last = &o->piece[o->count - 1];
    const spl_kind kind = sched_axis_kind(p, before->axis);

    if (o->turned[0] || o->turned[1] || !sched_runs_last_first(p)
        || !sched_slab_suits(kind, before->n))
        return 0;
    if (kind <= SPL_IDFT)
        return 1;
    if (o->moved[0] || o->moved[1] || before->step > 1)
        return 0;
    if (sched_axis_type(p, before->axis) != SPL_TYPE_REAL)
        return 1;
    return last->axis >= 0 && last->n % 2 == 0 ? 2 : 0;
}

sched_shape sched_shape_of(const sched_target *t, const sluice_problem *p, const sched_order *o)
{
    sched_shape s = {.p = p, .order = *o, .slab = 1, .may_turn = sched_may_have_columns(t)};
    const int64_t store = (int64_t)t->unit.local_store / sched_complex_bytes(t->precision);
    int64_t block;
    const int first = block_begin(t, o, &block), lead = o->lead;

    s.blocks = !sched_has_groups(t) && sched_problem_axes(p) >= 2 && first < o->count
               && (first > lead || sched_order_points(o, 0, lead) >= t->parts);
    s.first = s.blocks ? first : 0;
    s.inner = first;
    const int before = first > lead ? o->piece[first - 1].axis : -1;
    s.view = s.blocks && before >= 0 ? slab_view(p, o, &o->piece[first - 1]) : 0;
    if (s.view && sched_order_points(o, 0, o->count) / s.view * t->batch_scale > store)
        s.slab =
            slab_radix(t, &s, sched_axis_kind(p, before), o->piece[first - 1].n, block / s.view);
    return s;
}

bool sched_has_slabs(const sched_shape *s, int i)
{
    return s->blocks && s->slab > 1 && i == s->first - 1;
}

/* Rows of axis i of several: a batch has its images one by one, an image that exceeds the local
 * store its blocks. */
static int64_t rows_of(const sched_shape *s, int i)
{
    const sched_order *o = &s->order;
    const int64_t in_block = i > s->inner ? sched_order_points(o, s->inner, i) : 1;

    if (sched_problem_axes(s->p) < 2)
        return 0;
    return in_block > 1 ? in_block : sched_order_points(o, o->lead < i ? o->lead : i, i);
}

/* The rows of the last axis as columns. */
static void place_rows(const sched_shape *s, int i, sched_place *at)
{
    const sched_order *o = &s->order;
    const bool one = sched_problem_axes(s->p) == 1 && o->count == 2;

    at->as_columns = s->may_turn && at->columns == 1 && at->batch > 1
                     && sched_is_real_matrix(at->kind) && at->type == SPL_TYPE_REAL;
    for (int side = 0; side < 2; side++)
        at->interleaved[side] =
            at->as_columns && one && sched_piece_stride(s->p, &o->piece[i - 1], side) == 1;
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
                      .pair = i + 1 == o->count ? o->pair : BACKEND_STAGE,
                      .turned = sched_order_turns(o, i),
                      .strided = o->strided};

    at.rows_out = at.kind > SPL_IDFT && at.batch == 1 && i + 2 == o->count
                  && at.columns > SCHED_MAX_UNTWIDDLED && !sched_runs_last_first(s->p)
                  && o->piece[i + 1].axis >= 0;
    place_rows(s, i, &at);
    if (sched_has_slabs(s, i)) {
        at.kind = at.kind <= SPL_IDFT ? at.kind : SPL_DFT;
        at.type = SPL_TYPE_COMPLEX;
        at.n /= s->slab;
        at.columns = at.columns / s->view * s->slab;
        at.rows_in = true;
    }
    return at;
}
