// SPDX-License-Identifier: BSD-3-Clause
/* Cosine and sine transforms of type 1, by definition: DFTs of the extension of their input, which
 * is even about the first and last elements, or odd about zeros before and after the input. This is
 * twice the work of half the length with a weight of sines, whose errors grow as the square root of
 * n. */
#include "spl/rules/breakdown/recipe.h"

/* Elements 0 .. half, then back to 1, out of n elements. */
static const spl *there_and_back(spl_ctx *ctx, int64_t half, int64_t n)
{
    const int64_t all = 2 * half;
    const ix *f = ix_two(ctx, IX_INDEX, half, ix_h(ctx, all, n, 0, 1), ix_h(ctx, all, n, all, -1));
    return spl_gather(ctx, f, SPL_PLAIN);
}

static const spl *dct1_columns_of(spl_ctx *ctx, int64_t n)
{
    const int64_t all = 2 * n - 2;
    const spl *const factors[] = {spl_first_rows(ctx, n, all), spl_dft(ctx, all, false),
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

/* The extension of m+1 reals to 2m, in vectors. Pairs (x_j, x_j+1) are read; their first numbers
 * are written upwards from the start, their second ones downwards from the end. The odd extension
 * has pairs (x_j+1, -x_j) in the opposite directions, so that sums of sines are the imaginary parts
 * of its RDFT. */
static const spl *extension(spl_ctx *ctx, int64_t m, bool odd)
{
    const int64_t n = 2 * m;
    const ix_term first = {IX_INDEX, 2, m, 1}, second = {IX_INDEX, 1, 2, odd ? -1 : 1};
    const ix_term pair[] = {first, second}, down = {IX_INDEX, 2, m, -1};
    const ix *const up = ix_digit(ctx, n, n, 0, 1, &first), *const end = ix_digit(ctx, n, n, n - 1,
                                                                                  1, &down);
    const spl *const factors[] = {
        spl_scatter(ctx, ix_two(ctx, IX_INDEX, 1, odd ? end : up, odd ? up : end), SPL_PLAIN),
        spl_retyped(ctx, SPL_RETYPE_UNVIEW, m),
        odd ? spl_retyped(ctx, SPL_RETYPE_CONJ, m) : spl_copy_stage(ctx, m),
        spl_retyped(ctx, SPL_RETYPE_VIEW, m),
        spl_gather(ctx, ix_digit(ctx, n, m + 1, odd, 2, pair), SPL_PLAIN)};
    return spl_mul(ctx, 5, factors);
}

static const spl *dct1_half_of(spl_ctx *ctx, int64_t n)
{
    const int64_t m = n - 1;
    const spl *const factors[] = {spl_first_rows(ctx, n, 2 * m), spl_pairs(ctx, SPL_PAIRS_HC, m),
                                  spl_dft(ctx, m, false), spl_retyped(ctx, SPL_RETYPE_VIEW, m),
                                  extension(ctx, m, false)};
    return spl_mul(ctx, 5, factors);
}

SPL_RECIPE(dct1_half, SPL_DCT1, SPL_SIZES_ALL)

const spl_rule spl_dct1_half = {
    .name = "dct1-half",
    .formula = "DCT1_{m+1} = G(h_{0,1}) PAIRS.hc_m DFT_m V_m E_m, E_m = S(up and down) V_m^-1 "
               "(DFT(1) (x) I_m) V_m G(j j+1)",
    .reference = "by definition: the even extension; Cooley, Lewis & Welch 1970",
    SPL_RECIPE_OF(dct1_half),
};

static const spl *dct1_rdft_of(spl_ctx *ctx, int64_t n)
{
    const spl *const factors[] = {spl_retyped(ctx, SPL_RETYPE_RE, n),
                                  spl_transform_node(ctx, SPL_RDFT, 2 * n - 2),
                                  extension(ctx, n - 1, false)};
    return spl_mul(ctx, 3, factors);
}

SPL_RECIPE(dct1_rdft, SPL_DCT1, SPL_SIZES_ALL)

const spl_rule spl_dct1_rdft = {
    .name = "dct1-rdft",
    .formula = "DCT1_n = RE_n RDFT_{2n-2} E_{n-1}",
    .reference = "by definition: the even extension",
    SPL_RECIPE_OF(dct1_rdft),
};

/* A zero before and one after n elements. */
static const spl *between_zeros(spl_ctx *ctx, int64_t n)
{
    return spl_scatter(ctx, ix_h(ctx, n, n + 2, 1, 1), SPL_PLAIN);
}

/* Negates the second half of 2m elements. */
static const spl *signs_of(spl_ctx *ctx, int64_t m)
{
    const ix_term half = {IX_INDEX, m, 2, 1};
    return spl_diag_of(ctx, spl_roots(ctx, 2, false), ix_digit(ctx, 2 * m, 2, 0, 1, &half));
}

static const spl *dst1_columns_of(spl_ctx *ctx, int64_t n)
{
    const int64_t all = 2 * n + 2;
    const spl *const factors[] = {
        spl_gather(ctx, ix_h(ctx, n, all, 1, 1), SPL_PLAIN),
        spl_diag_of(ctx, spl_roots(ctx, 4, true), ix_h(ctx, all, 4, 1, 0)),
        spl_dft(ctx, all, false),
        signs_of(ctx, n + 1),
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

static const spl *dst1_half_of(spl_ctx *ctx, int64_t n)
{
    const int64_t m = n + 1;
    const spl *const factors[] = {spl_gather(ctx, ix_h(ctx, n, 2 * m, 2 * m - 1, -1), SPL_PLAIN),
                                  spl_pairs(ctx, SPL_PAIRS_HC, m),
                                  spl_dft(ctx, m, false),
                                  spl_retyped(ctx, SPL_RETYPE_VIEW, m),
                                  extension(ctx, m, true),
                                  between_zeros(ctx, n)};
    return spl_mul(ctx, 6, factors);
}

SPL_RECIPE(dst1_half, SPL_DST1, SPL_SIZES_ALL)

const spl_rule spl_dst1_half = {
    .name = "dst1-half",
    .formula = "DST1_n = G(h_{2n+1,-1}) PAIRS.hc_{n+1} DFT_{n+1} V_{n+1} E_{n+1} S(h_{1,1}), E_m = "
               "S(down and up) V_m^-1 CONJ_m V_m G(j+1 j)",
    .reference = "by definition: the odd extension; Cooley, Lewis & Welch 1970",
    SPL_RECIPE_OF(dst1_half),
};

/* Imaginary parts are every other real of pairs. */
static const spl *dst1_rdft_of(spl_ctx *ctx, int64_t n)
{
    const int64_t m = n + 1;
    const spl *const factors[] = {spl_gather(ctx, ix_h(ctx, n, 2 * m + 2, 3, 2), SPL_PLAIN),
                                  spl_retyped(ctx, SPL_RETYPE_UNVIEW, m + 1),
                                  spl_transform_node(ctx, SPL_RDFT, 2 * m), extension(ctx, m, true),
                                  between_zeros(ctx, n)};
    return spl_mul(ctx, 5, factors);
}

SPL_RECIPE(dst1_rdft, SPL_DST1, SPL_SIZES_ALL)

const spl_rule spl_dst1_rdft = {
    .name = "dst1-rdft",
    .formula =
        "DST1_n = G(h_{3,2}) V_{n+2}^-1 RDFT_{2n+2} E_{n+1} S(h_{1,1}), E_m = S(down and up) "
        "V_m^-1 CONJ_m V_m G(j+1 j)",
    .reference = "by definition: the odd extension",
    SPL_RECIPE_OF(dst1_rdft),
};
