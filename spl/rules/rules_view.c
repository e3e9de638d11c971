// SPDX-License-Identifier: BSD-3-Clause
/* Rules for changes of type. V_m: R^2m -> C^m, (V x)_j = x_2j + i x_2j+1, moves nothing. So V
 * passes gathers on its left, and V^-1 scatters on its right, down to the kernels; the functions of
 * these then count reals. Neither passes a diagonal of complex numbers. */
#include "spl/rules/factors.h"
#include "spl/rules/rewrite.h"

#include <stddef.h>

static const char reference[] = "(V x)_j = x_2j + i x_2j+1";

static bool are_inverse_views(const spl *left, const spl *right)
{
    return (spl_is_retype(left, SPL_RETYPE_VIEW) && spl_is_retype(right, SPL_RETYPE_UNVIEW))
           || (spl_is_retype(left, SPL_RETYPE_UNVIEW) && spl_is_retype(right, SPL_RETYPE_VIEW));
}

static bool is_gathered_view(const spl *left, const spl *right)
{
    return left->op == SPL_GATH && spl_is_retype(right, SPL_RETYPE_VIEW);
}

static bool is_scattered_view(const spl *left, const spl *right)
{
    return spl_is_retype(left, SPL_RETYPE_UNVIEW) && right->op == SPL_SCAT;
}

/* V V^-1 = I, V^-1 V = I */
static bool guard_merge_view(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal, spl_find_pair(x, are_inverse_views, false) >= 0,
                      "it needs V * V^-1 or V^-1 * V");
}

static const spl *build_merge_view(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const int at = spl_find_pair(x, are_inverse_views, false);
    const spl *id = spl_identity(ctx, x->kid[at]->rows);
    return spl_splice(ctx, x, at, 2, 1, &id);
}

static const char *const cases_merge_view[] = {
    "DFT(4)_{leaf} * V(4) * V(4)^-1 * DFT(4)_{leaf}",
    "DCT2(8)_{leaf} * V(4)^-1 * V(4) * DCT3(8)_{leaf} * RE(8)", "V(4)^-1 * DFT(4)_{leaf} * V(4)",
    NULL};

const spl_rule spl_merge_view = {
    .name = "merge-view",
    .group = SPL_MERGE,
    .formula = "V V^-1 = I, V^-1 V = I",
    .reference = reference,
    .guard = guard_merge_view,
    .build = build_merge_view,
    .cases = cases_merge_view,
};

/* P V B = V P(p (x) id_2) B, if B scatters: the permutation merges into B. */
static int find_viewed_perm(const spl *x)
{
    const spl *const *factor;
    const int count = spl_factors(&x, &factor);
    bool scatters = false;
    for (int i = count - 1; i > 0; i--) {
        if (scatters && factor[i - 1]->op == SPL_PERM && spl_is_retype(factor[i], SPL_RETYPE_VIEW))
            return i - 1;
        scatters = scatters || spl_is_loop_or_sum(factor[i]) || spl_is_leaf(factor[i]);
    }
    return -1;
}

static bool guard_merge_view_perm(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal, find_viewed_perm(x) >= 0,
                      "it needs P * V * B, B a loop or a kernel");
}

static const spl *build_merge_view_perm(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const int at = find_viewed_perm(x);
    const spl *view = x->kid[at + 1];
    const spl *const pair[] = {view, spl_perm(ctx, ix_tensor(ctx, x->kid[at]->f, ix_id(ctx, 2)))};
    return spl_splice(ctx, x, at, 2, 2, pair);
}

static const char *const cases_merge_view_perm[] = {
    "P(l(12,4)) * V(12) * DHT(24)_{leaf}",
    "DFT(6)_{leaf} * P(fold(6)) * V(6) * SUM(k0<2, S(h(6,12,6*k0%2,1)) * DCT2(6)_{leaf} * "
    "G(h(6,12,6*k0%2,1)))",
    "P(l(12,4)) * V(12)", "P(l(12,4)) * V(12) * G(h(24,48,0,2))", NULL};

