// SPDX-License-Identifier: BSD-3-Clause
/* The DCT-II of an odd number of reals by half of the rows of a DFT of the folded reals, and the
 * DCT-III by a DFT of half of the rows: with c_k = w_4n^k, 0 <= k <= (n-1)/2,
 *     DCT2: y_k - i y_{n-k} = 2 c_k X_k;  DCT3: X_k* = c_k (x_k + i x_{n-k}), x_n = 0
 * (Makhoul 1980). There are no pairs of rows k and n-k, as the second rows are conjugates of the
 * first. Instead numbers are multiplied in order, and their real and imaginary parts are moved in
 * opposite directions. */
#include "spl/rules/breakdown/recipe.h"

/* The parts of 2 w_k X_k for half of the rows of X, a DFT, from row `first` on; `parts` says from
 * where each output is read. */
static const spl *half_of_rows(spl_ctx *ctx, int64_t n, const ix *parts, const spl *w,
                               int64_t first, const spl *dft)
{
    const int64_t rows = n / 2 + 1;
    const spl *const factors[] = {spl_gather(ctx, parts, SPL_PLAIN),
                                  spl_retyped(ctx, SPL_RETYPE_UNVIEW, rows),
                                  w,
                                  spl_kron2(ctx, spl_identity(ctx, rows), spl_constant(ctx, 2)),
                                  spl_copy_stage(ctx, rows),
                                  spl_gather(ctx, ix_h(ctx, rows, n, first, 1), SPL_PLAIN),
                                  dft};
    return spl_mul(ctx, 7, factors);
}

static const spl *dct2_odd_of(spl_ctx *ctx, int64_t n)
{
    const int64_t rows = n / 2 + 1;
    const ix *parts = ix_two(ctx, IX_INDEX, rows, ix_h(ctx, n, 2 * rows, 0, 2),
                             ix_h(ctx, n, 2 * rows, 2 * n + 1, -2));
    const spl *w = spl_diag_of(ctx, spl_roots(ctx, 4 * n, true), ix_h(ctx, rows, 4 * n, 0, 1));
    const spl *const dft[] = {spl_dft(ctx, n, true), spl_retyped(ctx, SPL_RETYPE_EMBED, n),
                              spl_perm(ctx, ix_fold(ctx, n))};
    return half_of_rows(ctx, n, parts, w, 0, spl_mul(ctx, 3, dft));
}

SPL_RECIPE(dct2_odd, SPL_DCT2, SPL_SIZES_ODD)

