// SPDX-License-Identifier: BSD-3-Clause
/* From a problem to a complete formula.
 *
 *   n-D      row-column. Trailing axes that fit a local store together are a block, done as a
 *            whole; the axis before it gives its first radix to slabs of blocks (rule slab).
 *   batch    I_b (x) A, distributed to the parts.
 *   latency  every stage distributed to the parts, above a size from which this pays.
 *   order    axes and batch dimensions as they lie in memory (order.c).
 *
 * Each axis is a place of its own, whose tree is chosen among candidates (candidates.c). A block is
 * computed as a whole before the next; a slab is the r blocks that one DFT_r of the axis before
 * joins. */
#include "sched/planner/formula.h"

#include "sched/planner/arrays_as_columns.h"
#include "sched/planner/edges.h"
#include "sched/planner/folds.h"
#include "sched/planner/groups.h"
#include "sched/planner/memory_order.h"
#include "sched/planner/order.h"
#include "sched/planner/rows_as_columns.h"
#include "sched/planner/rows_beside.h"
#include "sched/planner/search_figures.h"
#include "sched/planner/shape.h"
#include "sched/planner/sides_moved.h"
#include "sched/planner/sides_packed.h"
#include "sched/planner/slab_pairs.h"
#include "sched/planner/slab_rows.h"
#include "sched/planner/slab_signs.h"
#include "sched/planner/streams.h"
#include "sched/planner/transposing_stages.h"
#include "sched/problem/problem.h"
#include "spl/codelet/codelet.h"
#include "spl/rules/rewrite.h"
#include "spl/rules/scale.h"

/* Points above which a second worker gains more than barriers and lines modified by the other core
 * cost. In place all lines are of the latter kind (2^17 points took 1.1 times as long). Shorter
 * batches may still be left to one worker, by their price (backends/cpu/cpu_prepare.c). */
static int64_t parallel_points(const sched_target *t)
{
    return sched_search.parallel_points[t->in_place];
}

void sched_target_init(sched_target *t, spl_ctx *ctx, const sluice_machine *m,
                       sluice_precision precision)
{
    const int lanes = precision == SLUICE_F32 ? m->unit0.lanes_f32 : m->unit0.lanes_f64;
    const size_t largest = (size_t)spl_max_size; /* the largest size that a tag can hold */

    *t = (sched_target){.ctx = ctx,
                        .table = m->table,
                        .backend = m->backend,
                        .precision = precision,
                        .unit = m->unit0,
                        .parts = m->unit0.groups > 0 ? m->unit0.groups : m->units,
                        .lanes = lanes > 1 ? lanes : 1,
                        .vec_lanes = lanes > 1 ? lanes : 1,
                        .batch_scale = 1,
                        .rules = spl_rules,
                        .around = {.use_as_single = BACKEND_SINGLE}};
    if (m->table->discover->groups)
        m->table->discover->groups(m->backend, &t->groups);
    if (t->unit.local_store > largest)
        t->unit.local_store = largest;
}

/* Does the nearest axis in the direction of `step` have one point, or is its transform a codelet
 * whose lanes are rows? Such an axis has no addresses of its own for the rows of a fold. */
static bool is_next_to_codelet(const sched_target *t, const sched_shape *s, const sched_tree *root,
                               int i, int step)
{
    const sched_order *o = &s->order;

    for (int k = i + step; k >= 0 && k < o->count; k += step) {
        const int axis = o->piece[k].axis;
        if (axis < 0)
            continue;
        const sched_tree *tree = root->kid[axis];
        const bool rows = sched_order_points(o, k + 1, o->count) == 1;
        return s->p->dim[axis].n == 1 || (rows && tree->block_rows > 0)
               || tree->rule == &spl_columns_rows
               || (rows && !tree->rule && sched_has_lanes(t, sched_axis_kind(s->p, axis), tree->n));
    }
    return false;
}

/* Finds out whether a stage of another axis, before or after dimension i, can take the folds of its
 * transform. None can within rows, or next to a codelet (is_next_to_codelet). In place none can
 * either if the last axis is half-spectra, as rows of reals and their half-spectra share memory in
 * order. */
