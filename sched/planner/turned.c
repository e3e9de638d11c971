// SPDX-License-Identifier: BSD-3-Clause
/* Transforms between a side that has columns and one that has rows. Two stages compute w transforms
 * of n = r m points at a time, and one of them transposes vectors of the batch. From columns to
 * rows the first stage transposes (position A), by rule dft-stockham:
 *
 *     I_w (x) DFT_n = (I_w (x) (DFT_m (x) I_r) L(n,m)) L(n w, w)
 *                     (T_{r,m} (DFT_r (x) I_m) (x) I_w) L(n w, n)
 *
 * From rows to columns the last stage transposes (position R), by rule dft-dif:
 *
 *     I_w (x) DFT_n = L(n w, w) (L(n,m) (I_r (x) DFT_m) (x) I_w) L(n w, n)
 *                     (I_w (x) T_{r,m} (DFT_r (x) I_m))
 *
 * The second L is a gather, so that the data between the stages are rows. DFT_m of the first rule
 * works on rows, whose other points are its columns; it may itself be two stages, by the same
 * rule. */
#include "sched/planner/turned.h"

#include "sched/planner/rows_beside.h"
#include "sched/planner/stage_price.h"

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
    const bool out = at->pair == BACKEND_ROWS_OUT;
    const sched_tree turning = {.n = turns};
    sched_tree made = {.rule = out ? &spl_dft_stockham : &spl_dft_dif,
                       .params = {{out ? turns : at->n / turns}},
                       .n = at->n,
                       .turned = at->pair,
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
    return w > 2 * least && 2 * w * bytes > (int64_t)t->unit.l2 && some < w ? some : w;
}

/* May there be three stages? Only from columns to rows, if L2 holds the transforms of a block. */
static bool may_have_three(const sched_target *t, const sched_place *at, const sched_prices *s)
{
    const int64_t w = together(t, at->n, at->before, SCHED_MOVED_ROWS);

    return at->pair == BACKEND_ROWS_OUT
           && 2 * s->point_bytes * (double)(w * at->n) <= (double)s->model->l2;
}

