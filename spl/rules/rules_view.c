// SPDX-License-Identifier: BSD-3-Clause
/* Rules for what changes types. V_m: R^2m -> C^m, (V x)_j = x_2j + i x_2j+1, moves nothing, so it
 * passes gathers on its left and V^-1 scatters on its right, whose functions then count reals, down
 * to the kernels. A diagonal of complex numbers does not pass. */
#include "spl/rules/rewrite.h"
#include "spl/rules/stage.h"

#include <stddef.h>

static const char reference[] = "(V x)_j = x_2j + i x_2j+1";

/* I_p (x) V_m (x) I_q = V_pmq G(id_pm (x) l_q^2q);  V^-1 alike; I_p (x) EMBED_n (x) I_q = EMBED_pnq,
 * RE alike, in a loop over runs. */
static bool guard_sigma_view(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    const spl_view v = spl_look(x);
    const spl *mid = v.nmid == 0 ? v.base : v.mid[0];
    return spl_unless(refusal, v.nmid <= 1 && x->op != SPL_TAG && mid->op == SPL_RETYPE,
                      "it needs V, V^-1, EMBED or RE with identities around");
}

static const spl *build_sigma_view(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    return spl_mono_sigma(ctx, x, 1, 1);
}

static const char *const cases_sigma_view[] = {"V(6)",
                                               "I(3) (x) V(4) (x) I(2)",
                                               "I(3) (x) V(4)^-1 (x) I(2)",
                                               "V(5) (x) I(3)",
                                               "I(2) (x) EMBED(5) (x) I(3)",
                                               "I(3) (x) RE(50)",
                                               "DFT(4)_{leaf}",
                                               NULL};

const spl_rule spl_sigma_view = {
    .name = "sigma-view",
    .phase = SPL_SIGMA,
    .formula = "I_p (x) V_m (x) I_q -> V_pmq G(id_pm (x) l_q^2q)",
    .reference = reference,
    .params = "",
    .guard = guard_sigma_view,
    .build = build_sigma_view,
    .cases = cases_sigma_view,
};

/* ---- merging ---- */

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
    .phase = SPL_MERGE,
    .formula = "V V^-1 = I, V^-1 V = I",
    .reference = reference,
    .params = "",
    .guard = guard_merge_view,
    .build = build_merge_view,
    .cases = cases_merge_view,
};

static const ix *count_reals(spl_ctx *ctx, const ix *f)
{
    return ix_tensor(ctx, f, ix_id(ctx, 2));
}

/* G(g) V = V G(g (x) id_2) */
static bool guard_merge_view_gather(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal, spl_find_pair(x, is_gathered_view, false) >= 0, "it needs G(g) * V");
}

static const spl *build_merge_view_gather(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const int at = spl_find_pair(x, is_gathered_view, false);
    const spl *G = x->kid[at];
    const spl *const pair[] = {spl_retyped(ctx, SPL_RETYPE_VIEW, G->rows),
                               spl_gather(ctx, count_reals(ctx, G->f), (spl_class)G->a[0])};
    return spl_splice(ctx, x, at, 2, 2, pair);
}

static const char *const cases_merge_view_gather[] = {
    "G(h(3,12,1,4)) * V(12)", "DFT(3)_{leaf} * G.copy(h(3,12,1,4)) * V(12) * DHT(24)_{leaf}",
    "V(12) * G(h(24,48,0,2))", NULL};

const spl_rule spl_merge_view_gather = {
    .name = "merge-view-gather",
    .phase = SPL_MERGE,
    .formula = "G(g) V = V G(g (x) id_2)",
    .reference = reference,
    .params = "",
    .guard = guard_merge_view_gather,
    .build = build_merge_view_gather,
    .cases = cases_merge_view_gather,
};

/* V^-1 S(f) = S(f (x) id_2) V^-1 */
static bool guard_merge_view_scatter(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal, spl_find_pair(x, is_scattered_view, true) >= 0,
                      "it needs V^-1 * S(f)");
}

static const spl *build_merge_view_scatter(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const int at = spl_find_pair(x, is_scattered_view, true);
    const spl *S = x->kid[at + 1];
    const spl *const pair[] = {spl_scatter(ctx, count_reals(ctx, S->f), (spl_class)S->a[0]),
                               spl_retyped(ctx, SPL_RETYPE_UNVIEW, S->cols)};
    return spl_splice(ctx, x, at, 2, 2, pair);
}

static const char *const cases_merge_view_scatter[] = {
    "V(12)^-1 * S(h(3,12,1,4)) * DFT(3)_{leaf}",
    "DCT2(24)_{leaf} * V(12)^-1 * S.copy(h(3,12,1,4)) * RDFT(4)_{leaf}",
    "S(h(24,48,0,2)) * V(12)^-1", NULL};

const spl_rule spl_merge_view_scatter = {
    .name = "merge-view-scatter",
    .phase = SPL_MERGE,
    .formula = "V^-1 S(f) = S(f (x) id_2) V^-1",
    .reference = reference,
    .params = "",
    .guard = guard_merge_view_scatter,
    .build = build_merge_view_scatter,
    .cases = cases_merge_view_scatter,
};

/* ---- real matrices ---- */

/* V (A (x) I_2l) = (A (x) I_l) V for a real A: two real columns are one complex column. With
 * V^-1 V = I also A (x) I_2l = V^-1 (A (x) I_l) V. */
static bool guard_view_columns(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    const bool product = x->op == SPL_MUL && x->nkids == 2
                         && spl_is_retype(x->kid[0], SPL_RETYPE_VIEW) && x->kid[1]->op == SPL_KRON;
    const spl_view v = spl_look(product ? x->kid[1] : x);
    return spl_unless(refusal, product && v.b > 1, "it needs V * (A (x) I_n)")
           && spl_unless(refusal, v.b % 2 == 0, "n must be even: columns go two by two")
           && spl_unless(refusal, v.base->from == SPL_TYPE_ANY, "A must be real");
}

static const spl *build_view_columns(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl_view v = spl_look(x->kid[1]);
    return spl_mul2(ctx, spl_view_inner(ctx, &v, v.a, v.b / 2, 0),
                    spl_retyped(ctx, SPL_RETYPE_VIEW, x->cols / 2));
}

static const char *const cases_view_columns[] = {
    "V(12) * (DCT2(4) (x) I(6))",      "V(24) * (I(2) (x) DHT(6) (x) I(4))",
    "V(6) * (G(h(3,5,1,1)) (x) I(4))", "V(6) * (DCT4(4) (x) I(3))",
    "V(4) * (RE(4) (x) I(2))",         NULL};

const spl_rule spl_view_columns = {
    .name = "view-columns",
    .phase = SPL_BREAKDOWN,
    .formula = "V (A (x) I_2l) = (A (x) I_l) V, A real",
    .reference = "a real matrix acts on real and imaginary parts alike",
    .params = "",
    .guard = guard_view_columns,
    .build = build_view_columns,
    .cases = cases_view_columns,
};