static void set_neighbours(sched_target *t, const sched_shape *s, const sched_tree *root, int i)
{
    const bool last_first = sched_runs_last_first(s->p);
    const bool alone = sched_shape_place(s, i).columns == 1
                       || (t->in_place && sched_axis_has_half_spectrum(s->p, s->p->rank - 1));
    const int before = last_first ? 1 : -1;

    t->around.is_first = alone || sched_order_runs_first(&s->order, i, last_first)
                         || is_next_to_codelet(t, s, root, i, before);
    t->around.is_last = alone || sched_order_runs_first(&s->order, i, !last_first)
                        || is_next_to_codelet(t, s, root, i, -before);
}

static bool is_copy_stage(const spl *x)
{
    const spl *bare = spl_untagged(x);

    return bare->op == SPL_KRON ? is_copy_stage(bare->kid[0]) : sched_is_trivial(bare);
}

/* The number of factors at the beginning or end of a product that only move elements and omit none.
 * The stages of an adjacent axis take them. 0 if none of them is a fold (all are views), or if a
 * copy stage next to them has taken the fold. */
static int folds_at(const spl *x, bool end)
{
    int count = 0;
    bool fold = false;

    for (; count < x->nkids - 1; count++) {
        const spl *factor = x->kid[end ? x->nkids - 1 - count : count];
        const bool view = spl_is_pair_view(factor);
        if (!view && (!spl_is_data_movement(factor) || factor->rows != factor->cols))
            break;
        fold = fold || !view;
    }
    fold = fold && !is_copy_stage(x->kid[end ? x->nkids - 1 - count : count]);
    return fold ? count : 0;
}

/* How dimension i of the shape is computed. */
typedef struct axis {
    sched_place at;
    const sched_tree *tree;
    int64_t pre, rows; /* the number of its transforms; those of them that are done together */
    bool moved;        /* moved from where it lies to where it is computed, or back */
    bool inside; /* its factors are distributed to the parts, since the loop around them is short */
} axis;

static axis axis_of(const sched_target *t, const sched_shape *s, const sched_tree *root, int first,
                    int i, bool distribute)
{
    const sched_order *o = &s->order;
    axis x = {.at = sched_shape_place(s, i),
              .tree = root->kid[o->piece[i].axis],
              .pre = sched_order_points(o, first, i),
              .moved = sched_order_moves(o, i, 0) || sched_order_moves(o, i, 1)};

    x.inside = distribute && !sched_fill_parts(t, x.pre)
               && (x.at.columns > 1 || (t->latency && x.at.n >= parallel_points(t)));
    x.rows = x.moved && !x.inside ? sched_order_rows(t, o, first, i, distribute)
             : !x.tree->rule      ? x.pre
                                  : 1;
    return x;
}

/* I_rows (x) DFT_n (x) I_post with its tags, between moves if it needs them. */
static const spl *expand_rows(const sched_target *t, const sched_order *o, int i, const axis *x)
{
    const sched_place *at = &x->at;
    const bool codelet = !x->tree->rule;
    const sched_tags tags = x->inside ? SCHED_PARTS : SCHED_LANES;
    const bool lanes = codelet && sched_fills_lanes(t, at);
    const spl *y = sched_expand(t, x->tree, at->kind, at->columns, codelet ? SCHED_BARE : tags);

    y = spl_kron2(t->ctx, spl_identity(t->ctx, x->rows), y);
    if (lanes)
        y = sched_with_vec(t, y);
    if (codelet && x->inside)
        y = sched_with_spe(t, y, t->parts, sched_tile_columns(t));
    return x->moved ? sched_order_with_moves(t, o, i, y, tags) : y;
}

/* I_pre (x) x, distributed to the parts if `share`; `unit` of the pre iterations are one dimension.
 * Folds that the stages of other axes take become factors of their own, because inside the loop
 * they could not merge into those stages. */