/* Tries all first radices r; `turns` is the radix of the stage that transposes. */
void sched_turned_find(const sched_target *t, const sched_place *at, sched_list *out)
{
    const sched_radix_model model = sched_model(t, 1, at->batch);
    const sched_prices prices = sched_prices_of(&model, at->n);
    const bool may = may_have_three(t, at, &prices);
    double least = sched_infeasible;
    int64_t best = 0, q = 1;

    for (int64_t r = 2; r <= SCHED_MAX_RADIX; r++) {
        if (at->n % r != 0)
            continue;
        const int64_t rest = at->n / r, turns = at->pair == BACKEND_ROWS_OUT ? r : rest;
        const int64_t most = may && r % t->lanes == 0 ? SCHED_MAX_RADIX : 1;
        for (int64_t k = 1; k <= most && k < rest; k++) {
            const double cycles =
                rest % k == 0 ? sched_pair_cycles(&prices, turns, k, at->pair) : sched_infeasible;
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

/* The stages of a block of w transforms, for building the formula. q: the first radix of the stages
 * on rows, 1: there is one stage. shared: each stage is distributed to the parts. */
typedef struct pair {
    const sched_target *t;
    spl_kind kind;
    int64_t r, m, q, w;
    bool shared;
} pair;

/* I_a (x) DFT_n (x) I_l, in vectors of columns. */
static const spl *columns_stage(const pair *p, int64_t a, int64_t n, int64_t l)
{
    spl_ctx *ctx = p->t->ctx;
    const spl *const factors[] = {spl_identity(ctx, a),
                                  spl_mark_leaves(ctx, spl_transform_node(ctx, p->kind, n)),
                                  spl_identity(ctx, l)};

    return sched_with_columns(p->t, spl_kron(ctx, 3, factors), 0,
                              p->shared ? SCHED_PARTS : SCHED_LANES);
}

/* I_w (x) DFT_n (x) I_l, in vectors of the columns of a row. */
static const spl *row_stage(const pair *p, int64_t n, int64_t l)
{
    spl_ctx *ctx = p->t->ctx;
    const spl *leaf = spl_mark_leaves(ctx, spl_transform_node(ctx, p->kind, n));
    const spl *x = sched_with_vec(p->t, spl_kron2(ctx, leaf, spl_identity(ctx, l)));
    const spl *all = spl_kron2(ctx, spl_identity(ctx, p->w), x);

    return p->shared ? sched_with_spe(p->t, all, p->t->parts, 1) : all;
}

/* x on each of the w transforms as rows; on_columns(): as columns. */
static const spl *on_rows(const pair *p, const spl *x)
{
    return spl_kron2(p->t->ctx, spl_identity(p->t->ctx, p->w), x);
}

static const spl *on_columns(const pair *p, const spl *x)
{
    return spl_kron2(p->t->ctx, x, spl_identity(p->t->ctx, p->w));
}

/* The same as row_stage(), by one stage or two. */
static const spl *rows_stages(const pair *p, int64_t n, int64_t l)
{
    spl_ctx *ctx = p->t->ctx;
    const int64_t q = p->q, last = n / q;

    if (q == 1)
        return row_stage(p, n, l);
    const spl *beside = spl_identity(ctx, l);
    const spl *twiddles = spl_twiddle(ctx, q, last, p->kind == SPL_IDFT);
    const spl *const factors[] = {
        row_stage(p, last, q * l), on_rows(p, spl_kron2(ctx, spl_stride(ctx, n, last), beside)),
        on_rows(p, spl_kron2(ctx, twiddles, beside)), row_stage(p, q, last * l)};

    return spl_mul(ctx, 4, factors);
}

static const spl *columns_to_rows(const pair *p)
{
    spl_ctx *ctx = p->t->ctx;
    const int64_t n = p->r * p->m;
    const spl *const factors[] = {rows_stages(p, p->m, p->r),
                                  on_rows(p, spl_stride(ctx, n, p->m)),
                                  spl_stride(ctx, n * p->w, p->w),
                                  on_columns(p, spl_twiddle(ctx, p->r, p->m, p->kind == SPL_IDFT)),
                                  columns_stage(p, 1, p->r, p->m * p->w),
                                  spl_stride(ctx, n * p->w, n)};

    return spl_mul(ctx, 6, factors);
}

static const spl *rows_to_columns(const pair *p)
{
    spl_ctx *ctx = p->t->ctx;
    const int64_t n = p->r * p->m;
    const spl *const factors[] = {spl_stride(ctx, n * p->w, p->w),
                                  on_columns(p, spl_stride(ctx, n, p->m)),
                                  columns_stage(p, p->r, p->m, p->w),
                                  spl_gather(ctx, ix_stride(ctx, n * p->w, n), SPL_PLAIN),
                                  on_rows(p, spl_twiddle(ctx, p->r, p->m, p->kind == SPL_IDFT)),
                                  row_stage(p, p->r, p->m)};

    return spl_mul(ctx, 6, factors);
}

/* A block of w transforms, each stage distributed to the parts if `share`. */
static const spl *block_of(const sched_target *t, const sched_tree *tree, spl_kind kind, int64_t w,
                           bool share)
{
    const bool out = tree->turned == BACKEND_ROWS_OUT;
    const sched_tree *rows = tree->kid[!out];
    const int64_t r = tree->params.v[0];
    const pair p = {.t = t,
                    .kind = kind,
                    .r = r,
                    .m = tree->n / r,
                    .q = rows->rule ? rows->params.v[0] : 1,
                    .w = w,
                    .shared = share};

    return (out ? columns_to_rows : rows_to_columns)(&p);
}

const spl *sched_turned_expand(const sched_target *t, const sched_order *o, const sched_tree *tree,
                               spl_kind kind, int first, int i, bool distribute)
{
    const int64_t all = sched_order_points(o, first, i);
    const int64_t w = rows_of_block(t, o, first, i, distribute), rest = all % w;
    const bool share = distribute && !sched_fill_parts(t, all / w);

    return sched_row_blocks(t, block_of(t, tree, kind, w, share), all / w,
                            rest > 0 ? block_of(t, tree, kind, rest, false) : NULL,
                            distribute && !share ? all / w : 0);
}
