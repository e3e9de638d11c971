// SPDX-License-Identifier: BSD-3-Clause
/* Expands a tree by applying its rule and, to the transforms on the right-hand side, the rules of
 * its kids. The factors of DFT_n (x) I_l are those of DFT_n, each on l adjacent columns. A factor
 * I_a (x) A (x) I_b is distributed to the parts by its rows, or by its columns if a = 1. A tree in
 * tiles is a single factor for the machine: tag tile means that all of it is computed on one tile
 * of columns before the next. */
#include "sched/planner/expand.h"

#include "sched/planner/bluestein.h"
#include "sched/planner/columns_as_rows.h"
#include "sched/planner/folds.h"
#include "sched/planner/groups.h"
#include "sched/planner/rows_transposed.h"
#include "sched/planner/slab_signs.h"
#include "spl/rules/rewrite.h"

/* ---- tags ---- */

const spl *sched_with_vec(const sched_target *t, const spl *x)
{
    const spl_tag vec = {.kind = SPL_TAG_VEC, .a = {t->vec_lanes, t->format}};

    return t->vec_lanes > 1 ? spl_tagged(t->ctx, x, 1, &vec) : x;
}

/* n of A (x) I_n. */
static int64_t columns_of(const spl *x)
{
    int64_t n = 1;

    x = spl_untagged(x);
    for (int i = x->nkids; x->op == SPL_KRON && i > 0 && x->kid[i - 1]->op == SPL_I; i--)
        n *= x->kid[i - 1]->rows;
    return n;
}

/* Packets have mu columns, or all if there are fewer. */
const spl *sched_with_spe(const sched_target *t, const spl *x, int64_t parts, int64_t mu)
{
    const int64_t columns = x ? columns_of(x) : 1;
    const bool few = columns > 1 && columns < mu;
    const spl_tag spe = {.kind = SPL_TAG_SPE, .a = {parts, few ? columns : mu}};

    return t->parts > 1 ? spl_tagged(t->ctx, x, 1, &spe) : x;
}

bool sched_fill_parts(const sched_target *t, int64_t rows)
{
    enum { ROWS_OF_UNIT = 4 };

    return rows >= t->parts
           || (t->unit.groups > 0 && rows >= (int64_t)ROWS_OF_UNIT * t->unit.compute_units);
}

const spl *sched_with_batch_spe(const sched_target *t, const spl *x, int64_t batch)
{
    const int64_t parts = batch < t->parts ? batch : t->parts;
    const bool more = t->unit.groups == 0 && batch >= 4 * SCHED_UNIT_PARTS * parts;

    /* rows that form one block belong to one part */
    return parts > 1 && x && spl_view_of(x).a > 1
               ? sched_with_spe(t, x, more ? SCHED_UNIT_PARTS * parts : parts, 1)
               : x;
}

/* The number of parts that rows are distributed to. */
static int64_t parts_of_rows(const sched_target *t, int64_t rows)
{
    return rows < t->parts && sched_fill_parts(t, rows) ? rows : t->parts;
}

const spl *sched_with_columns(const sched_target *t, const spl *x, int64_t tile, sched_tags tags)
{
    const spl_tag tiled = {.kind = SPL_TAG_TILE, .a = {tile, 0}};

    if (tags >= SCHED_LANES)
        x = sched_with_vec(t, x);
    if (tile && !t->around.inside_vec)
        x = spl_tagged(t->ctx, x, 1, &tiled);
    return tags == SCHED_PARTS ? sched_with_spe(t, x, t->parts, tile ? tile : sched_tile_columns(t))
                               : x;
}

static const spl *leaf_kid(spl_ctx *ctx, const spl *x, const void *target)
{
    (void)ctx;
    return sched_with_leaves(target, x);
}

bool sched_is_trivial(const spl *x)
{
    return spl_is_dft(x) && spl_transform_size(x) == 1;
}

bool sched_has(const spl *x, bool (*is)(const spl *))
{
    bool has = is(x);

    for (int i = 0; i < x->nkids && !has; i++)
        has = sched_has(x->kid[i], is);
    return has;
}

static bool is_transform(const spl *x)
{
    return x->op == SPL_TRANSFORM && !sched_is_trivial(x);
}

