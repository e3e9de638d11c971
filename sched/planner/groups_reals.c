// SPDX-License-Identifier: BSD-3-Clause
/* Transforms other than DFTs on groups of work-items: a fold or PAIRS, a DFT, a fold or PAIRS. If a
 * group holds the DFT, everything is one pass through memory:
 *
 *     {I_g (x) PROD_q (I_b (x) (factor_q (x) I_w))}_spe(g,1)
 *
 * where the factors are those of the rule. A fold of rows is a stage of its own, which copies to
 * local memory so that neighbouring items load neighbouring elements; a fold of columns is part of
 * the first or last stage. The pairs of I_b (x) PAIRS are those of PAIRS (x) I_b, so that items
 * share pairs and transforms alike. A transform that no group holds is distributed factor by
 * factor. */
#include "sched/planner/bluestein.h"
#include "sched/planner/folds.h"
#include "sched/planner/groups_pass.h"
#include "spl/rules/rewrite.h"

/* Lines that a row of pairs should have at least. */
enum { SHORT_LINES = 2 };

const sched_tree *sched_group_core(const sched_tree *tree)
{
    while (tree && tree->rule && tree->rule != &spl_dft_stockham
           && !sched_is_group_convolution(tree)) {
        if (tree->nkids != 1 || tree->rule == &spl_dft_bluestein || tree->rule == &spl_dft_rader)
            return NULL;
        tree = tree->kid[0];
    }
    return tree;
}

/* ---- I_b (x) A ---- */

/* The PAIRS of a factor PAIRS_m, or PAIRS_m (x) I_w; NULL: x is no such factor. */
static const spl *pairs_of(const spl *x)
{
    const spl *first = x->op == SPL_KRON ? x->kid[0] : x;

    return first->op == SPL_PAIRS ? first : NULL;
}

/* L_k^{nb} (x) I_w */
static const spl *stride(spl_ctx *ctx, int64_t n, int64_t k, int64_t w)
{
    return spl_kron2(ctx, spl_stride(ctx, n, k), spl_identity(ctx, w));
}

const spl *sched_group_repeated_factor(spl_ctx *ctx, int64_t b, const spl *x)
{
    const spl *pairs = x && b > 1 ? pairs_of(x) : NULL;

    if (!pairs)
        return spl_kron2(ctx, spl_identity(ctx, b), x);
    const int64_t rows = pairs->rows, cols = pairs->cols, w = x->rows / rows;
    const spl *const middle[] = {pairs, spl_identity(ctx, b), spl_identity(ctx, w)};
    const spl *const right = stride(ctx, cols * b, cols, w);
    const spl *move = right ? spl_movement_to_sigma(ctx, right, 1, 1) : NULL;
    if (!move)
        return NULL;
    const spl *const factors[] = {stride(ctx, rows * b, b, w), spl_kron(ctx, 3, middle),
                                  spl_gather(ctx, move->f, SPL_PLAIN)};
    return spl_mul(ctx, 3, factors);
}

/* ---- one group ---- */

/* Does x access rows in short runs? A transform that an item computes from a row of its own does,
 * and so do pairs of rows so short that neighbouring items have different rows. */
static bool has_short_runs(const sched_target *t, const spl *x)
{
    const spl *bare = spl_untagged(x);

    if (bare->op == SPL_PAIRS)
        return bare->a[0] * sched_complex_bytes(t->precision) < SHORT_LINES * (int64_t)t->unit.line;
    return bare->op == SPL_TRANSFORM && !sched_is_trivial(bare);
}

/* Does the first stage read, or the last stage write, in short runs? */
static bool ends_short(const sched_target *t, const spl *x, bool first)
{
    int at = first ? x->nkids - 1 : 0;

    if (x->op != SPL_MUL)
        return has_short_runs(t, x);
    while (at > 0 && at < x->nkids - 1 && spl_is_pair_view(x->kid[at]))
        at += first ? -1 : 1;
    if (spl_is_pair_view(x->kid[at]))
        at += first ? -1 : 1;
    return has_short_runs(t, x->kid[at]);
}

