// SPDX-License-Identifier: BSD-3-Clause
/* Sine transforms and those of type 4 on complex columns, by complex-linear pairs. Sines are
 * cosines of reversed rows with alternating signs, D = diag(1, -1, 1, ..): DST2 = J DCT2 D, DST3 =
 * D DCT3 J; IDXST = D DCT3 J', where J' reverses all rows but row 0, which is dropped. In folded
 * order D is Q: 1 on the first half and -1 on the second. */
#include "spl/rules/breakdown/recipe.h"

static const spl *dst2_columns_of(spl_ctx *ctx, int64_t n)
{
    const spl *const factors[] = {spl_reversal(ctx, n), spl_pairs(ctx, SPL_PAIRS_DCT2, n),
                                  spl_dft(ctx, n, false), spl_signs(ctx, n),
                                  spl_perm(ctx, ix_fold(ctx, n))};
    return spl_mul(ctx, 5, factors);
}

SPL_RECIPE(dst2_columns, SPL_DST2, SPL_SIZES_ALL)

const spl_rule spl_dst2_columns = {
    .name = "dst2-columns",
    .formula = "DST2_n = J PAIRS.dct2_n DFT_n Q_n G(fold_n), on complex vectors",
    .reference = "Makhoul 1980; Wang 1984",
    SPL_RECIPE_OF(dst2_columns),
};

static const spl *dst3_columns_of(spl_ctx *ctx, int64_t n)
{
    const spl *const factors[] = {spl_perm(ctx, ix_unfold(ctx, n)), spl_signs(ctx, n),
                                  spl_dft(ctx, n, true), spl_pairs(ctx, SPL_PAIRS_DCT3, n),
                                  spl_reversal(ctx, n)};
    return spl_mul(ctx, 5, factors);
}

SPL_RECIPE(dst3_columns, SPL_DST3, SPL_SIZES_ALL)

const spl_rule spl_dst3_columns = {
    .name = "dst3-columns",
    .formula = "DST3_n = S(fold_n) Q_n IDFT_n PAIRS.dct3_n J, on complex vectors",
    .reference = "Makhoul 1980; Wang 1984",
    SPL_RECIPE_OF(dst3_columns),
};

static const spl *idxst_columns_of(spl_ctx *ctx, int64_t n)
{
    const spl *const factors[] = {spl_perm(ctx, ix_unfold(ctx, n)), spl_signs(ctx, n),
                                  spl_dft(ctx, n, true), spl_pairs(ctx, SPL_PAIRS_IDXST, n)};
    return spl_mul(ctx, 4, factors);
}

SPL_RECIPE(idxst_columns, SPL_IDXST, SPL_SIZES_ALL)

const spl_rule spl_idxst_columns = {
    .name = "idxst-columns",
    .formula = "IDXST_n = S(fold_n) Q_n IDFT_n PAIRS.idxst_n, on complex vectors",
    .reference = "Lin et al. 2019; Makhoul 1980",
    SPL_RECIPE_OF(idxst_columns),
};

/* W, the first n roots w_2n^i */
static const spl *half_steps(spl_ctx *ctx, int64_t n)
{
    return spl_diag_of(ctx, spl_roots(ctx, 2 * n, true), ix_h(ctx, n, 2 * n, 0, 1));
}

static const spl *dct4_columns_of(spl_ctx *ctx, int64_t n)
{
    const spl *const factors[] = {spl_perm(ctx, ix_unfold(ctx, n)), spl_signs(ctx, n),
                                  half_steps(ctx, n), spl_dft(ctx, n, true),
                                  spl_pairs(ctx, SPL_PAIRS_DCT4, n)};
    return spl_mul(ctx, 5, factors);
}

SPL_RECIPE(dct4_columns, SPL_DCT4, SPL_SIZES_ALL)

const spl_rule spl_dct4_columns = {
    .name = "dct4-columns",
    .formula =
        "DCT4_n = S(fold_n) Q_n W IDFT_n PAIRS.dct4_n, W = diag(w_2n^-i), on complex vectors",
    .reference = "Makhoul 1980, half a step further",
    SPL_RECIPE_OF(dct4_columns),
};

static const spl *dst4_columns_of(spl_ctx *ctx, int64_t n)
{
    const spl *const factors[] = {spl_perm(ctx, ix_unfold(ctx, n)), half_steps(ctx, n),
                                  spl_dft(ctx, n, true), spl_pairs(ctx, SPL_PAIRS_DCT4, n),
                                  spl_reversal(ctx, n)};
    return spl_mul(ctx, 5, factors);
}

SPL_RECIPE(dst4_columns, SPL_DST4, SPL_SIZES_ALL)

const spl_rule spl_dst4_columns = {
    .name = "dst4-columns",
    .formula = "DST4_n = S(fold_n) W IDFT_n PAIRS.dct4_n J, W = diag(w_2n^-i), on complex vectors",
    .reference = "Makhoul 1980, half a step further",
    SPL_RECIPE_OF(dst4_columns),
};