bool sched_is_sum(const spl *x)
{
    return x->op == SPL_PLUS && sched_has(x, is_transform);
}

bool sched_is_copy(const spl *x)
{
    return x->op == SPL_KRON && x->nkids == 2 && sched_is_trivial(x->kid[0])
           && x->kid[1]->op == SPL_I;
}

const spl *sched_with_leaves(const sched_target *t, const spl *x)
{
    if (!x || spl_is_complete(x))
        return x;
    const spl_view v = spl_view_of(x);
    if (x->op == SPL_TRANSFORM
        || (x->op == SPL_KRON && v.nmid == 1 && v.mid[0]->op == SPL_TRANSFORM))
        return sched_with_vec(t, spl_mark_leaves(t->ctx, x));
    return spl_map(t->ctx, x, leaf_kid, t);
}

static const spl *shared_kid(spl_ctx *ctx, const spl *x, const void *target)
{
    (void)ctx;
    return sched_with_shares(target, x);
}

const spl *sched_with_shares(const sched_target *t, const spl *x)
{
    if (!x || t->parts == 1)
        return x;
    if (x->op == SPL_PLUS)
        return spl_map(t->ctx, x, shared_kid, t);
    if (x->op != SPL_LOOP)
        return x;
    const spl_range own = spl_range_of(x);
    const spl_range range = spl_range_shared(own.var, own.n, own.var + 1, t->parts, 1);
    return spl_parts(t->ctx, range.share_var, t->parts, spl_sum(t->ctx, &range, x->kid[0]));
}

/* ---- rules ---- */

/* The right-hand side of a tree's rule; its transforms, from the left, belong to the kids. */
typedef struct expansion {
    const sched_tree *tree;
    int next;   /* index of the next kid */
    bool folds; /* expand folds (sched_expand_fold): the transform is not a DFT */
} expansion;

static const spl *expand_factor(const sched_target *t, expansion *e, const spl *x, int64_t l,
                                sched_tags tags);

/* Roots of unity directly on the left of a transform become factors of its stages. */
static void share_roots(const sched_target *t, const spl *x, int i, int64_t l, const spl **factor)
{
    const spl *columns = spl_identity(t->ctx, l);

    if (i > 0 && x->kid[i]->op == SPL_TRANSFORM && x->kid[i - 1]->op == SPL_DIAG_OF
        && sched_are_row_factors(x->kid[i - 1], l)
        && factor[i - 1] == spl_kron2(t->ctx, x->kid[i - 1], columns)) {
        factor[i] = sched_with_roots(t, x->kid[i - 1], factor[i]);
        factor[i - 1] = spl_identity(t->ctx, x->kid[i]->rows * l);
    }
}

/* Moves signs of rows past an order of rows on their right, into the stage where they belong.
 * Without such an order the rows of the last stage take the signs. */
static void pass_signs(const sched_target *t, const spl *x, int i, int64_t l, const spl **factor,
                       bool stages)
{
    int at = i - 1;

    while (at >= 0 && factor[at] && factor[at]->op == SPL_I)
        at--;
    if (at < 0 || !factor[at] || !sched_are_row_factors(x->kid[at], l)
        || factor[at] != spl_kron2(t->ctx, x->kid[at], spl_identity(t->ctx, l)))
        return;
    const bool ordered = factor[i]->op == SPL_MUL && factor[i]->kid[0]->op == SPL_GATH;
    const spl *passed = ordered  ? sched_signs_past_order(t, x->kid[at], factor[i], l)
                        : stages ? sched_with_signs(t, x->kid[at], factor[i])
                                 : NULL;
    if (!passed)
        return;
    factor[at] = spl_identity(t->ctx, factor[i]->rows);
    factor[i] = passed;
}