const spl_rule spl_merge_view_perm = {
    .name = "merge-view-perm",
    .group = SPL_MERGE,
    .formula = "P V B = V P(p (x) id_2) B",
    .reference = reference,
    .guard = guard_merge_view_perm,
    .build = build_merge_view_perm,
    .cases = cases_merge_view_perm,
};

/* G(g) V = V G(g (x) id_2);  V^-1 S(f) = S(f (x) id_2) V^-1 */
static bool guard_merge_view_move(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal,
                      spl_find_pair(x, is_gathered_view, false) >= 0
                          || spl_find_pair(x, is_scattered_view, true) >= 0,
                      "it needs G(g) * V or V^-1 * S(f)");
}

static const spl *build_merge_view_move(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const int gather = spl_find_pair(x, is_gathered_view, false);
    const int at = gather >= 0 ? gather : spl_find_pair(x, is_scattered_view, true);
    const spl *view = x->kid[gather >= 0 ? at + 1 : at], *move = x->kid[gather >= 0 ? at : at + 1];
    const ix *f = ix_tensor(ctx, move->f, ix_id(ctx, 2));
    const spl_class cls = spl_move_class(move);
    view = spl_retyped(ctx, spl_retype_kind(view), move->f->n);
    move = gather >= 0 ? spl_gather(ctx, f, cls) : spl_scatter(ctx, f, cls);
    const spl *const pair[] = {gather >= 0 ? view : move, gather >= 0 ? move : view};
    return spl_splice(ctx, x, at, 2, 2, pair);
}

static const char *const cases_merge_view_move[] = {
    "G(h(3,12,1,4)) * V(12)",
    "DFT(3)_{leaf} * G.copy(h(3,12,1,4)) * V(12) * DHT(24)_{leaf}",
    "V(12)^-1 * S(h(3,12,1,4)) * DFT(3)_{leaf}",
    "DCT2(24)_{leaf} * V(12)^-1 * S.copy(h(3,12,1,4)) * RDFT(4)_{leaf}",
    "V(12) * G(h(24,48,0,2))",
    NULL};

const spl_rule spl_merge_view_move = {
    .name = "merge-view-move",
    .group = SPL_MERGE,
    .formula = "G(g) V = V G(g (x) id_2), V^-1 S(f) = S(f (x) id_2) V^-1",
    .reference = reference,
    .guard = guard_merge_view_move,
    .build = build_merge_view_move,
    .cases = cases_merge_view_move,
};

/* V (A (x) I_2l) = (A (x) I_l) V for a real A: two real columns are one complex column. Since V^-1
 * V = I, also A (x) I_2l = V^-1 (A (x) I_l) V. */
static bool guard_view_columns(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    const bool product = x->op == SPL_MUL && x->nkids == 2
                         && spl_is_retype(x->kid[0], SPL_RETYPE_VIEW) && x->kid[1]->op == SPL_KRON;
    const spl_view v = spl_view_of(product ? x->kid[1] : x);
    return spl_unless(refusal, product && v.b > 1, "it needs V * (A (x) I_n)")
           && spl_unless(refusal, v.b % 2 == 0, "n must be even: columns go two by two")
           && spl_unless(refusal, v.base->from == SPL_TYPE_ANY, "A must be real");
}

static const spl *build_view_columns(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl_view v = spl_view_of(x->kid[1]);
    return spl_mul2(ctx, spl_view_inner(ctx, &v, v.a, v.b / 2, 0),
                    spl_retyped(ctx, SPL_RETYPE_VIEW, x->cols / 2));
}

static const char *const cases_view_columns[] = {
    "V(12) * (DCT2(4) (x) I(6))",      "V(24) * (I(2) (x) DHT(6) (x) I(4))",
    "V(6) * (G(h(3,5,1,1)) (x) I(4))", "V(6) * (DCT4(4) (x) I(3))",
    "V(4) * (RE(4) (x) I(2))",         NULL};

const spl_rule spl_view_columns = {
    .name = "view-columns",
    .group = SPL_PLANNED,
    .formula = "V (A (x) I_2l) = (A (x) I_l) V, A real",
    .reference = "a real matrix acts on real and imaginary parts alike",
    .guard = guard_view_columns,
    .build = build_view_columns,
    .cases = cases_view_columns,
};

