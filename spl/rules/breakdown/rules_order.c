// SPDX-License-Identifier: BSD-3-Clause
/* Half-spectra as n reals, in an order of their own (spl/formula/half_order.h). Of even length n =
 * 2m the pass leaves them so. Of odd length the half-spectrum of RDFT is: X_0 is real, the others
 * are pairs of reals, which halfcomplex order folds: real parts upwards, imaginary parts
 * downwards. */
#include "spl/rules/breakdown/recipe.h"

static const spl *hc_half_of(spl_ctx *ctx, int64_t n)
{
    return spl_recipe_pass_last(ctx, SPL_PASS_HC, n / 2);
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
    return spl_recipe_pass_first(ctx, SPL_PASS_IHC, n / 2);
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
    return spl_recipe_pass_last(ctx, SPL_PASS_PACKED, n / 2);
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
    return spl_recipe_pass_first(ctx, SPL_PASS_IPACKED, n / 2);
}

SPL_RECIPE(ipacked_half, SPL_IPACKED, SPL_SIZES_EVEN)

const spl_rule spl_ipacked_half = {
    .name = "ipacked-half",
    .formula = "IPACKED_2m = V_m^-1 IDFT_m PAIRS.ipacked_m V_m",
    .reference = "Cooley, Lewis & Welch 1970",
    SPL_RECIPE_OF(ipacked_half),
};

/* (RE_1 (+) P V^-1) RDFT_n; NULL for P: none */
static const spl *order_last(spl_ctx *ctx, int64_t n, const spl *p)
{
    const int64_t m = n / 2;
    const spl *first = spl_retyped(ctx, SPL_RETYPE_RE, 1);
    const spl *rdft = spl_transform_node(ctx, SPL_RDFT, n);
    if (m == 0)
        return spl_mul2(ctx, first, rdft);
    const spl *pairs = spl_retyped(ctx, SPL_RETYPE_UNVIEW, m);
    const spl *const terms[] = {first, p ? spl_mul2(ctx, p, pairs) : pairs};
    return spl_mul2(ctx, spl_dsum(ctx, 2, terms), rdft);
}

/* IRDFT_n (EMBED_1 (+) V P) */
static const spl *order_first(spl_ctx *ctx, int64_t n, const spl *p)
{
    const int64_t m = n / 2;
    const spl *first = spl_retyped(ctx, SPL_RETYPE_EMBED, 1);
    const spl *irdft = spl_transform_node(ctx, SPL_IRDFT, n);
    if (m == 0)
        return spl_mul2(ctx, irdft, first);
    const spl *pairs = spl_retyped(ctx, SPL_RETYPE_VIEW, m);
    const spl *const terms[] = {first, p ? spl_mul2(ctx, pairs, p) : pairs};
    return spl_mul2(ctx, irdft, spl_dsum(ctx, 2, terms));
}

static const spl *hc_odd_of(spl_ctx *ctx, int64_t n)
{
    return order_last(ctx, n, n > 1 ? spl_perm(ctx, ix_fold(ctx, n - 1)) : NULL);
}

SPL_RECIPE(hc_odd, SPL_HC, SPL_SIZES_ODD)

const spl_rule spl_hc_odd = {
    .name = "hc-odd",
    .formula = "HC_n = (RE_1 (+) G(fold_{n-1}) V^-1) RDFT_n",
    .reference = "by definition",
    SPL_RECIPE_OF(hc_odd),
};

static const spl *ihc_odd_of(spl_ctx *ctx, int64_t n)
{
    return order_first(ctx, n, n > 1 ? spl_perm(ctx, ix_unfold(ctx, n - 1)) : NULL);
}

SPL_RECIPE(ihc_odd, SPL_IHC, SPL_SIZES_ODD)

const spl_rule spl_ihc_odd = {
    .name = "ihc-odd",
    .formula = "IHC_n = IRDFT_n (EMBED_1 (+) V S(fold_{n-1}))",
    .reference = "by definition",
    SPL_RECIPE_OF(ihc_odd),
};

static const spl *packed_odd_of(spl_ctx *ctx, int64_t n)
{
    return order_last(ctx, n, NULL);
}

SPL_RECIPE(packed_odd, SPL_PACKED, SPL_SIZES_ODD)

const spl_rule spl_packed_odd = {
    .name = "packed-odd",
    .formula = "PACKED_n = (RE_1 (+) V^-1) RDFT_n",
    .reference = "by definition",
    SPL_RECIPE_OF(packed_odd),
};

static const spl *ipacked_odd_of(spl_ctx *ctx, int64_t n)
{
    return order_first(ctx, n, NULL);
}

SPL_RECIPE(ipacked_odd, SPL_IPACKED, SPL_SIZES_ODD)

const spl_rule spl_ipacked_odd = {
    .name = "ipacked-odd",
    .formula = "IPACKED_n = IRDFT_n (EMBED_1 (+) V)",
    .reference = "by definition",
    SPL_RECIPE_OF(ipacked_odd),
};