static const spl *repeat_axis(const sched_target *t, const spl *x, const axis *a, int64_t unit,
                              bool share)
{
    const int64_t pre = a->pre;
    const spl *outer = spl_identity(t->ctx, pre), *factors[3];
    const bool product = !spl_is_dft_kind(a->at.kind) && pre > 1 && x && x->op == SPL_MUL;
    const int first = product && !t->around.is_last ? folds_at(x, false) : 0;
    const int last = product && !t->around.is_first ? folds_at(x, true) : 0;
    const int end = product ? x->nkids - last : 0;
    const spl *core = product ? spl_mul(t->ctx, end - first, x->kid + first) : x;
    int count = 0;

    if (first > 0)
        factors[count++] = spl_kron2(t->ctx, outer, spl_mul(t->ctx, first, x->kid));
    factors[count++] = sched_rows_beside(t, core, pre, a->at.one_batch ? 0 : unit, share);
    if (last > 0)
        factors[count++] = spl_kron2(t->ctx, outer, spl_mul(t->ctx, last, x->kid + end));
    return spl_mul(t->ctx, count, factors);
}

/* I_pre (x) DFT_n (x) I_post for dimension i of the shape; pre counts the dimensions from `first`
 * on. */
static const spl *expand_axis(const sched_target *t, const sched_shape *s, const sched_tree *root,
                              int first, int i, bool distribute)
{
    const sched_order *o = &s->order;
    const axis x = axis_of(t, s, root, first, i, distribute);
    const bool share = distribute && !x.inside;

    sched_target own = *t;
    own.around.type = x.at.type;
    if (sched_tree_transposes(x.tree))
        return sched_transposing_expand(&own, o, x.tree, x.at.kind, first, i, distribute);
    if (distribute && !x.moved && sched_is_grouped(t, x.tree, x.at.kind))
        return sched_groups_expand(&own, x.tree, x.at.kind, x.pre, x.at.columns);
    if (x.tree->block_rows > 0)
        return sched_rows_columns_expand(&own, s, i, x.tree, x.pre, distribute);
    set_neighbours(&own, s, root, i);
    const spl *rows = expand_rows(&own, o, i, &x);
    if (!x.moved && x.rows == 1)
        return repeat_axis(&own, rows, &x, i > first ? x.at.before : 1, share);
    const spl *all = spl_kron2(t->ctx, spl_identity(t->ctx, x.pre / x.rows), rows);
    const int64_t loop = x.moved ? x.pre / x.rows : x.pre;
    return share && loop > 1 ? sched_with_batch_spe(t, all, loop) : all;
}

/* Dimensions first .. end-1 of the shape (x) I. A dimension that is not an axis contributes I. */
static const spl *expand_axes(const sched_target *t, const sched_shape *s, const sched_tree *tree,
                              int first, int end, bool distribute)
{
    const sched_order *o = &s->order;
    const spl *factor[SLUICE_MAX_RANK];
    int count = 0;

    for (int k = first; k < end; k++) { /* the leftmost factor runs last */
        const int i = sched_runs_last_first(s->p) ? k : end - 1 - (k - first);
        if (o->piece[i].axis >= 0)
            factor[count++] = expand_axis(t, s, tree, first, i, distribute);
    }
    return count ? spl_mul(t->ctx, count, factor)
                 : spl_identity(t->ctx, sched_order_points(o, first, o->count));
}

/* The pairs that follow the DFT of dimension i, an axis with slabs, `pre` times. */
static const spl *expand_slab_pairs(const sched_target *t, const sched_shape *s, int i, int64_t pre,
                                    bool distribute)
{
    const spl_kind kind = sched_axis_kind(s->p, s->order.piece[i].axis);
    const int64_t n = s->order.piece[i].n, view = sched_slabs_of(s, i)->reals_per_number;
    const int64_t columns = sched_order_points(&s->order, i + 1, s->order.count) / view;
    const bool inside = distribute && !sched_fill_parts(t, pre);

    if (spl_is_dft_kind(kind))
        return spl_identity(t->ctx, pre * n * columns);
    const spl *pairs = sched_slab_left(t, kind, n, columns, inside ? SCHED_PARTS : SCHED_LANES);
    const spl *all = spl_kron2(t->ctx, spl_identity(t->ctx, pre), pairs);
    all = inside || !distribute ? all : sched_with_batch_spe(t, all, pre);
    return view == 1
               ? all
               : spl_mul2(t->ctx, spl_retyped(t->ctx, SPL_RETYPE_UNVIEW, pre * n * columns), all);
}