/* The first `to` of each of n rows of `from` reals. If `to` is from + 1, each row also gets the
 * first real of the next one; the array is then one longer. */
static const spl *rows_resized(spl_ctx *ctx, int64_t n, int64_t from, int64_t to)
{
    const ix_term place[] = {{IX_INDEX, 1, to, 1}, {IX_INDEX, to, n, from}};
    const int64_t all = n * from + (to > from);
    return spl_gather(ctx, ix_digit(ctx, n * to, all, 0, 2, place), SPL_PLAIN);
}

/* x acts on pairs of l + 1 columns of reals; the last pair of the last row is completed by a
 * zero. */
const spl *spl_between_odd_rows(spl_ctx *ctx, const spl *x, int64_t rows, int64_t cols, int64_t l)
{
    const spl *const factors[] = {
        rows_resized(ctx, rows, l + 1, l), x, spl_retyped(ctx, SPL_RETYPE_VIEW, cols * (l + 1) / 2),
        rows_resized(ctx, cols, l, l + 1),
        spl_scatter(ctx, ix_h(ctx, cols * l, cols * l + 1, 0, 1), SPL_PLAIN)};
    return spl_mul(ctx, 5, factors);
}

/* With an odd number of columns, the last column is paired with the next element in memory. */
static bool guard_odd_columns(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return spl_unless(refusal, x->op == SPL_KRON && v.a == 1 && v.b > 1, "it needs A (x) I_n")
           && spl_unless(refusal, v.b % 2 == 1, "n must be odd")
           && spl_unless(refusal, v.base->from == SPL_TYPE_ANY, "A must be real");
}

static const spl *build_odd_columns(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    const int64_t rows = x->rows / v.b, cols = x->cols / v.b;
    const spl *viewed = spl_mul2(ctx, spl_retyped(ctx, SPL_RETYPE_UNVIEW, rows * (v.b + 1) / 2),
                                 spl_view_inner(ctx, &v, 1, (v.b + 1) / 2, 0));
    return spl_between_odd_rows(ctx, viewed, rows, cols, v.b);
}

static const char *const cases_odd_columns[] = {"DCT2(4) (x) I(7)",
                                                "DHT(6) (x) I(3)",
                                                "DST1(5) (x) I(5)",
                                                "DCT4(4) (x) I(6)",
                                                "RE(4) (x) I(3)",
                                                "I(2) (x) DCT2(4) (x) I(3)",
                                                NULL};

const spl_rule spl_odd_columns = {
    .name = "odd-columns",
    .group = SPL_BREAKDOWN,
    .formula =
        "A_n (x) I_l = (I_n (x) G(h_{0,1})) V^-1 (A_n (x) I_{(l+1)/2}) V G(l (i div (l+1)) + i "
        "mod (l+1)) S(h_{0,1}), A real",
    .reference = "a real matrix acts on real and imaginary parts alike",
    .guard = guard_odd_columns,
    .build = build_odd_columns,
    .cases = cases_odd_columns,
};

/* A_n = RE_n A_n EMBED_n for a real A, which is computed with an imaginary part that is not
 * used. */
static bool guard_embed(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal, x->op == SPL_TRANSFORM && x->from == SPL_TYPE_ANY,
                      "it needs the transform of a real matrix");
}

static const spl *build_embed(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl *const factors[] = {spl_retyped(ctx, SPL_RETYPE_RE, x->rows), x,
                                  spl_retyped(ctx, SPL_RETYPE_EMBED, x->cols)};
    return spl_mul(ctx, 3, factors);
}

static const char *const cases_embed[] = {"DCT2(1)",  "DCT3(4)", "DHT(5)", "DST1(6)",
                                          "IDXST(3)", "DCT1(7)", "DFT(4)", NULL};

const spl_rule spl_embed = {
    .name = "embed",
    .group = SPL_PLANNED,
    .formula = "A_n = RE_n A_n EMBED_n, A real, on reals",
    .reference = "by definition",
    .guard = guard_embed,
    .build = build_embed,
    .cases = cases_embed,
};
