// SPDX-License-Identifier: BSD-3-Clause
/* From a problem to a complete formula.
 *
 * n-D      row-column; trailing axes that fit a local store together are a block, done as a whole,
 *          and the axis before it gives its first radix to slabs of blocks (rule slab).
 * batch    I_b (x) A, distributed to the parts.
 * latency  every stage distributed to the parts, from a size on that gains by it.
 * Each axis is a place of its own: sched_find finds its candidates. */
#include "sched/planner/formula.h"

#include "sched/planner/find.h"
#include "sched/planner/streams.h"
#include "sched/problem/problem.h"
#include "spl/codelet/codelet.h"
#include "spl/formula/place.h"
#include "spl/rules/rewrite.h"

/* Points from which a second worker gains more than barriers cost and lines that the other core has
 * modified; in place these are all lines (2^17 points took 1.1 times as long). */
static int64_t parallel_points(const sched_target *t)
{
    return t->in_place ? 262144 : 32768;
}

void sched_target_init(sched_target *t, spl_ctx *ctx, const sluice_machine *m,
                       sluice_precision precision)
{
    const int lanes = precision == SLUICE_F32 ? m->unit0.lanes_f32 : m->unit0.lanes_f64;
    const size_t largest = (size_t)spl_max_size; /* that a tag can hold */

    *t = (sched_target){.ctx = ctx,
                        .table = m->table,
                        .backend = m->backend,
                        .precision = precision,
                        .unit = m->unit0,
                        .parts = m->units,
                        .lanes = lanes > 1 ? lanes : 1,
                        .use_as_single = BACKEND_SINGLE,
                        .batch_scale = 1,
                        .rules = spl_rules};
    if (t->unit.local_store > largest)
        t->unit.local_store = largest;
}

/* ---- the shape of a problem ---- */

/* Axes first .. rank-1 are a block; the axis before it has slabs of radix `slab` (1: none). Without
 * a block first is 0. */
typedef struct shape {
    const sluice_problem *p;
    int rank, first;
    int64_t batch, points; /* points of one transform */
    int64_t slab;
    bool blocks;
} shape;

/* Points of a block of either side, at most `points`. */
static int64_t block_points(const sluice_problem *p, int64_t points)
{
    for (int side = 0; side < 2; side++) {
        const sluice_cyclic c = sched_problem_cyclic(p, side);
        if (c.parts > 1 && (int64_t)c.block < points)
            points = (int64_t)c.block;
    }
    return points;
}

/* Points of the last axes over which either side has one stride. */
static int64_t uniform_points(const sluice_problem *p)
{
    int64_t points = 1;
    ptrdiff_t in = 0, out = 0; /* strides that continue those of the axes so far */

    for (int d = p->batch_rank + p->rank - 1; d >= p->batch_rank; d--) {
        const sluice_dim dim = sched_problem_dim(p, d);
        if (dim.n == 1)
            continue;
        if (points > 1 && (dim.in_stride != in || dim.out_stride != out))
            break;
        points *= (int64_t)sched_axis_columns(p, d - p->batch_rank);
        in = (ptrdiff_t)sched_problem_extent(p, d, 0) * dim.in_stride;
        out = (ptrdiff_t)sched_problem_extent(p, d, 1) * dim.out_stride;
    }
    return block_points(p, points);
}

/* The first of the trailing axes that fit a local store together, and their *points; rank: none. */
static int block_begin(const sched_target *t, const sluice_problem *p, int64_t *points)
{
    const int64_t capacity = (int64_t)t->unit.local_store / (2 * sched_complex_bytes(t->precision));
    int first = p->rank;

    *points = 1;
    while (first > 0 && *points * (int64_t)sched_axis_columns(p, first - 1) <= capacity)
        *points *= (int64_t)sched_axis_columns(p, --first);
    return *points == 1 ? p->rank : first;
}

/* The first radix of an axis of n points over blocks of `points` points, so that r blocks fit the
 * local store and its stage needs no pass through memory of its own; 1: none. In place a slab needs
 * a buffer for all points, which blocks and an axis of two stages do not. */
static int64_t slab_radix(const sched_target *t, int64_t n, int64_t points)
{
    if (t->in_place && n <= SCHED_MAX_RADIX * SCHED_MAX_RADIX)
        return 1;
    const int64_t capacity = (int64_t)t->unit.local_store / (2 * sched_complex_bytes(t->precision));
    const sched_radix_model model = sched_model(t, points, 1);

    for (int64_t r = 8; r > 1; r--)
        if (n % r == 0 && n / r > 1 && r * points <= capacity
            && sched_kernel_cycles(&model, SPL_DFT, r, false) > 0)
            return r;
    return 1;
}

