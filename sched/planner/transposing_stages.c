// SPDX-License-Identifier: BSD-3-Clause
/* Transforms between a side that has columns and one that has rows. Two stages compute w transforms
 * of n = r m points at a time, and one of them transposes vectors of the batch: from columns to
 * rows the first one (rule transposing-first, position A), from rows to columns the last one (rule
 * transposing-last, position R). The other works on rows, whose other points are its columns; in
 * the first case it may itself be two stages, by rule dft-stockham. */
#include "sched/planner/transposing_stages.h"

#include "sched/planner/rows_beside.h"
#include "sched/planner/stage_price.h"
#include "spl/rules/rewrite.h"

/* Transforms in a block that does not divide the batch: those that fill this share of a local
 * store, or BLOCK_ROWS if that is more, since its rows begin inside cache lines. */
enum { BLOCK_SHARE = 4, BLOCK_ROWS = 24 };

/* ---- candidates ---- */

/* The transform on rows: k points by one codelet, or by two of which the first has radix q. */
static const sched_tree *rows_tree(const sched_target *t, int64_t k, int64_t q)
{
    const sched_tree leaf = {.n = k}, first = {.n = q}, last = {.n = k / q};
    sched_tree both = {.rule = &spl_dft_stockham, .params = {{q}}, .n = k, .nkids = 2};

    if (q == 1)
        return sched_tree_new(t->ctx, leaf);
    both.kid[0] = sched_tree_new(t->ctx, last);
    both.kid[1] = sched_tree_new(t->ctx, first);
    return both.kid[0] && both.kid[1] ? sched_tree_new(t->ctx, both) : NULL;
}

/* The tree for n points; the stage that transposes has radix `turns`. */
static const sched_tree *tree_of(const sched_target *t, const sched_place *at, int64_t turns,
                                 int64_t q, double cycles)
{
    const bool out = at->transposing_stages == BACKEND_ROWS_OUT;
    const sched_tree turning = {.n = turns};
    sched_tree made = {.rule = out ? &spl_transposing_first : &spl_transposing_last,
                       .params = {{out ? turns : at->n / turns}},
                       .n = at->n,
                       .cycles = cycles,
                       .nkids = 2};

    made.kid[!out] = rows_tree(t, at->n / turns, q);
    made.kid[out] = sched_tree_new(t->ctx, turning);
    return made.kid[0] && made.kid[1] ? sched_tree_new(t->ctx, made) : NULL;
}

/* Transforms, in whole vectors, that fit a share of a local store. Never leaves a single one of
 * `all` over: its stages would be other codelets, with other bits. */
static int64_t in_store(const sched_target *t, int64_t n, int64_t all)
{
    const int64_t bytes = n * sched_complex_bytes(t->precision);
    const int64_t some = (int64_t)t->unit.local_store / (BLOCK_SHARE * bytes);
    int64_t w = (some < BLOCK_ROWS ? BLOCK_ROWS : some) / t->lanes * t->lanes;

    while (w < all && all % w == 1)
        w += t->lanes;
    return w < all ? w : all;
}

/* The number of `all` transforms of n points that go through the stages together: at least `least`,
 * in whole vectors, a divisor of `all`; else all. If L2 cannot hold that many, as many as a share
 * of a local store holds; the remaining ones are a narrower block. */
static int64_t together(const sched_target *t, int64_t n, int64_t all, int64_t least)
{
    const int64_t bytes = n * sched_complex_bytes(t->precision);
    int64_t w = least < all ? least : all;

    for (; w < all && (all % w != 0 || w % t->lanes != 0); w++)
        ;
    const int64_t some = in_store(t, n, all);
    return w > 2 * least && 2 * w * bytes > sched_l2_bytes(t) && some < w ? some : w;
}

/* May there be three stages? Only from columns to rows, if L2 holds the transforms of a block. */
static bool may_have_three(const sched_target *t, const sched_place *at, const sched_prices *s)
{
    const int64_t w = together(t, at->n, at->before, SCHED_MOVED_ROWS);

    return at->transposing_stages == BACKEND_ROWS_OUT
           && 2 * s->point_bytes * (double)(w * at->n) <= (double)s->model->l2;
}

/* Tries all first radices r; `turns` is the radix of the stage that transposes. */
void sched_transposing_find(const sched_target *t, const sched_place *at, sched_list *out)
{
    const sched_radix_model model = sched_model(t, 1, at->batch);
    const sched_prices prices = sched_prices_of(&model, at->n);
    const bool may = may_have_three(t, at, &prices);
    double least = sched_infeasible;
    int64_t best = 0, q = 1;

    for (int64_t r = 2; r <= SCHED_MAX_RADIX; r++) {
        if (at->n % r != 0)
            continue;
        const int64_t rest = at->n / r,
                      turns = at->transposing_stages == BACKEND_ROWS_OUT ? r : rest;
        const int64_t most = may && r % t->lanes == 0 ? SCHED_MAX_RADIX : 1;
        for (int64_t k = 1; k <= most && k < rest; k++) {
            const double cycles =
                rest % k == 0
                    ? sched_transposing_stages_cycles(&prices, turns, k, at->transposing_stages)
                    : sched_infeasible;
            best = cycles < least ? turns : best;
            q = cycles < least ? k : q;
            least = cycles < least ? cycles : least;
        }
    }
    if (best > 0)
        sched_list_insert(t->ctx, out, tree_of(t, at, best, q, least));
}

