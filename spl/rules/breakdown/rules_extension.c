// SPDX-License-Identifier: BSD-3-Clause
/* Cosine and sine transforms of type 1, by definition: DFTs of what they extend their input to, which
 * is even about its first and last elements, or odd about zeros before and behind it. Twice the work;
 * half the length with a weight of sines would do, but its errors grow as the square root of n. */
#include "spl/rules/breakdown/recipe.h"

/* Elements 0 .. half and back to 1, of n elements, among which these are. */
static const spl *there_and_back(spl_ctx *ctx, int64_t half, int64_t n)
{
    const int64_t all = 2 * half;
    const ix *f = ix_two(ctx, IX_INDEX, half, ix_h(ctx, all, n, 0, 1), ix_h(ctx, all, n, all, -1));
    return spl_gather(ctx, f, SPL_PLAIN);
}

static const spl *first_of(spl_ctx *ctx, int64_t n, int64_t all)
{
    return spl_gather(ctx, ix_h(ctx, n, all, 0, 1), SPL_PLAIN);
}

static const spl *dct1_columns_of(spl_ctx *ctx, int64_t n)
{
    const int64_t all = 2 * n - 2;
    const spl *const factors[] = {first_of(ctx, n, all), spl_dft(ctx, all, false),
                                  there_and_back(ctx, n - 1, n)};
    return spl_mul(ctx, 3, factors);
}

SPL_RECIPE(dct1_columns, SPL_DCT1, SPL_SIZES_ALL)

const spl_rule spl_dct1_columns = {
    .name = "dct1-columns",
    .formula = "DCT1_n = G(h_{0,1}) DFT_{2n-2} G(0 .. n-1 .. 1), on complex vectors",
    .reference = "by definition: the even extension",
    SPL_RECIPE_OF(dct1_columns),
};

static const spl *dct1_half_of(spl_ctx *ctx, int64_t n)
{
    const int64_t m = n - 1;
    const spl *const factors[] = {spl_retyped(ctx, SPL_RETYPE_RE, n),
                                  spl_pairs(ctx, SPL_PASS_RDFT, m), spl_dft(ctx, m, false),
                                  spl_retyped(ctx, SPL_RETYPE_VIEW, m), there_and_back(ctx, m, n)};
    return spl_mul(ctx, 5, factors);
}

SPL_RECIPE(dct1_half, SPL_DCT1, SPL_SIZES_ALL)

const spl_rule spl_dct1_half = {
    .name = "dct1-half",
    .formula = "DCT1_{m+1} = RE_{m+1} PAIRS.rdft_m DFT_m V_m G(0 .. m .. 1)",
    .reference = "by definition: the even extension; Cooley, Lewis & Welch 1970",
    SPL_RECIPE_OF(dct1_half),
};

/* A zero before and one behind n elements. */
static const spl *between_zeros(spl_ctx *ctx, int64_t n)
{
    return spl_scatter(ctx, ix_h(ctx, n, n + 2, 1, 1), SPL_PLAIN);
}

/* -1 of the first (`first`) or else of all other elements than the first `half` of n */
static const spl *signs_of(spl_ctx *ctx, int64_t n, int64_t half, bool first)
{
    const ix_term other = {IX_INDEX, half, 2, first ? -1 : 1};
    return spl_diag_of(ctx, spl_roots(ctx, 2, false), ix_digit(ctx, n, 2, first, 1, &other));
}

static const spl *dst1_columns_of(spl_ctx *ctx, int64_t n)
{
    const int64_t all = 2 * n + 2;
    const spl *const factors[] = {
        spl_gather(ctx, ix_h(ctx, n, all, 1, 1), SPL_PLAIN),
        spl_diag_of(ctx, spl_roots(ctx, 4, true), ix_h(ctx, all, 4, 1, 0)),
        spl_dft(ctx, all, false),
        signs_of(ctx, all, n + 1, false),
        there_and_back(ctx, n + 1, n + 2),
        between_zeros(ctx, n)};
    return spl_mul(ctx, 6, factors);
}

SPL_RECIPE(dst1_columns, SPL_DST1, SPL_SIZES_ALL)

const spl_rule spl_dst1_columns = {
    .name = "dst1-columns",
    .formula =
        "DST1_n = G(h_{1,1}) i DFT_{2n+2} (+1 .. -1 ..) G(0 .. n+1 .. 1) S(h_{1,1}), on complex "
        "vectors",
    .reference = "by definition: the odd extension",
    SPL_RECIPE_OF(dst1_columns),
};

/* Imaginary parts are every other real of pairs. Pairs of the extension have one sign: beside the
 * middle zero it does not matter. */
static const spl *dst1_half_of(spl_ctx *ctx, int64_t n)
{
    const int64_t m = n + 1;
    const spl *const factors[] = {spl_gather(ctx, ix_h(ctx, n, 2 * m + 2, 3, 2), SPL_PLAIN),
                                  spl_retyped(ctx, SPL_RETYPE_UNVIEW, m + 1),
                                  spl_pairs(ctx, SPL_PASS_RDFT, m),
                                  spl_dft(ctx, m, false),
                                  signs_of(ctx, m, n / 2 + 1, true),
                                  spl_retyped(ctx, SPL_RETYPE_VIEW, m),
                                  there_and_back(ctx, m, n + 2),
                                  between_zeros(ctx, n)};
    return spl_mul(ctx, 8, factors);
}

SPL_RECIPE(dst1_half, SPL_DST1, SPL_SIZES_ALL)

const spl_rule spl_dst1_half = {
    .name = "dst1-half",
    .formula = "DST1_n = G(h_{3,2}) V_{n+2}^-1 PAIRS.rdft_{n+1} DFT_{n+1} (-1 .. +1 ..) V_{n+1} "
               "G(0 .. n+1 .. 1) S(h_{1,1})",
    .reference = "by definition: the odd extension; Cooley, Lewis & Welch 1970",
    SPL_RECIPE_OF(dst1_half),
};
