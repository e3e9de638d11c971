// SPDX-License-Identifier: BSD-3-Clause
/* SPL constructs without tags -> loops; Table 2 of Spiral for the Cell. Its rows 3 and 4,
 * (I (x) A) L and L (I (x) A), arise when the permutation merges into the adjacent loop. */
#include "spl/rules/rewrite.h"

#include <stddef.h>

/* L_k^N -> G(l_k^N); T_{n,m} -> diag(T_{n,m}); I_a (x) P (x) I_b -> G(id_a (x) p (x) id_b). The two
 * reals of a V between identities are b apart. EMBED and RE become a loop over runs
 * (spl/rules/movement.c). */
static bool guard_sigma_movement(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal, spl_is_data_movement(x),
                      "it needs a permutation, a diagonal or a change of type");
}

static const spl *build_sigma_movement(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    return spl_movement_to_sigma(ctx, x, 1, 1);
}

static const char *const cases_sigma_movement[] = {"L(12,3)",
                                                   "T(3,4)",
                                                   "T(3,4)^-1",
                                                   "I(7)",
                                                   "I(2) (x) L(6,2) (x) I(3)",
                                                   "I(2) (x) T(3,4)^-1 (x) I(3)",
                                                   "L(6,2) (x) T(2,3)",
                                                   "(T(2,3) * L(6,3)) (x) I(2)",
                                                   "V(6)",
                                                   "I(3) (x) V(4) (x) I(2)",
                                                   "I(3) (x) V(4)^-1 (x) I(2)",
                                                   "I(2) (x) EMBED(5) (x) I(3)",
                                                   "I(3) (x) RE(50)",
                                                   "T(2,3) (+) T(2,3)",
                                                   "DFT(3)",
                                                   NULL};

const spl_rule spl_sigma_movement = {
    .name = "sigma-movement",
    .group = SPL_SIGMA,
    .formula =
        "I_a (x) L_k^N (x) I_b -> G(id (x) l_k^N (x) id); I_a (x) T_{n,m} (x) I_b -> "
        "diag(T_{n,m} o ((i div b) mod nm)); I_a (x) V_n (x) I_b -> V_anb G(id_an (x) l_b^2b)",
    .reference = "Spiral for the Cell, Table 2",
    .guard = guard_sigma_movement,
    .build = build_sigma_movement,
    .cases = cases_sigma_movement,
};

/* A_m (x) B_n -> (A_m (x) I_n)(I_m (x) B_n): there is no choice.                  paper (2). */
static bool guard_sigma_row_column(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return spl_unless(refusal, x->op == SPL_KRON && v.shape == SPL_SHAPE_PRODUCT,
                      "it needs A (x) B without outer identities");
}

static const spl *build_sigma_row_column(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    return spl_row_column_of(ctx, x->nkids, x->kid);
}

static const char *const cases_sigma_row_column[] = {
    "DFT(3)_{leaf} (x) DFT(4)_{leaf}", "DFT(2)_{leaf} (x) DFT(3)_{leaf} (x) DFT(4)_{leaf}",
    "L(4,2) (x) DFT(3)_{leaf}",        "DFT(3)_{leaf} (x) I(2) (x) IDFT(2)_{leaf}",
    "DFT(3)_{leaf} (x) I(2)",          NULL};

const spl_rule spl_sigma_row_column = {
    .name = "sigma-row-column",
    .group = SPL_SIGMA,
    .formula = "A_m (x) B_n -> (A_m (x) I_n)(I_m (x) B_n)",
    .reference = "Spiral for the Cell (2)",
    .guard = guard_sigma_row_column,
    .build = build_sigma_row_column,
    .cases = cases_sigma_row_column,
};

/* I_n (x) A_m -> SUM(j<n) S(h_{jm,1}) A G(h_{jm,1});  A (+) A (+) .. = I_n (x) A.      Table 2. */
static bool guard_sigma_rows(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return spl_unless(refusal,
                      v.shape == SPL_SHAPE_KRON && v.outer.kind == SPL_TAG_COUNT && v.a > 1,
                      "it needs I_n (x) A, or a direct sum of equal terms, n > 1");
}

static const spl *build_sigma_rows(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return spl_loop_rows(ctx, v.a, spl_view_inner(ctx, &v, 1, v.b, 0));
}

