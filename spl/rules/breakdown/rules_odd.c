// SPDX-License-Identifier: BSD-3-Clause
/* The DCT-II of an odd number of reals by half of the rows of a DFT of folded ones, and the DCT-III
 * by a DFT of half of the rows: with c_k = w_4n^k, 0 <= k <= (n-1)/2,
 *     DCT2: y_k - i y_{n-k} = 2 c_k X_k;  DCT3: X_k* = c_k (x_k + i x_{n-k}), x_n = 0
 * (Makhoul 1980). Instead of a pass over rows k and n-k, of which the second ones are the
 * conjugates of the first: numbers multiplied in order, whose parts go two ways. */
#include "spl/rules/breakdown/recipe.h"

static const spl *dct2_odd_of(spl_ctx *ctx, int64_t n)
{
    const int64_t rows = n / 2 + 1;
    const ix *parts = ix_two(ctx, IX_INDEX, rows, ix_h(ctx, n, 2 * rows, 0, 2),
                             ix_h(ctx, n, 2 * rows, 2 * n + 1, -2));
    const spl *const factors[] = {
        spl_gather(ctx, parts, SPL_PLAIN),
        spl_retyped(ctx, SPL_RETYPE_UNVIEW, rows),
        spl_retyped(ctx, SPL_RETYPE_CONJ, rows),
        spl_diag_of(ctx, spl_roots(ctx, 4 * n, false), ix_h(ctx, rows, 4 * n, 0, 1)),
        spl_kron2(ctx, spl_identity(ctx, rows), spl_constant(ctx, 2)),
        spl_kron2(ctx, spl_dft(ctx, 1, false), spl_identity(ctx, rows)),
        spl_gather(ctx, ix_h(ctx, rows, n, 0, 1), SPL_PLAIN),
        spl_dft(ctx, n, false),
        spl_retyped(ctx, SPL_RETYPE_EMBED, n),
        spl_perm(ctx, ix_fold(ctx, n))};
    return spl_mul(ctx, 10, factors);
}

SPL_RECIPE(dct2_odd, SPL_DCT2, SPL_SIZES_ODD)

const spl_rule spl_dct2_odd = {
    .name = "dct2-odd",
    .formula = "DCT2_n = G(re_k im_{n-k}) V^-1 CONJ diag(2 w_4n^k) (DFT(1) (x) I) G(h_{0,1}) DFT_n "
               "EMBED_n "
               "G(fold_n)",
    .reference = "Makhoul 1980",
    SPL_RECIPE_OF(dct2_odd),
};

static const spl *dct3_odd_of(spl_ctx *ctx, int64_t n)
{
    const int64_t rows = n / 2 + 1, even = 2 * rows;
    const ix_term up = {IX_INDEX, 2, rows, 1}, down = {IX_INDEX, 2, rows, -1};
    const ix *parts = ix_two(ctx, IX_INDEX, 1, ix_digit(ctx, even, n + 1, 0, 1, &up),
                             ix_digit(ctx, even, n + 1, n, 1, &down));
    const spl *const factors[] = {
        spl_perm(ctx, ix_unfold(ctx, n)),
        spl_retyped(ctx, SPL_RETYPE_RE, n),
        spl_dft(ctx, n, false),
        spl_scatter(ctx, ix_h(ctx, rows, n, 0, 1), SPL_PLAIN),
        spl_diag_of(ctx, spl_roots(ctx, 4 * n, false), ix_h(ctx, rows, 4 * n, 0, 1)),
        spl_half(ctx, rows),
        spl_kron2(ctx, spl_dft(ctx, 1, false), spl_identity(ctx, rows)),
        spl_retyped(ctx, SPL_RETYPE_VIEW, rows),
        spl_gather(ctx, parts, SPL_PLAIN),
        spl_scatter(ctx, ix_h(ctx, n, n + 1, 0, 1), SPL_PLAIN)};
    return spl_mul(ctx, 10, factors);
}

SPL_RECIPE(dct3_odd, SPL_DCT3, SPL_SIZES_ODD)

const spl_rule spl_dct3_odd = {
    .name = "dct3-odd",
    .formula = "DCT3_n = S(fold_n) RE_n DFT_n S(h_{0,1}) diag(w_4n^k) H (DFT(1) (x) I) V G(k n-k) "
               "S(h_{0,1})",
    .reference = "Makhoul 1980",
    SPL_RECIPE_OF(dct3_odd),
};