/* A copy of n elements of a type; reals in pairs, if n is even. */
static const spl *copied(const sched_target *t, int64_t n, spl_type type)
{
    if (type != SPL_TYPE_REAL)
        return sched_copy_stage(t, n, SCHED_BARE);
    if (n % 2 != 0)
        return spl_identity(t->ctx, n);
    const spl *const factors[] = {spl_retyped(t->ctx, SPL_RETYPE_UNVIEW, n / 2),
                                  sched_copy_stage(t, n / 2, SCHED_BARE),
                                  spl_retyped(t->ctx, SPL_RETYPE_VIEW, n / 2)};

    return spl_mul(t->ctx, 3, factors);
}

typedef struct whole {
    const sched_tree *tree;
    spl_kind kind;
    spl_type type; /* of the elements where a real matrix acts on either type */
} whole;

/* b transforms of one group. */
static const spl *group_formula(const sched_target *t, const whole *g, const spl *one, int64_t b,
                                bool columns)
{
    const spl *all = one->op == SPL_MUL ? sched_group_repeated_factors(t->ctx, one, b)
                                        : sched_group_repeated_factor(t->ctx, b, one);
    const spl_type to = one->to != SPL_TYPE_ANY ? one->to : g->type,
                   from = one->from != SPL_TYPE_ANY ? one->from : g->type;
    const spl *factor[3];
    int count = 0;

    if (columns)
        return all;
    if (ends_short(t, one, false))
        factor[count++] = copied(t, b * one->rows, to);
    factor[count++] = all;
    if (ends_short(t, one, true))
        factor[count++] = copied(t, b * one->cols, from);
    return spl_mul(t->ctx, count, factor);
}

/* Buffers in local memory: one, and another one for a fold, or for pairs whose rows are copied. */
static int buffers_of(const sched_target *t, const spl *one)
{
    int buffers = one->op == SPL_MUL ? 1 : 2;

    for (int i = 0; i < one->nkids && one->op == SPL_MUL; i++)
        if (one->kid[i]->op == SPL_PERM || one->kid[i]->op == SPL_GATH
            || (one->kid[i]->op == SPL_PAIRS && has_short_runs(t, one->kid[i])))
            buffers = 2;
    return buffers;
}

/* Does x write some of its rows only? In several transforms the cleared part would be gaps. */
bool sched_group_is_padded(const spl *one)
{
    for (int i = 0; i < one->nkids; i++)
        if (sched_group_is_padded(one->kid[i]))
            return true;
    return one->op == SPL_SCAT;
}

/* The permutation P of a factor P (x) I of columns, or NULL. */
static const spl *moved_rows(const spl *x)
{
    const spl *first = x->op == SPL_KRON ? x->kid[0] : x;

    return first->op == SPL_PERM ? first : NULL;
}

static const spl *factors_of(const sched_target *t, const whole *g, int64_t w)
{
    return sched_group_split_turns(t, sched_expand(t, g->tree, g->kind, w, SCHED_BARE));
}

/* The formula of one group, except for rows that are moved afterwards. */
static const spl *whole_formula(const sched_target *t, const sched_deal *d, int64_t b, int64_t w)
{
    const whole *g = d->arg;
    const spl *one = factors_of(t, g, w);

    if (one && d->moved)
        one = spl_mul(t->ctx, one->nkids - 1, one->kid + 1);
    return one ? group_formula(t, g, one, b, d->l > 1) : NULL;
}

/* Rows that the last stage moves are moved in memory, after the tiles, so that addresses stay sums
 * of digits. Addresses of folds of an odd number of rows are no such sums in either case, and for
 * several transforms no function of all rows. */