static shape shape_of(const sched_target *t, const sluice_problem *p)
{
    shape s = {
        .p = p, .rank = p->rank, .batch = (int64_t)sched_problem_batch(p), .points = 1, .slab = 1};
    const int64_t store = (int64_t)t->unit.local_store / sched_complex_bytes(t->precision);
    int longer = 0; /* axes of more than one point */
    int64_t block;
    const int first = block_begin(t, p, &block);

    for (int d = 0; d < p->rank; d++) {
        longer += p->dim[d].n > 1;
        s.points *= (int64_t)sched_axis_columns(p, d);
    }
    s.blocks = longer >= 2 && block > 1 && (first > 0 || s.batch >= t->parts);
    s.first = s.blocks ? first : 0;
    if (s.first > 0 && sched_axis_order(p, 0) == p->rank - 1
        && s.batch * s.points * t->batch_scale > store)
        s.slab = slab_radix(t, (int64_t)p->dim[first - 1].n, block);
    return s;
}

/* Axis d in its place, without the first radix if slabs have that. */
static sched_place place_of(const shape *s, int d)
{
    const int64_t slab = d == s->first - 1 ? s->slab : 1;
    sched_place at = {.kind = sched_axis_kind(s->p, d), .columns = slab, .batch = s->batch};

    at.n = (int64_t)s->p->dim[d].n / slab;
    for (int e = 0; e < s->rank; e++)
        *(e < d ? &at.batch : &at.columns) *= e == d ? 1 : (int64_t)sched_axis_columns(s->p, e);
    return at;
}

/* ---- candidates ---- */

/* Combines the lists of the axes after d with the candidates of d. */
static void combine_axis(sched_target *t, const sched_place *at, int d, const sched_list *axis,
                         sched_list *all)
{
    const sched_list before = *all;

    all->count = 0;
    for (int i = 0; i < before.count; i++)
        for (int k = 0; k < axis->count; k++) {
            sched_tree x = *before.tree[i];
            x.cycles += (double)at->batch * axis->tree[k]->cycles;
            x.kid[d] = axis->tree[k];
            if (sched_list_refuses(all, x.cycles))
                break;
            sched_list_insert(t->ctx, all, &x);
        }
}

const sched_candidates *sched_find_formulas(sched_target *t, const sluice_problem *p)
{
    sched_candidates *c = spl_ctx_get(t->ctx, sizeof *c);
    const sched_tree none = {.rule = &spl_row_column, .nkids = p->rank};

    if (!c)
        return NULL;
    t->uniform_points = uniform_points(p);
    const shape s = shape_of(t, p);
    c->rank = p->rank;
    for (int d = 0; d < p->rank; d++)
        c->kind[d] = place_of(&s, d).kind;
    sched_list_insert(t->ctx, &c->all, &none);
    for (int d = p->rank - 1; d >= 0; d--) {
        const sched_place at = place_of(&s, d);
        if (p->dim[d].n == 1 && !sched_axis_halves(p, d))
            continue;
        sched_find(t, &at, &c->axis[d]);
        combine_axis(t, &at, d, &c->axis[d], &c->all);
    }
    return spl_ctx_status(t->ctx, NULL) == SLUICE_OK && c->all.count > 0 ? c : NULL;
}

/* ---- formulas ---- */

/* I_batch (x) x, whole transforms for each part. Long batches have more parts than there are units:
 * a unit that is delayed claims fewer of them. */
static const spl *with_batch_spe(sched_target *t, const spl *x, int64_t batch)
{
    const int64_t parts = batch < t->parts ? batch : t->parts;

    return parts > 1 ? sched_with_spe(t, x, batch >= 16 * parts ? 4 * parts : parts, 1) : x;
}

/* I_pre (x) DFT_n (x) I_post. The factors are distributed to the parts if the loop around them is
 * too short for that. */