/* (DFT_r (x) I_m) (I_r (x) x) of rule slab with leaves. Blocks of reals are viewed as complex
 * numbers together: the view is part of what the DFT reads, not of what each block writes. */
static const spl *expand_slab(const sched_target *t, const spl *slab, const spl *x,
                              const sched_slabs *slabs, bool signs)
{
    const int64_t points = slabs->radix * x->rows;
    const spl *view = slabs->reals_per_number == 2
                          ? spl_retyped(t->ctx, SPL_RETYPE_VIEW, points / 2)
                          : spl_identity(t->ctx, points);
    const spl *const factors[] = {slab->kid[0], view, sched_slab_rows(t, x, slabs->radix, signs)};

    return sched_with_leaves(t, spl_mul(t->ctx, 3, factors));
}

/* Dimension i, an axis with slabs, on the left of x, `pre` times, by rule slab. */
static const spl *expand_slabs(const sched_target *t, const sched_shape *s, const sched_tree *tree,
                               int i, const spl *x, int64_t pre, bool distribute)
{
    const sched_place at = sched_shape_place(s, i);
    const spl_kind kind = sched_axis_kind(s->p, s->order.piece[i].axis);
    const sched_slabs *slabs = sched_slabs_of(s, i);
    const int64_t r = slabs->radix, n = at.n * r;
    const spl *viewed = x && slabs->reals_per_number == 2
                            ? spl_mul2(t->ctx, spl_retyped(t->ctx, SPL_RETYPE_VIEW, x->rows / 2), x)
                            : x;
    const spl *both = spl_kron2(t->ctx, spl_transform_node(t->ctx, at.kind, n), viewed);
    const spl *rule = spl_rule_apply(t->ctx, &spl_slab, both, &(spl_params){{r}});

    if (!rule)
        return NULL;
    const spl *const *kid = rule->kid, *outer = spl_identity(t->ctx, pre);
    const spl *all =
        spl_kron2(t->ctx, spl_identity(t->ctx, pre * at.n),
                  expand_slab(t, kid[2]->kid[1], x, slabs, sched_slab_has_signs(kind)));
    const spl *const factors[] = {expand_slab_pairs(t, s, i, pre, distribute),
                                  sched_slab_order(t, kind, pre, at.n, at.columns),
                                  expand_axis(t, s, tree, distribute ? 0 : i, i, distribute),
                                  sched_slab_order(t, kind, pre * at.n, r, at.columns / r),
                                  spl_kron2(t->ctx, outer, kid[1]),
                                  distribute ? sched_with_batch_spe(t, all, pre * at.n) : all,
                                  spl_kron2(t->ctx, outer, kid[3]),
                                  sched_slab_right(t, kind, n, x->cols, pre)};
    return spl_mul(t->ctx, 8, factors);
}

static const spl *expand_block(const sched_target *t, const sched_shape *s, const sched_tree *tree)
{
    const bool slabs = s->within.radix > 1;
    const spl *x = expand_axes(t, s, tree, s->first + slabs, s->order.count, false);

    return slabs ? expand_slabs(t, s, tree, s->first, x, 1, false) : x;
}

