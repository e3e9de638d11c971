// SPDX-License-Identifier: BSD-3-Clause
/* Half-spectra as n reals, in an order of their own (spl/formula/half_order.h). For even n = 2m the
 * pairs write this order. Otherwise the half-spectrum of RDFT is moved: X_0 is real, and so is X_m
 * if the length is even; the others are pairs of reals, which halfcomplex order folds: real parts
 * upwards, imaginary parts downwards. */
#include "spl/rules/breakdown/recipe.h"

static const spl *hc_half_of(spl_ctx *ctx, int64_t n)
{
    return spl_recipe_pairs_last(ctx, SPL_PAIRS_HC, n / 2);
}

SPL_RECIPE(hc_half, SPL_HC, SPL_SIZES_EVEN)

const spl_rule spl_hc_half = {
    .name = "hc-half",
    .formula = "HC_2m = PAIRS.hc_m DFT_m V_m",
    .reference = "Cooley, Lewis & Welch 1970",
    SPL_RECIPE_OF(hc_half),
};

static const spl *ihc_half_of(spl_ctx *ctx, int64_t n)
{
    return spl_recipe_pairs_first(ctx, SPL_PAIRS_IHC, n / 2);
}

SPL_RECIPE(ihc_half, SPL_IHC, SPL_SIZES_EVEN)

const spl_rule spl_ihc_half = {
    .name = "ihc-half",
    .formula = "IHC_2m = V_m^-1 IDFT_m PAIRS.ihc_m",
    .reference = "Cooley, Lewis & Welch 1970",
    SPL_RECIPE_OF(ihc_half),
};

static const spl *packed_half_of(spl_ctx *ctx, int64_t n)
{
    return spl_recipe_pairs_last(ctx, SPL_PAIRS_PACKED, n / 2);
}

SPL_RECIPE(packed_half, SPL_PACKED, SPL_SIZES_EVEN)

const spl_rule spl_packed_half = {
    .name = "packed-half",
    .formula = "PACKED_2m = V_m^-1 PAIRS.packed_m DFT_m V_m",
    .reference = "Cooley, Lewis & Welch 1970",
    SPL_RECIPE_OF(packed_half),
};

static const spl *ipacked_half_of(spl_ctx *ctx, int64_t n)
{
    return spl_recipe_pairs_first(ctx, SPL_PAIRS_IPACKED, n / 2);
}

SPL_RECIPE(ipacked_half, SPL_IPACKED, SPL_SIZES_EVEN)

const spl_rule spl_ipacked_half = {
    .name = "ipacked-half",
    .formula = "IPACKED_2m = V_m^-1 IDFT_m PAIRS.ipacked_m V_m",
    .reference = "Cooley, Lewis & Welch 1970",
    SPL_RECIPE_OF(ipacked_half),
};

/* Real number `at` of n from row k of a half-spectrum, which is real; with `back` the inverse. */
static const spl *real_of(spl_ctx *ctx, int64_t n, int64_t at, int64_t k, bool back)
{
    const ix *number = ix_h(ctx, 1, n / 2 + 1, k, 1), *real = ix_h(ctx, 1, n, at, 1);
    const spl *const factors[] = {spl_scatter(ctx, back ? number : real, SPL_PLAIN),
                                  spl_retyped(ctx, back ? SPL_RETYPE_EMBED : SPL_RETYPE_RE, 1),
                                  spl_gather(ctx, back ? real : number, SPL_PLAIN)};

    return spl_mul(ctx, 3, factors);
}

/* The rows that are not real, as pairs of reals after `first` others. */
static const spl *pairs_of(spl_ctx *ctx, int64_t n, int64_t first, bool back)
{
    const int64_t m = (n - first) / 2;
    const ix *numbers = ix_h(ctx, m, n / 2 + 1, 1, 1), *reals = ix_h(ctx, 2 * m, n, first, 1);
    const spl *const factors[] = {spl_scatter(ctx, back ? numbers : reals, SPL_PLAIN),
                                  spl_retyped(ctx, back ? SPL_RETYPE_VIEW : SPL_RETYPE_UNVIEW, m),
                                  spl_gather(ctx, back ? reals : numbers, SPL_PLAIN)};

    return spl_mul(ctx, 3, factors);
}