static const spl *expand_axis(sched_target *t, const sched_tree *tree, const sched_place *at,
                              int64_t pre, bool distribute)
{
    const bool inside = distribute && pre < t->parts
                        && (at->columns > 1 || (t->latency && at->n >= parallel_points(t)));
    const sched_tags tags = !tree->rule ? SCHED_BARE : inside ? SCHED_PARTS : SCHED_LANES;
    const spl *x = sched_expand(t, tree, at->kind, at->columns, tags);
    const spl *all = spl_kron2(t->ctx, spl_identity(t->ctx, pre), x);

    if (!tree->rule && (at->columns > 1 || at->batch * t->batch_scale > 1))
        all = sched_with_vec(t, all);
    if (!tree->rule && inside)
        return sched_with_spe(t, all, t->parts, sched_tile_columns(t));
    return distribute && !inside && pre > 1 ? with_batch_spe(t, all, pre) : all;
}

/* I_outer (x) axes first .. end-1 (x) I; I if these have one point each. */
static const spl *expand_axes(sched_target *t, const shape *s, const sched_tree *tree, int first,
                              int end, int64_t outer, bool distribute)
{
    const spl *factor[SLUICE_MAX_RANK];
    int64_t points = outer;
    int count = 0;

    for (int i = s->rank - 1; i >= 0; i--) { /* the leftmost is the last to run */
        const int d = sched_axis_order(s->p, i);
        const sched_place at = place_of(s, d);
        int64_t pre = outer;
        for (int e = first; e < d; e++)
            pre *= (int64_t)s->p->dim[e].n;
        if (d >= first && d < end && tree->kid[d])
            factor[count++] = expand_axis(t, tree->kid[d], &at, pre, distribute);
        if (d >= first)
            points *= (int64_t)sched_axis_columns(s->p, d);
    }
    return count ? spl_mul(t->ctx, count, factor) : spl_identity(t->ctx, points);
}

/* The axis before a block x, `pre` times: rule slab. */
static const spl *expand_slabs(sched_target *t, const shape *s, const sched_tree *tree,
                               const spl *x, int64_t pre)
{
    const sched_place at = place_of(s, s->first - 1);
    const spl_params params = {{s->slab}};
    const spl *both = spl_kron2(t->ctx, spl_transform_node(t->ctx, at.kind, at.n * s->slab), x);
    const spl *rule = spl_rule_apply(t->ctx, &spl_slab, both, &params);

    if (!rule)
        return NULL;
    const spl *const *kid = rule->kid, *outer = spl_identity(t->ctx, pre);
    const spl *slab = sched_with_leaves(t, kid[2]->kid[1]);
    const spl *const factors[] = {
        expand_axis(t, tree->kid[s->first - 1], &at, pre, true), spl_kron2(t->ctx, outer, kid[1]),
        with_batch_spe(t, spl_kron2(t->ctx, spl_identity(t->ctx, pre * at.n), slab), pre * at.n),
        spl_kron2(t->ctx, outer, kid[3])};
    return spl_mul(t->ctx, 4, factors);
}

/* Without streams. */
static const spl *expand_problem(sched_target *t, const sluice_problem *p, const sched_tree *tree)
{
    const shape s = shape_of(t, p);
    int64_t pre = s.batch;

    if (!s.blocks)
        return expand_axes(t, &s, tree, 0, s.rank, s.batch, true);
    const int outer = s.first - (s.slab > 1); /* axes before the block and its slabs */
    for (int d = 0; d < outer; d++)
        pre *= (int64_t)p->dim[d].n;
    const spl *x = expand_axes(t, &s, tree, s.first, s.rank, 1, false);
    x = s.slab > 1 ? expand_slabs(t, &s, tree, x, pre)
                   : with_batch_spe(t, spl_kron2(t->ctx, spl_identity(t->ctx, pre), x), pre);
    if (outer == 0)
        return x;
    const spl *axes = expand_axes(t, &s, tree, 0, outer, s.batch, true);
    const bool block_first = sched_axis_order(p, 0) == p->rank - 1;
    return spl_mul2(t->ctx, block_first ? axes : x, block_first ? x : axes);
}

const spl *sched_formula(sched_target *t, const sluice_problem *p, const sched_tree *tree)
{
    const int64_t parts = t->parts;
    const shape s = shape_of(t, p);

    t->uniform_points = uniform_points(p);
    if (t->latency && s.batch * s.points < parallel_points(t))
        t->parts = 1;
    const spl *x = expand_problem(t, p, tree);
    if (x && t->mode != BACKEND_FUSED)
        x = sched_streams(t, p, x, &t->no_stream_reason);
    t->parts = parts;
    return x;
}

/* ---- the candidate that a formula is ---- */