/* The formula of the axes, without streams. */
static const spl *expand_problem(const sched_target *t, const sluice_problem *p,
                                 const sched_tree *tree, const sched_order *o)
{
    const sched_shape s = sched_shape_of(t, p, o);
    const bool columns = s.rows_of_reals && tree->kid[o->piece[o->count - 1].axis]->block_rows > 0;

    if (!s.blocks || columns)
        return expand_axes(t, &s, tree, 0, o->count, true);
    /* dimensions before the blocks and their slabs */
    const int outer = s.first - (s.outer.radix > 1);
    const int64_t pre = sched_order_points(o, 0, outer);
    const bool one_batch = outer == o->lead && outer <= 1;
    const spl *block = expand_block(t, &s, tree);
    const spl *x =
        s.outer.radix > 1
            ? expand_slabs(t, &s, tree, s.first - 1, block, pre, true)
            : sched_rows_beside(t, block, pre, one_batch ? 0 : o->piece[outer - 1].n, true);
    if (outer == o->lead)
        return x;
    const spl *axes = expand_axes(t, &s, tree, 0, outer, true);
    const spl *joined =
        t->mode == BACKEND_FUSED && !sched_runs_last_first(p)
            ? sched_rows_in_slabs(t, block, axes, pre, sched_shape_slab_points(t, &s))
            : NULL;
    if (joined)
        return joined;
    return sched_runs_last_first(p) ? spl_mul2(t->ctx, axes, x) : spl_mul2(t->ctx, x, axes);
}

static const spl *expand_root(const sched_target *t, const sluice_problem *p, const sched_order *o,
                              const sched_tree *tree)
{
    return tree->block_rows > 0 ? sched_images_columns_expand(t, p, tree)
                                : expand_problem(t, p, tree, o);
}

/* `count` transforms on packed sides, between their moves. */
static const spl *expand_moved(const sched_packed *x, int64_t count, const sched_tree *tree)
{
    const sched_packed some = count < x->all ? sched_packed_block(x, count) : *x;
    const sched_order o = sched_natural_order(&some.problem);
    const sched_target t = sched_order_target(&some.target, &some.problem, &o);

    return sched_with_packed_sides(&t, &some, expand_root(&t, &some.problem, &o, tree));
}

/* The last block, of fewer transforms, uses the tree of the others. */
static const spl *expand_packed(const sched_target *t, const sched_packed *x,
                                const sched_tree *tree)
{
    const int64_t blocks = x->all / x->block, rest = x->all % x->block;
    const spl *block = expand_moved(x, x->block, tree);
    const spl *last = rest > 0 ? expand_moved(x, rest, tree) : NULL;

    if (!block || (rest > 0 && !last))
        return NULL;
    return blocks == 1 && rest == 0 ? block : sched_row_blocks(t, block, blocks, last, blocks);
}

/* The axes in an order of dimensions, between permutations and moves. */
static const spl *expand_ordered(const sched_target *t, const sluice_problem *p,
                                 const sched_order *o, const sched_tree *tree)
{
    sched_packed x;

    if (tree->packed_sides && sched_pack_sides(t, p, &x))
        return expand_packed(t, &x, tree);
    const spl *a = expand_root(t, p, o, tree);
    return tree->block_rows > 0
               ? a
               : sched_order_packed(t->ctx, o, p, sched_with_moved_sides(t, p, o, tree, a));
}

const spl *sched_formula_of(const sched_target *target, const sluice_problem *problem,
                            const sched_tree *tree, const char **no_stream)
{
    const sched_memory_order own = sched_memory_order_of(problem);
    const sluice_problem *p = &own.p;
    sched_order order[SCHED_MAX_ORDERS];

    sched_orders_of(target, p, order);
    const sched_order *o = &order[tree->params.v[0]];
    sched_target t = sched_order_target(target, p, o);
    /* a batch needs no barriers */
    const bool shared_batch = t.unit.groups > 0 && sched_problem_batch(p) > 1;
    if (t.latency && !shared_batch && sched_order_points(o, 0, o->count) < parallel_points(&t))
        t.parts = 1;
    const spl *x = expand_ordered(&t, p, o, tree);
    const unsigned inside = sched_edges_inside(tree);
    if (t.mode == BACKEND_FUSED)
        x = sched_with_edges(t.ctx, p, inside, x);
    x = sched_memory_order_packed(t.ctx, &own, problem, x);
    if (x && t.mode != BACKEND_FUSED) /* edges of whole streams */
        x = sched_with_edges(t.ctx, problem, sched_memory_order_axes(&own, inside),
                             sched_streams(&t, problem, x, no_stream));
    return spl_scaled(t.ctx, x, sched_problem_constant(problem));
}