const spl_rule spl_dct2_odd = {
    .name = "dct2-odd",
    .formula = "DCT2_n = G(re_k im_{n-k}) V^-1 diag(2 w_4n^-k) (DFT(1) (x) I) G(h_{0,1}) IDFT_n "
               "EMBED_n G(fold_n)",
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
        spl_copy_stage(ctx, rows),
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

/* Type 4, c = (n-1)/2 the middle, X the DFT of folded reals times w_2n^j:
 *     DST4: y_{c+k} + i y_{c-k} = 2 w_8n^(2k-n) X_{c+k}
 * because pi (2j+1)(2k+1)/4n is a sum of multiples of pi/4 and of 2 pi/n, as 4 and n are coprime,
 * and sines of odd multiples of pi/4 differ in sign only. DCT4 = D DST4 J, D = diag(1, -1, 1, ..),
 * J the reversal; (-1)^(c+k) = w_8n^(4n(c+k)). */
static const ix *type4_exponents(spl_ctx *ctx, int64_t n, bool cosines)
{
    const int64_t rows = n / 2 + 1, turn = cosines ? 4 * n : 0;
    const int64_t first = (7 * n + turn * (n / 2 % 2)) % (8 * n);

    return spl_recipe_exponents(ctx, rows, 8 * n, first, 2 + turn);
}

static const spl *type4_of(spl_ctx *ctx, int64_t n, bool cosines)
{
    const int64_t rows = n / 2 + 1, even = 2 * rows, c = n / 2;
    const ix *parts =
        ix_two(ctx, IX_INDEX, rows, ix_h(ctx, n, even, n, -2), ix_h(ctx, n, even, 1 - n, 2));
    const spl *w = spl_diag_of(ctx, spl_roots(ctx, 8 * n, false), type4_exponents(ctx, n, cosines));
    const spl *const dft[] = {
        spl_dft(ctx, n, false),
        spl_diag_of(ctx, spl_roots(ctx, 2 * n, false), ix_h(ctx, n, 2 * n, 0, 1)),
        spl_retyped(ctx, SPL_RETYPE_EMBED, n), spl_perm(ctx, ix_fold(ctx, n)),
        spl_reversal(ctx, n)};
    return half_of_rows(ctx, n, parts, w, c, spl_mul(ctx, cosines ? 5 : 4, dft));
}

static const spl *dct4_odd_of(spl_ctx *ctx, int64_t n)
{
    return type4_of(ctx, n, true);
}

SPL_RECIPE(dct4_odd, SPL_DCT4, SPL_SIZES_ODD)

const spl_rule spl_dct4_odd = {
    .name = "dct4-odd",
    .formula = "DCT4_n = G(im_{c-k} re_{c+k}) V^-1 diag(2 w_8n^(4nc-n+(4n+2)k)) (DFT(1) (x) I) "
               "G(h_{c,1}) DFT_n diag(w_2n^j) EMBED_n G(fold_n) J",
    .reference = "Chan & Ho 1990",
    SPL_RECIPE_OF(dct4_odd),
};

static const spl *dst4_odd_of(spl_ctx *ctx, int64_t n)
{
    return type4_of(ctx, n, false);
}

SPL_RECIPE(dst4_odd, SPL_DST4, SPL_SIZES_ODD)

const spl_rule spl_dst4_odd = {
    .name = "dst4-odd",
    .formula = "DST4_n = G(im_{c-k} re_{c+k}) V^-1 diag(2 w_8n^(2k-n)) (DFT(1) (x) I) "
               "G(h_{c,1}) DFT_n diag(w_2n^j) EMBED_n G(fold_n)",
    .reference = "Chan & Ho 1990",
    SPL_RECIPE_OF(dst4_odd),
};

/* Sines are cosines of reversed reals with alternating signs, D = diag(1, -1, 1, ..):
 *     DST2 = J DCT2 D, DST3 = D DCT3 J, IDXST = D DCT3 J',
 * where J' reverses all but the first real and replaces that by 0. */

/* D on n reals and one more. */
static const spl *alternating(spl_ctx *ctx, int64_t n)
{
    const int64_t rows = n / 2 + 1;
    const spl *const factors[] = {spl_gather(ctx, ix_h(ctx, n, 2 * rows, 0, 1), SPL_PLAIN),
                                  spl_alternating(ctx, rows),
                                  spl_scatter(ctx, ix_h(ctx, n, 2 * rows, 0, 1), SPL_PLAIN)};
    return spl_mul(ctx, 3, factors);
}

static const spl *dst2_odd_of(spl_ctx *ctx, int64_t n)
{
    const spl *const factors[] = {spl_reversal(ctx, n), spl_transform_node(ctx, SPL_DCT2, n),
                                  alternating(ctx, n)};
    return spl_mul(ctx, 3, factors);
}

SPL_RECIPE(dst2_odd, SPL_DST2, SPL_SIZES_ODD)

const spl_rule spl_dst2_odd = {
    .name = "dst2-odd",
    .formula = "DST2_n = J DCT2_n G(h_{0,1}) V^-1 CONJ V S(h_{0,1})",
    .reference = "Wang 1984",
    SPL_RECIPE_OF(dst2_odd),
};

static const spl *dst3_odd_of(spl_ctx *ctx, int64_t n)
{
    const spl *const factors[] = {alternating(ctx, n), spl_transform_node(ctx, SPL_DCT3, n),
                                  spl_reversal(ctx, n)};
    return spl_mul(ctx, 3, factors);
}

SPL_RECIPE(dst3_odd, SPL_DST3, SPL_SIZES_ODD)

const spl_rule spl_dst3_odd = {
    .name = "dst3-odd",
    .formula = "DST3_n = G(h_{0,1}) V^-1 CONJ V S(h_{0,1}) DCT3_n J",
    .reference = "Wang 1984",
    SPL_RECIPE_OF(dst3_odd),
};

static const spl *idxst_odd_of(spl_ctx *ctx, int64_t n)
{
    const spl *const factors[] = {alternating(ctx, n), spl_transform_node(ctx, SPL_DCT3, n),
                                  spl_gather(ctx, ix_h(ctx, n, n + 1, n, -1), SPL_PLAIN),
                                  spl_scatter(ctx, ix_h(ctx, n, n + 1, 0, 1), SPL_PLAIN)};
    return spl_mul(ctx, 4, factors);
}

SPL_RECIPE(idxst_odd, SPL_IDXST, SPL_SIZES_ODD)

const spl_rule spl_idxst_odd = {
    .name = "idxst-odd",
    .formula = "IDXST_n = G(h_{0,1}) V^-1 CONJ V S(h_{0,1}) DCT3_n G(h_{n,-1}) S(h_{0,1})",
    .reference = "Lin et al. 2019; Wang 1984",
    SPL_RECIPE_OF(idxst_odd),
};