static const spl *expand_whole(const sched_target *t, const whole *g, const sched_pass *x,
                               int64_t pre, int64_t l)
{
    const int64_t w = x->w;
    const spl *one = factors_of(t, g, w);

    if (!one)
        return NULL;
    const spl *moved = w < l && one->op == SPL_MUL ? moved_rows(one->kid[0]) : NULL;
    moved = moved && (pre == 1 || moved->rows % 2 == 0) ? moved : NULL;
    const sched_deal deal = {.pre = pre,
                             .l = l,
                             .rows = (moved ? one->kid[1] : one)->rows / w,
                             .cols = one->cols / w,
                             .b = sched_group_is_padded(one) ? 1 : sched_group_batch(t, x, l, pre),
                             .w = w,
                             .moved = moved,
                             .body = whole_formula,
                             .arg = g};
    return sched_group_deal(t, &deal);
}

/* ---- factor by factor ---- */

typedef struct repetition {
    const sched_target *t;
    int64_t pre;
} repetition;

/* I_pre (x) x, distributed if x was. */
static const spl *repeat_distributed(spl_ctx *ctx, const spl *x, const void *how)
{
    const repetition *r = how;
    const spl *bare = spl_untagged(x);
    const bool groups = x->op == SPL_TAG && bare->op == SPL_KRON && bare->kid[0]->op == SPL_I;

    if (x->op == SPL_TAG && x->ntags == 1 && spl_has_tag(x, SPL_TAG_SPE) && groups
        && bare->kid[0]->rows == x->tag[0].a[0])
        return sched_group_distributed(r->t, r->pre * bare->kid[0]->rows,
                                       spl_kron(ctx, bare->nkids - 1, bare->kid + 1));
    if (x->op == SPL_LOOP && spl_loop_kind(x) == SPL_PAR && spl_loop_count(x) == 1)
        return sched_group_distributed(r->t, r->pre, x->kid[0]);
    if (pairs_of(bare))
        return sched_group_distributed(r->t, r->pre, bare);
    if (x->op == SPL_TAG && bare->op == SPL_KRON && bare->nkids == 2 && bare->kid[1]->op == SPL_I
        && sched_is_trivial(spl_untagged(bare->kid[0])))
        return sched_group_moved(r->t, r->pre * bare->rows);
    return spl_kron2(ctx, spl_identity(ctx, r->pre), x);
}

/* Is x a fold with unequal halves, as of an odd number of rows? For several transforms it is no
 * function of all rows. */
static bool is_odd_fold(const spl *x)
{
    const spl *const f = x->op == SPL_KRON ? x->kid[0] : x;
    const bool moves = f->op == SPL_PERM || f->op == SPL_GATH || f->op == SPL_SCAT;

    return moves && f->f->kind == IX_TWO && f->f->n % (2 * f->f->t->div) != 0;
}

/* Does a factor copy between reals and complex numbers? It can do so through an adjacent fold. */
static bool is_copying(const spl *x)
{
    const spl *const f = x->op == SPL_KRON ? x->kid[0] : x;

    return f->op == SPL_RETYPE && !spl_is_pair_view(f);
}

/* The end of an odd fold that begins at factor `first`, including the factors that copy through it;
 * `first` if there is none. */
static int end_of_fold(const spl *x, int first)
{
    int end = first + (is_copying(x->kid[first]) ? 1 : 0);

    if (end == x->nkids || !is_odd_fold(x->kid[end]))
        return first;
    end++;
    return end < x->nkids && is_copying(x->kid[end]) ? end + 1 : end;
}

static bool has_odd_fold(const spl *x)
{
    bool has = false;

    for (int i = 0; i < x->nkids; i++)
        has = has || is_odd_fold(x->kid[i]);
    return has;
}

/* Each factor for all transforms at once. An odd fold moves one transform after another, as groups
 * of the copy's loops (spl/emit/ocl_choose.c). */
static const spl *repeat_factors(const repetition *how, const spl *x)
{
    spl_ctx *const ctx = how->t->ctx;
    const spl **factor = spl_ctx_get(ctx, (size_t)x->nkids * sizeof *factor);
    int count = 0;

    for (int i = 0, end; factor && i < x->nkids; i = end) {
        const int folds = end_of_fold(x, i);
        end = folds > i ? folds : i + 1;
        factor[count++] = folds > i
                              ? spl_loop_rows(ctx, how->pre, spl_mul(ctx, end - i, x->kid + i))
                              : repeat_distributed(ctx, x->kid[i], how);
    }
    return factor ? spl_mul(ctx, count, factor) : NULL;
}

