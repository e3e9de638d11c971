// SPDX-License-Identifier: BSD-3-Clause
/* Four ways to compute a cosine transform of n reals by one transform of 4n, 2n or n reals, which
 * papers compare. They are slower than the rules of half the length, so they are for formulas that
 * users type; the planner does not use them. */
#include "spl/rules/breakdown/recipe.h"

static const spl *of_reals(spl_ctx *ctx, int64_t n)
{
    return spl_transform_node(ctx, SPL_RDFT, n);
}

/* Half a step: rows k are multiplied by w_4n^k. */
static const spl *turned(spl_ctx *ctx, int64_t rows, int64_t n)
{
    return spl_diag_of(ctx, spl_roots(ctx, 4 * n, false), ix_h(ctx, rows, 4 * n, 0, 1));
}

static const spl *twice(spl_ctx *ctx, int64_t rows)
{
    return spl_kron2(ctx, spl_identity(ctx, rows), spl_constant(ctx, 2));
}

/* 0 x_0 0 x_1 .. 0 x_{n-1} 0 x_{n-1} .. 0 x_0; zeros are element n of n + 1. */
static const spl *dct2_4n_of(spl_ctx *ctx, int64_t n)
{
    const ix_term up = {IX_INDEX, 2, 2 * n, 1}, down = {IX_INDEX, 2, 2 * n, -1};
    const ix *odd = ix_two(ctx, IX_INDEX, 2 * n, ix_digit(ctx, 4 * n, n + 1, 0, 1, &up),
                           ix_digit(ctx, 4 * n, n + 1, 2 * n - 1, 1, &down));
    const ix *f = ix_two(ctx, IX_INDEX, 1, ix_h(ctx, 4 * n, n + 1, n, 0), odd);
    const spl *const factors[] = {
        spl_retyped(ctx, SPL_RETYPE_RE, n), spl_first_rows(ctx, n, 2 * n + 1), of_reals(ctx, 4 * n),
        spl_gather(ctx, f, SPL_PLAIN), spl_scatter(ctx, ix_h(ctx, n, n + 1, 0, 1), SPL_PLAIN)};
    return spl_mul(ctx, 5, factors);
}

SPL_RECIPE(dct2_4n, SPL_DCT2, SPL_SIZES_ALL)

const spl_rule spl_dct2_4n = {
    .name = "dct2-4n",
    .formula = "DCT2_n = RE_n G(h_{0,1}) RDFT_4n G(n 0 n 1 .. n n-1 n n-1 .. n 0) S(h_{0,1})",
    .reference = "Makhoul 1980",
    SPL_RECIPE_TYPED(dct2_4n),
};

static const spl *dct2_mirrored_of(spl_ctx *ctx, int64_t n)
{
    const ix *f =
        ix_two(ctx, IX_INDEX, n, ix_h(ctx, 2 * n, n, 0, 1), ix_h(ctx, 2 * n, n, 2 * n - 1, -1));
    const spl *const factors[] = {spl_retyped(ctx, SPL_RETYPE_RE, n), turned(ctx, n, n),
                                  spl_first_rows(ctx, n, n + 1), of_reals(ctx, 2 * n),
                                  spl_gather(ctx, f, SPL_PLAIN)};
    return spl_mul(ctx, 5, factors);
}

SPL_RECIPE(dct2_mirrored, SPL_DCT2, SPL_SIZES_ALL)

const spl_rule spl_dct2_mirrored = {
    .name = "dct2-mirrored",
    .formula = "DCT2_n = RE_n diag(w_4n^k) G(h_{0,1}) RDFT_2n G(0 .. n-1 n-1 .. 0)",
    .reference = "Ahmed, Natarajan & Rao 1974",
    SPL_RECIPE_TYPED(dct2_mirrored),
};

static const spl *dct2_padded_of(spl_ctx *ctx, int64_t n)
{
    const spl *const factors[] = {spl_retyped(ctx, SPL_RETYPE_RE, n),
                                  turned(ctx, n, n),
                                  twice(ctx, n),
                                  spl_first_rows(ctx, n, n + 1),
                                  of_reals(ctx, 2 * n),
                                  spl_scatter(ctx, ix_h(ctx, n, 2 * n, 0, 1), SPL_PLAIN)};
    return spl_mul(ctx, 6, factors);
}

SPL_RECIPE(dct2_padded, SPL_DCT2, SPL_SIZES_ALL)

const spl_rule spl_dct2_padded = {
    .name = "dct2-padded",
    .formula = "DCT2_n = RE_n diag(2 w_4n^k) G(h_{0,1}) RDFT_2n S(h_{0,1})",
    .reference = "Ahmed, Natarajan & Rao 1974",
    SPL_RECIPE_TYPED(dct2_padded),
};

/* The parts of row k are y_k and -y_{n-k}. */
static const spl *dct2_n_of(spl_ctx *ctx, int64_t n)
{
    const int64_t rows = n / 2 + 1;
    const ix *f = ix_two(ctx, IX_INDEX, rows, ix_h(ctx, n, 2 * rows, 0, 2),
                         ix_h(ctx, n, 2 * rows, 2 * n + 1, -2));
    const spl *const factors[] = {spl_gather(ctx, f, SPL_PLAIN),
                                  spl_retyped(ctx, SPL_RETYPE_UNVIEW, rows),
                                  spl_retyped(ctx, SPL_RETYPE_CONJ, rows),
                                  turned(ctx, rows, n),
                                  twice(ctx, rows),
                                  of_reals(ctx, n),
                                  spl_perm(ctx, ix_fold(ctx, n))};
    return spl_mul(ctx, 7, factors);
}

SPL_RECIPE(dct2_n, SPL_DCT2, SPL_SIZES_ALL)

const spl_rule spl_dct2_n = {
    .name = "dct2-n",
    .formula = "DCT2_n = G(re_k im_{n-k}) V^-1 CONJ diag(2 w_4n^k) RDFT_n G(fold_n)",
    .reference = "Makhoul 1980",
    SPL_RECIPE_TYPED(dct2_n),
};