/* ---- formulas ---- */

/* Transforms along piece i, of the pieces from `first` on, that go through the stages together.
 * Blocks may leave some over only if they are enough for the parts and no other dimension is a loop
 * around them. */
static int64_t rows_of_block(const sched_target *t, const sched_order *o, int first, int i,
                             bool distribute)
{
    const int64_t all = o->piece[i - 1].n, share = distribute ? all / t->parts : all;
    const int64_t least = share < SCHED_MOVED_ROWS ? share : SCHED_MOVED_ROWS;
    const int64_t some = sched_order_rows(t, o, first, i, distribute);
    const int64_t w = together(t, o->piece[i].n, all, some < least ? least : some);
    const bool alone = sched_order_points(o, first, i) == all;

    return all % w == 0 || (alone && (!distribute || sched_fill_parts(t, all / w))) ? w : all;
}

/* A block of w transforms, for building its formula; shared: each stage is distributed to the
 * parts. */
typedef struct block {
    const sched_target *t;
    int64_t w;
    bool shared;
} block;

/* I_a (x) DFT_n (x) I_l, in vectors of columns. */
static const spl *columns_stage(const block *b, const spl *x)
{
    return sched_with_columns(b->t, spl_mark_leaves(b->t->ctx, x), 0,
                              b->shared ? SCHED_PARTS : SCHED_LANES);
}

/* I_w (x) DFT_n (x) I_l, in vectors of the columns of a row. */
static const spl *row_stage(const block *b, const spl *dft, int64_t l)
{
    spl_ctx *ctx = b->t->ctx;
    const spl *row = spl_kron2(ctx, spl_mark_leaves(ctx, dft), spl_identity(ctx, l));
    const spl *all = spl_kron2(ctx, spl_identity(ctx, b->w), sched_with_vec(b->t, row));

    return b->shared ? sched_with_spe(b->t, all, b->t->parts, 1) : all;
}

/* The same by a tree: one stage, or two by its rule. */
static const spl *rows_stages(const block *b, const sched_tree *tree, const spl *dft, int64_t l)
{
    spl_ctx *ctx = b->t->ctx;

    if (!tree->rule)
        return row_stage(b, dft, l);
    const spl *x = spl_rule_apply(ctx, tree->rule, dft, &tree->params);
    const spl **factor = x ? spl_ctx_get(ctx, (size_t)x->nkids * sizeof *factor) : NULL;
    if (!factor)
        return NULL;
    for (int i = 0; i < x->nkids; i++) {
        const spl_view v = spl_view_of(x->kid[i]);
        factor[i] = sched_is_dft_stage(x->kid[i])
                        ? row_stage(b, v.mid[0], v.b * l)
                        : spl_kron2(ctx, spl_identity(ctx, b->w),
                                    spl_kron2(ctx, x->kid[i], spl_identity(ctx, l)));
    }
    return spl_mul(ctx, x->nkids, factor);
}

/* The right-hand side of the tree's rule for a block of two transforms or more. One kid of the tree
 * is on rows; the other is the stage that transposes. */
static const spl *block_of(const block *b, const sched_tree *tree, spl_kind kind)
{
    spl_ctx *ctx = b->t->ctx;
    const int on_rows = tree->rule == &spl_transposing_first ? 0 : 1;
    const spl *all =
        spl_kron2(ctx, spl_identity(ctx, b->w), spl_transform_node(ctx, kind, tree->n));
    const spl *x = all ? spl_rule_apply(ctx, tree->rule, all, &tree->params) : NULL;
    const spl **factor = x ? spl_ctx_get(ctx, (size_t)x->nkids * sizeof *factor) : NULL;
    int kid = 0;

    if (!factor)
        return NULL;
    for (int i = 0; i < x->nkids; i++) {
        const spl_view v = spl_view_of(x->kid[i]);
        const bool stage = sched_is_dft_stage(x->kid[i]);
        factor[i] = !stage           ? x->kid[i]
                    : kid == on_rows ? rows_stages(b, tree->kid[kid], v.mid[0], v.b)
                                     : columns_stage(b, x->kid[i]);
        kid += stage;
    }
    return spl_mul(ctx, x->nkids, factor);
}

const spl *sched_transposing_expand(const sched_target *t, const sched_order *o,
                                    const sched_tree *tree, spl_kind kind, int first, int i,
                                    bool distribute)
{
    const int64_t all = sched_order_points(o, first, i);
    const int64_t w = rows_of_block(t, o, first, i, distribute), rest = all % w;
    const bool share = distribute && !sched_fill_parts(t, all / w);

    const block most = {t, w, share}, last = {t, rest, false};

    return sched_row_blocks(t, block_of(&most, tree, kind), all / w,
                            rest > 0 ? block_of(&last, tree, kind) : NULL,
                            distribute && !share ? all / w : 0);
}