/* Does a factor write some of its rows only? */
static bool is_padding(const spl *x)
{
    return (x->op == SPL_KRON ? x->kid[0] : x)->op == SPL_SCAT;
}

/* A permutation between passes and padding becomes part of what the passes read, so that zeros
 * follow the written rows instead of lying between them. */
static const spl *read_padded(const sched_target *t, const spl *x)
{
    const spl **factor =
        x && x->op == SPL_MUL ? spl_ctx_get(t->ctx, (size_t)x->nkids * sizeof *factor) : NULL;

    if (!factor)
        return x;
    for (int i = 0; i < x->nkids; i++) {
        const bool reads = i + 1 < x->nkids && is_padding(x->kid[i + 1]) && !is_padding(x->kid[i])
                           && spl_is_data_movement(x->kid[i]);
        const spl *move = reads ? spl_movement_to_sigma(t->ctx, x->kid[i], 1, 1) : NULL;
        factor[i] =
            move && move->op == SPL_PERM ? spl_gather(t->ctx, move->f, SPL_PLAIN) : x->kid[i];
    }
    return spl_mul(t->ctx, x->nkids, factor);
}

/* With an odd fold and at least as many transforms as units, each transform is one group's, if the
 * group's memory holds what a convolution needs. */
static const spl *expand_factors(const sched_target *t, const sched_tree *tree, spl_kind kind,
                                 int64_t pre, int64_t l)
{
    const repetition how = {t, pre};
    const spl *x = read_padded(t, sched_expand_rule(t, tree, kind, l, SCHED_PARTS));

    if (!x || pre == 1)
        return x;
    if (x->op != SPL_MUL)
        return repeat_distributed(t->ctx, x, &how);
    if (has_odd_fold(x) && pre >= (int64_t)t->unit.compute_units
        && sched_group_holds_convolution(t, tree->n * l))
        return sched_group_distributed(t, pre, sched_expand_rule(t, tree, kind, l, SCHED_LANES));
    return repeat_factors(&how, x);
}

/* ---- the whole ---- */

static const spl *expand_view(const sched_target *t, const sched_tree *tree, spl_kind kind,
                              int64_t pre, int64_t l)
{
    const int64_t points = pre * tree->n * l / 2;
    const spl *const factors[] = {
        spl_retyped(t->ctx, SPL_RETYPE_UNVIEW, points),
        sched_group_expand_kind(t, tree->kid[0], kind, SPL_TYPE_COMPLEX, pre, l / 2),
        spl_retyped(t->ctx, SPL_RETYPE_VIEW, points)};

    return spl_mul(t->ctx, 3, factors);
}

const spl *sched_group_expand_kind(const sched_target *t, const sched_tree *tree, spl_kind kind,
                                   spl_type type, int64_t pre, int64_t l)
{
    const sched_tree *core = sched_group_core(tree);
    const bool leaf = !tree->rule;
    const whole g = {tree, kind, type};
    sched_target own = *t;

    if (tree->rule == &spl_view_columns)
        return expand_view(t, tree, kind, pre, l);
    own.around.is_first = own.around.is_last = true;
    const spl *x = NULL;
    if (leaf || core->tile > 0) {
        sched_pass pass = sched_group_pass(core);
        const spl *one = factors_of(&own, &g, leaf ? 1 : core->tile);
        pass.buffers = one ? buffers_of(t, one) : 1;
        pass.w = sched_group_columns(t, &pass, l, pre,
                                     leaf ? sched_group_most_columns(t, &pass, l) : core->tile);
        if (one && pass.w > 0)
            x = expand_whole(&own, &g, &pass, pre, l);
    }
    if (!x)
        x = leaf ? spl_kron2(t->ctx, spl_identity(t->ctx, pre),
                             sched_expand(&own, tree, kind, l, SCHED_LANES))
                 : expand_factors(&own, tree, kind, pre, l);
    return x;
}