static const spl *expand_product(const sched_target *t, expansion *e, const spl *x, int64_t l,
                                 sched_tags tags)
{
    const spl **factor = spl_ctx_get(t->ctx, (size_t)x->nkids * sizeof *factor);
    sched_target own = *t;

    own.around.type = x->to != SPL_TYPE_ANY ? x->to : t->around.type;
    for (int i = 0; factor && i < x->nkids; i++) {
        const bool roots = e->next < e->tree->nkids && sched_takes_roots(e->tree->kid[e->next]);
        own.around.is_first = t->around.is_first && !sched_has_stage(x, i + 1, x->nkids);
        own.around.is_last = t->around.is_last && !sched_has_stage(x, 0, i);
        factor[i] = e->folds && sched_is_fold(x, i) ? sched_expand_fold(&own, x, i, l, tags, roots)
                    : roots && sched_is_spare_copy(x, i, l)
                        ? spl_identity(t->ctx, x->kid[i]->rows * l)
                        : expand_factor(&own, e, x->kid[i], l, tags);
        share_roots(t, x, i, l, factor);
        if (factor[i] && x->kid[i]->op == SPL_TRANSFORM)
            pass_signs(t, x, i, l, factor, roots && !sched_has_groups(t));
        own.around.type = sched_type_before(x->kid[i], own.around.type);
    }
    return factor ? spl_mul(t->ctx, x->nkids, factor) : NULL;
}

/* I_a (x) A (x) I_l, where A is not a product of transforms. */
static const spl *expand_rows(const sched_target *t, expansion *e, const spl_view *v, int64_t l,
                              sched_tags tags)
{
    const spl *x = v->nmid ? v->mid[0] : v->base;
    spl_ctx *ctx = t->ctx;

    if (x->op != SPL_TRANSFORM || sched_is_trivial(x))
        return spl_kron2(ctx, spl_identity(ctx, v->a), expand_factor(t, e, x, l, tags));
    if (e->next == e->tree->nkids)
        return spl_refuse(ctx, SLUICE_E_INVALID, "rule %s: more transforms than kids",
                          e->tree->rule->name);
    const sched_tree *kid = e->tree->kid[e->next++];
    /* All rows that may share calls use vectors, even those that do not, so that all have the same
     * bits. */
    const bool moved = e->tree->moved_rows && !spl_is_dft_kind(spl_transform_kind(x));
    const bool vectors = (v->a > 1 || moved) && !kid->rule && l == 1 && tags > SCHED_BARE;
    const spl *rows = sched_expand(t, kid, spl_transform_kind(x), l, vectors ? SCHED_BARE : tags);
    const spl *all = spl_kron2(ctx, spl_identity(ctx, v->a), rows);
    return vectors ? sched_with_vec(t, all) : all;
}

/* Loops that move elements. */
static const spl *expand_sum(const sched_target *t, const spl *x, sched_tags tags)
{
    const spl *all = sched_with_leaves(t, x);

    return tags == SCHED_PARTS ? sched_with_shares(t, all) : all;
}

/* A move as a move of rows of l elements, without a loop over columns; other factors (x) I_l. */
static const spl *with_moved_rows(spl_ctx *ctx, const spl *x, const void *columns)
{
    const int64_t *const l = columns;

    if (!x)
        return NULL;
    if (x->op == SPL_GATH)
        return spl_gather(ctx, ix_tensor(ctx, x->f, ix_id(ctx, *l)), spl_move_class(x));
    if (x->op == SPL_SCAT)
        return spl_scatter(ctx, ix_tensor(ctx, x->f, ix_id(ctx, *l)), spl_move_class(x));
    return x->op == SPL_MUL || x->op == SPL_PLUS || x->op == SPL_LOOP
               ? spl_map(ctx, x, with_moved_rows, columns)
               : spl_kron2(ctx, x, spl_identity(ctx, *l));
}

/* The terms of a sum. No stage outside the sum takes their folds. */
static const spl *expand_terms(const sched_target *t, expansion *e, const spl *x, int64_t l,
                               sched_tags tags)
{
    const spl **term = spl_ctx_get(t->ctx, (size_t)x->nkids * sizeof *term);
    sched_target own = *t;

    own.around.is_first = own.around.is_last = true;
    for (int i = 0; term && i < x->nkids; i++)
        term[i] = expand_factor(&own, e, x->kid[i], l, tags);
    return term ? spl_plus(t->ctx, x->nkids, term) : NULL;
}