/* The reals of a half-spectrum without the imaginary parts that are 0; with `back` the inverse. */
static const spl *packed_of(spl_ctx *ctx, int64_t n, bool back)
{
    const spl *runs[3] = {real_of(ctx, n, 0, 0, back)};
    int count = 1;

    if (n == 1)
        return spl_retyped(ctx, back ? SPL_RETYPE_EMBED : SPL_RETYPE_RE, 1);
    if (n % 2 == 0)
        runs[count++] = real_of(ctx, n, 1, n / 2, back);
    if (n > 2)
        runs[count] = pairs_of(ctx, n, count, back);
    return spl_plus(ctx, count + (n > 2), runs);
}

/* Real parts upwards, then imaginary parts downwards; with `back` the inverse. */
static const spl *halfcomplex_of(spl_ctx *ctx, int64_t n, bool back)
{
    if (n < 3)
        return packed_of(ctx, n, back);
    const spl *pairs = spl_retyped(ctx, back ? SPL_RETYPE_VIEW : SPL_RETYPE_UNVIEW, n / 2 + 1);
    const spl *parts = spl_half_parts(ctx, n, back);

    return back ? spl_mul2(ctx, pairs, parts) : spl_mul2(ctx, parts, pairs);
}

static const spl *hc_rdft_of(spl_ctx *ctx, int64_t n)
{
    return spl_mul2(ctx, halfcomplex_of(ctx, n, false), spl_transform_node(ctx, SPL_RDFT, n));
}

SPL_RECIPE(hc_rdft, SPL_HC, SPL_SIZES_ALL)

const spl_rule spl_hc_rdft = {
    .name = "hc-rdft",
    .formula =
        "HC_n = (S(h_{0,1}) G(h_{0,2}) + S(h_{m+1,1}) G(h_{q,-2})) V^-1 RDFT_n, m = n div 2, "
        "q = n, or n - 1 if n is even",
    .reference = "by definition",
    SPL_RECIPE_OF(hc_rdft),
};

static const spl *ihc_rdft_of(spl_ctx *ctx, int64_t n)
{
    return spl_mul2(ctx, spl_transform_node(ctx, SPL_IRDFT, n), halfcomplex_of(ctx, n, true));
}

SPL_RECIPE(ihc_rdft, SPL_IHC, SPL_SIZES_ALL)

const spl_rule spl_ihc_rdft = {
    .name = "ihc-rdft",
    .formula = "IHC_n = IRDFT_n V (S(h_{0,2}) G(h_{0,1}) + S(h_{q,-2}) G(h_{m+1,1})), m and q as "
               "there",
    .reference = "by definition",
    SPL_RECIPE_OF(ihc_rdft),
};

static const spl *packed_rdft_of(spl_ctx *ctx, int64_t n)
{
    return spl_mul2(ctx, packed_of(ctx, n, false), spl_transform_node(ctx, SPL_RDFT, n));
}

SPL_RECIPE(packed_rdft, SPL_PACKED, SPL_SIZES_ALL)

const spl_rule spl_packed_rdft = {
    .name = "packed-rdft",
    .formula = "PACKED_n = (S(h_{0,1}) RE_1 G(h_{0,1}) + S(h_{1,1}) RE_1 G(h_{m,1}) + S(h_{2,1}) "
               "V^-1 G(h_{1,1})) RDFT_n, m = n/2; of an odd n without the second term, and "
               "S(h_{1,1})",
    .reference = "by definition",
    SPL_RECIPE_OF(packed_rdft),
};

static const spl *ipacked_rdft_of(spl_ctx *ctx, int64_t n)
{
    return spl_mul2(ctx, spl_transform_node(ctx, SPL_IRDFT, n), packed_of(ctx, n, true));
}

SPL_RECIPE(ipacked_rdft, SPL_IPACKED, SPL_SIZES_ALL)

const spl_rule spl_ipacked_rdft = {
    .name = "ipacked-rdft",
    .formula = "IPACKED_n = IRDFT_n (S(h_{0,1}) EMBED_1 G(h_{0,1}) + S(h_{m,1}) EMBED_1 "
               "G(h_{1,1}) + S(h_{1,1}) V G(h_{2,1})), m = n/2; of an odd n without the second "
               "term, and G(h_{1,1})",
    .reference = "by definition",
    SPL_RECIPE_OF(ipacked_rdft),
};