static const char *const cases_sigma_rows[] = {"I(4) (x) DFT(3)_{leaf}",
                                               "I(3) (x) DFT(4)_{leaf} (x) I(2)",
                                               "DFT(3)_{leaf} (+) DFT(3)_{leaf}",
                                               "I(2) (x) (DFT(4)_{leaf} * L(4,2))",
                                               "DFT(3)_{leaf} (x) I(2)",
                                               "DFT(3)_{leaf} (+) DFT(2)_{leaf}",
                                               "I(2) (x) DFT(3)_{leaf} (x) DFT(2)_{leaf}",
                                               NULL};

const spl_rule spl_sigma_rows = {
    .name = "sigma-rows",
    .group = SPL_SIGMA,
    .formula = "I_n (x) A_m -> SUM(j<n) S(h_{jm,1}) A G(h_{jm,1})",
    .reference = "Spiral for the Cell, Table 2",
    .guard = guard_sigma_rows,
    .build = build_sigma_rows,
    .cases = cases_sigma_rows,
};

/* A_m (x) I_n -> SUM(j<n) S(h_{j,n}) A G(h_{j,n}): if A is a product, all its stages, column by
 * column. */
static bool guard_sigma_columns(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return spl_unless(refusal,
                      v.shape == SPL_SHAPE_KRON && v.outer.kind == SPL_TAG_COUNT && v.a == 1,
                      "it needs A (x) I_n, n > 1");
}

static const spl *build_sigma_columns(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return spl_loop_columns(ctx, v.b, spl_view_mid(ctx, &v));
}

static const char *const cases_sigma_columns[] = {
    "DFT(3)_{leaf} (x) I(4)", "(DFT(4)_{leaf} * L(4,2)) (x) I(3)",
    "((DFT(2)_{leaf} (x) I(3)) * T(2,3) * (I(2) (x) DFT(3)_{leaf}) * L(6,2)) (x) I(4)",
    "I(3) (x) DFT(4)_{leaf}", NULL};

const spl_rule spl_sigma_columns = {
    .name = "sigma-columns",
    .group = SPL_SIGMA,
    .formula = "A_m (x) I_n -> SUM(j<n) S(h_{j,n}) A G(h_{j,n})",
    .reference = "Spiral for the Cell, Table 2",
    .guard = guard_sigma_columns,
    .build = build_sigma_columns,
    .cases = cases_sigma_columns,
};

/* A (+) B (+) .. -> S(h_A) A G(h_A) + S(h_B) B G(h_B) + .. for terms that are not all equal. */
static bool guard_sigma_sum(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return spl_unless(refusal, x->op == SPL_DSUM && v.shape == SPL_SHAPE_OTHER,
                      "it needs a direct sum of different terms");
}

static const spl *build_sigma_sum(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const spl **kids = spl_ctx_get(ctx, (size_t)x->nkids * sizeof *kids);
    int64_t row = 0, col = 0;
    (void)p;
    for (int i = 0; kids != NULL && i < x->nkids; i++) {
        const spl *kid = x->kid[i];
        const spl *body = spl_is_data_movement(kid) ? spl_movement_to_sigma(ctx, kid, 1, 1) : kid;
        if (body == NULL)
            return NULL;
        const spl *const three[] = {
            spl_scatter(ctx, ix_h(ctx, kid->rows, x->rows, row, 1), SPL_PLAIN),
            body->op == SPL_I ? spl_identity_in_runs(ctx, body->rows) : body,
            spl_gather(ctx, ix_h(ctx, kid->cols, x->cols, col, 1), SPL_PLAIN)};
        kids[i] = spl_mul(ctx, 3, three);
        row += kid->rows;
        col += kid->cols;
    }
    return kids == NULL ? NULL : spl_plus(ctx, x->nkids, kids);
}

static const char *const cases_sigma_sum[] = {
    "DFT(3)_{leaf} (+) DFT(2)_{leaf}",
    "DFT(1)_{leaf} (+) I(5)",
    "I(130) (+) DFT(2)_{leaf}",
    "(DFT(2)_{leaf} (x) I(3)) (+) T(2,3) (+) DFT(2)_{leaf}",
    "L(6,2) (+) (DFT(4)_{leaf} * L(4,2))",
    "DFT(3)_{leaf} (+) DFT(3)_{leaf}",
    "DFT(3)_{leaf}",
    NULL};

const spl_rule spl_sigma_sum = {
    .name = "sigma-sum",
    .group = SPL_SIGMA,
    .formula = "A (+) B -> S(h_A) A G(h_A) + S(h_B) B G(h_B)",
    .reference = "Spiral for the Cell, Table 2, for a direct sum",
    .guard = guard_sigma_sum,
    .build = build_sigma_sum,
    .cases = cases_sigma_sum,
};