/* x (x) I_l. */
static const spl *expand_factor(const sched_target *t, expansion *e, const spl *x, int64_t l,
                                sched_tags tags)
{
    spl_ctx *ctx = t->ctx;

    if (x && x->op == SPL_PAIRS)
        return sched_with_columns(t, spl_kron2(ctx, x, spl_identity(ctx, l)), 0, tags);
    if (x && sched_is_trivial(x))
        return spl_identity(ctx, l);
    if (x && x->op == SPL_DIAGONAL
        && spl_diagonal_values(x) == SPL_HALF) /* of the input, which no stage precedes */
        return spl_mul2(ctx, spl_kron2(ctx, x, spl_identity(ctx, l)),
                        sched_copy_stage(t, x->rows * l, tags));
    if (x && sched_is_copy(x))
        return sched_copy_stage(t, x->rows * l, tags);
    if (x && sched_is_sum(x))
        return expand_terms(t, e, x, l, tags);
    if (x && x->op == SPL_PLUS)
        return with_moved_rows(ctx, expand_sum(t, x, tags), &l);
    if (!x || spl_is_complete(x))
        return spl_kron2(ctx, x, spl_identity(ctx, l));
    if (x->op == SPL_TAG)
        return spl_tagged(ctx, expand_factor(t, e, x->kid[0], l, SCHED_LANES), x->ntags, x->tag);
    if (x->op == SPL_MUL)
        return expand_product(t, e, x, l, tags);
    const spl_view v = spl_view_of(x);
    if (v.nmid > 1)
        return expand_factor(t, e, spl_rule_apply(ctx, &spl_row_column, x, NULL), l, tags);
    const bool distribute = tags == SCHED_PARTS && v.a > 1;
    const spl *all = expand_rows(t, e, &v, v.b * l, distribute ? SCHED_LANES : tags);
    return distribute ? sched_with_spe(t, all, parts_of_rows(t, v.a), 1) : all;
}

/* Rule dft-tiles with a single tile. Many tiles are I_t (x) (five factors), and expand_factor gives
 * them one tag spe. For one tile I_1 disappears and the five factors stand in the product, so they
 * are tagged together here. */
static const spl *with_single_tile(const sched_target *t, const spl *x)
{
    enum { FACTORS = 5 };
    const int first = x->nkids - FACTORS;
    const int64_t parts = parts_of_rows(t, spl_view_of(x->kid[first]).a);
    /* nonzero if the tile's rows have fewer parts than its columns */
    const int apart = parts < t->parts;
    const spl *tile =
        sched_with_spe(t, spl_mul(t->ctx, FACTORS - apart, x->kid + first + apart), t->parts, 1);
    const spl *rows = apart ? sched_with_spe(t, x->kid[first], parts, 1)
                            : spl_identity(t->ctx, x->kid[first]->rows);
    const spl *const factors[] = {spl_mul(t->ctx, first, x->kid), rows, tile};

    return spl_mul(t->ctx, 3, factors);
}

/* V^-1 x. Gathers on the left of x stay on the left: they merge into the stage that runs next. */
static const spl *without_view(const sched_target *t, const spl *x)
{
    const spl *first = x && x->op == SPL_MUL ? x->kid[0] : x;

    if (!x || first->op != SPL_GATH)
        return x ? spl_mul2(t->ctx, spl_retyped(t->ctx, SPL_RETYPE_UNVIEW, x->rows), x) : NULL;
    const ix *pairs = ix_tensor(t->ctx, first->f, ix_id(t->ctx, 2));
    const spl *rest = without_view(t, spl_mul(t->ctx, x->nkids - 1, x->kid + 1));

    return spl_mul2(t->ctx, spl_gather(t->ctx, pairs, SPL_PLAIN), rest);
}

/* Rule view-columns, A (x) I_l = V^-1 (A (x) I_l/2) V, by a tree for columns of complex numbers;
 * rule odd-columns if l is odd. */