/* The largest number of parts that something in x is distributed to; 1: nothing is. */
static int64_t max_parts(const spl *x)
{
    int64_t max = x->op == SPL_LOOP && x->a[2] == SPL_PAR ? x->a[1] : 1;

    for (int i = 0; i < x->ntags; i++)
        if (x->tag[i].kind == SPL_TAG_SPE && x->tag[i].a[0] > max)
            max = x->tag[i].a[0];
    for (int i = 0; i < x->nkids; i++) {
        const int64_t parts = max_parts(x->kid[i]);
        max = parts > max ? parts : max;
    }
    return max;
}

static const sched_tree *match_exactly(sched_target *t, const sluice_problem *p,
                                       const sched_candidates *c, const spl *formula)
{
    for (int i = 0; i < c->all.count; i++)
        if (sched_formula(t, p, c->all.tree[i]) == formula)
            return c->all.tree[i];
    return NULL;
}

/* Long batches have four times as many parts as units. */
const sched_tree *sched_match(sched_target *t, const sluice_problem *p, const sched_candidates *c,
                              const spl *formula, bool any_parts)
{
    const int64_t units = t->parts;
    const sched_tree *found = match_exactly(t, p, c, formula);

    for (t->parts = max_parts(formula); !found && any_parts && t->parts > 0; t->parts /= 4)
        found = match_exactly(t, p, c, formula);
    t->parts = units;
    return found;
}

/* ---- formulas that were typed ---- */

/* Columns that the tags of a transform require of each of its stages: p packets of mu, or s. */
static int64_t required_columns(const spl *x)
{
    int64_t max = 0;

    for (int i = 0; x->kid[0]->op == SPL_TRANSFORM && i < x->ntags; i++) {
        const spl_tag *tag = &x->tag[i];
        int64_t columns = 0;
        if (tag->kind == SPL_TAG_SPE && tag->a[1] <= INT64_MAX / tag->a[0])
            columns = tag->a[0] * tag->a[1];
        if (tag->kind == SPL_TAG_STREAM && tag->a[0] > 1)
            columns = tag->a[0];
        max = columns > max ? columns : max;
    }
    return max;
}

/* A transform without tags, by its cheapest tree. */
static const spl *expand_cheapest(sched_target *t, const spl *x)
{
    const sched_place at = {.kind = (spl_kind)x->a[1], .n = x->a[0], .columns = 1, .batch = 1};
    sched_list list;

    if (at.n == 1 && spl_is_dft(x))
        return spl_identity(t->ctx, 1);
    sched_find(t, &at, &list);
    if (spl_ctx_status(t->ctx, NULL) != SLUICE_OK || list.count == 0)
        return NULL;
    if (t->comments)
        sched_explain_list(at.kind, &list, list.tree[0], t->comments);
    return sched_expand(t, list.tree[0], at.kind, 1, SCHED_LANES);
}

static const spl *complete_node(sched_target *t, const spl *x)
{
    const spl *kids[64];
    const int64_t columns = t->min_columns;
    const bool contiguous = t->contiguous;

    if (x->op == SPL_TRANSFORM)
        return expand_cheapest(t, x);
    if (x->op == SPL_TAG && spl_has_tag(x, SPL_TAG_LEAF))
        return spl_derive_streams(t->ctx, x, sched_complex_bytes(t->precision));
    if (x->nkids == 0 || x->op == SPL_LOOP)
        return x;
    if (x->nkids > 64)
        return spl_refuse(t->ctx, SLUICE_E_UNSUPPORTED, "a product of more than 64 factors");
    t->min_columns = x->op == SPL_TAG ? required_columns(x) : 0;
    for (int i = 0; i < x->nkids; i++) {
        /* Columns stand right of the other factors of a tensor product; permutations may stand
         * between those of a product. */
        t->contiguous = contiguous && x->op != SPL_MUL && (x->op != SPL_KRON || i == x->nkids - 1);
        kids[i] = sched_complete(t, x->kid[i]);
    }
    t->contiguous = contiguous;
    t->min_columns = columns;
    const spl *all = spl_with_kids(t->ctx, x, kids);
    return x->op == SPL_TAG ? spl_derive_streams(t->ctx, all, sched_complex_bytes(t->precision))
                            : all;
}

/* Replaces transforms without tags; tags and leaves stay. */
const spl *sched_complete(sched_target *t, const spl *x)
{
    const spl *made = x ? complete_node(t, x) : NULL;

    if (made)
        spl_place_like(t->ctx, made, x);
    else
        spl_blame(t->ctx, x);
    return made;
}