static const spl *expand_view(const sched_target *t, const sched_tree *tree, spl_kind kind,
                              int64_t l, sched_tags tags)
{
    const int64_t n = tree->n, pairs = (l + 1) / 2;
    sched_target own = *t;

    own.around.is_first = t->around.is_first || l % 2 == 1;
    own.around.is_last = t->around.is_last || l % 2 == 1;
    const spl *x = without_view(t, sched_expand(&own, tree->kid[0], kind, pairs, tags));

    if (x && l % 2 == 1)
        return spl_between_odd_rows(t->ctx, x, n, n, l);
    return x ? spl_mul2(t->ctx, x, spl_retyped(t->ctx, SPL_RETYPE_VIEW, n * pairs)) : NULL;
}

bool sched_is_dft_stage(const spl *x)
{
    const spl_view v = spl_view_of(x);

    return v.nmid == 1 && spl_is_dft(v.mid[0]);
}

/* Rule dft-in-place on l columns. Rows are distributed to the parts if there are any, else
 * columns. */
static const spl *expand_in_place(const sched_target *t, const spl *x, int64_t l, sched_tags tags)
{
    const spl **factor = spl_ctx_get(t->ctx, (size_t)x->nkids * sizeof *factor);

    for (int i = 0; factor && i < x->nkids; i++) {
        const spl *kid = x->kid[i];
        const spl_view v = spl_view_of(kid);
        const bool rows = tags == SCHED_PARTS && v.a > 1;
        if (!sched_is_dft_stage(kid)) {
            factor[i] = with_moved_rows(t->ctx, kid, &l);
            continue;
        }
        const spl *const stage[] = {spl_identity(t->ctx, v.a), spl_mark_leaves(t->ctx, v.mid[0]),
                                    spl_identity(t->ctx, v.b * l)};
        factor[i] = sched_with_columns(t, spl_kron(t->ctx, 3, stage), 0, rows ? SCHED_LANES : tags);
        if (rows)
            factor[i] = sched_with_spe(t, factor[i], t->parts, 1);
    }
    return factor ? spl_mul(t->ctx, x->nkids, factor) : NULL;
}

const spl *sched_expand_rule(const sched_target *t, const sched_tree *tree, spl_kind kind,
                             int64_t l, sched_tags tags)
{
    const spl *x = spl_transform_node(t->ctx, kind, tree->n), *columns = spl_identity(t->ctx, l);
    expansion e = {.tree = tree, .folds = !spl_is_dft_kind(kind)};
    sched_ends ends;

    if (tree->rule == &spl_view_columns)
        return expand_view(t, tree, kind, l, tags);
    if (tree->rule == &spl_columns_rows)
        return sched_columns_rows_expand(t, tree, kind, l, tags);
    x = spl_rule_apply(t->ctx, tree->rule, x, &tree->params);
    if (x && tree->rule == &spl_dft_in_place)
        return expand_in_place(t, x, l, tags);
    if (x && tree->moved_ends)
        x = sched_ends_of(t->ctx, x, &ends) ? ends.core : NULL;
    if (x && (tree->rule == &spl_dft_bluestein || tree->rule == &spl_dft_rader))
        return sched_expand_convolution(t, tree, x, l, tags);
    if (x && tree->rule == &spl_dft_tiles && tags == SCHED_PARTS
        && tree->n == tree->params.v[0] * tree->params.v[2])
        x = with_single_tile(t, x);
    if (!x || tree->tile == 0)
        return x ? expand_factor(t, &e, x, l, tags) : NULL;
    x = spl_kron2(t->ctx, expand_factor(t, &e, x, 1, SCHED_BARE), columns);
    return sched_with_columns(t, x, tree->tile, tags);
}

const spl *sched_expand(const sched_target *t, const sched_tree *tree, spl_kind kind, int64_t l,
                        sched_tags tags)
{
    sched_tree bare = *tree;

    if (sched_is_grouped(t, tree, kind)) {
        if (tags == SCHED_PARTS)
            return sched_groups_expand(t, tree, kind, 1, l);
        bare.tile = 0;
        tree = &bare;
    }
    if (tree->rule)
        return sched_expand_rule(t, tree, kind, l, tags);
    const spl *x = spl_mark_leaves(t->ctx, spl_transform_node(t->ctx, kind, tree->n));
    x = spl_kron2(t->ctx, x, spl_identity(t->ctx, l));
    return l > 1 ? sched_with_columns(t, x, 0, tags) : x;
}
