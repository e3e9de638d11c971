// SPDX-License-Identifier: BSD-3-Clause
/* Real transforms of an even number n = 2m of reals by complex ones of half the length, on pairs of
 * reals (spl/formula/pairs.h). Alternating signs of reals are V^-1 CONJ V: a conjugation where
 * pairs are copied anyway, because they are folded. */
#include "spl/rules/breakdown/recipe.h"

static const spl *dct2_half_of(spl_ctx *ctx, int64_t n)
{
    return spl_mul2(ctx, spl_recipe_pairs_last(ctx, SPL_PAIRS_RDCT2, n / 2),
                    spl_perm(ctx, ix_fold(ctx, n)));
}

SPL_RECIPE(dct2_half, SPL_DCT2, SPL_SIZES_EVEN)

const spl_rule spl_dct2_half = {
    .name = "dct2-half",
    .formula = "DCT2_2m = PAIRS.rdct2_m DFT_m V_m G(fold_2m)",
    .reference = "Makhoul 1980",
    SPL_RECIPE_OF(dct2_half),
};

static const spl *dct3_half_of(spl_ctx *ctx, int64_t n)
{
    return spl_mul2(ctx, spl_perm(ctx, ix_unfold(ctx, n)),
                    spl_recipe_pairs_first(ctx, SPL_PAIRS_RDCT3, n / 2));
}

SPL_RECIPE(dct3_half, SPL_DCT3, SPL_SIZES_EVEN)

const spl_rule spl_dct3_half = {
    .name = "dct3-half",
    .formula = "DCT3_2m = S(fold_2m) V_m^-1 IDFT_m PAIRS.rdct3_m",
    .reference = "Makhoul 1980",
    SPL_RECIPE_OF(dct3_half),
};

static const spl *dst2_half_of(spl_ctx *ctx, int64_t n)
{
    const spl *const factors[] = {spl_recipe_pairs_last(ctx, SPL_PAIRS_RDST2, n / 2),
                                  spl_perm(ctx, ix_fold(ctx, n)), spl_alternating(ctx, n / 2)};
    return spl_mul(ctx, 3, factors);
}

SPL_RECIPE(dst2_half, SPL_DST2, SPL_SIZES_EVEN)

const spl_rule spl_dst2_half = {
    .name = "dst2-half",
    .formula = "DST2_2m = PAIRS.rdst2_m DFT_m V_m G(fold_2m) V_m^-1 CONJ_m V_m",
    .reference = "Makhoul 1980; Wang 1984",
    SPL_RECIPE_OF(dst2_half),
};

/* D S(fold) V^-1 IDFT PAIRS */
static const spl *alternating_folded(spl_ctx *ctx, spl_pairs_kind kind, int64_t n)
{
    const spl *const factors[] = {spl_alternating(ctx, n / 2), spl_perm(ctx, ix_unfold(ctx, n)),
                                  spl_recipe_pairs_first(ctx, kind, n / 2)};
    return spl_mul(ctx, 3, factors);
}

static const spl *dst3_half_of(spl_ctx *ctx, int64_t n)
{
    return alternating_folded(ctx, SPL_PAIRS_RDST3, n);
}

SPL_RECIPE(dst3_half, SPL_DST3, SPL_SIZES_EVEN)

const spl_rule spl_dst3_half = {
    .name = "dst3-half",
    .formula = "DST3_2m = V_m^-1 CONJ_m V_m S(fold_2m) V_m^-1 IDFT_m PAIRS.rdst3_m",
    .reference = "Makhoul 1980; Wang 1984",
    SPL_RECIPE_OF(dst3_half),
};

static const spl *idxst_half_of(spl_ctx *ctx, int64_t n)
{
    return alternating_folded(ctx, SPL_PAIRS_RIDXST, n);
}

SPL_RECIPE(idxst_half, SPL_IDXST, SPL_SIZES_EVEN)

const spl_rule spl_idxst_half = {
    .name = "idxst-half",
    .formula = "IDXST_2m = V_m^-1 CONJ_m V_m S(fold_2m) V_m^-1 IDFT_m PAIRS.ridxst_m",
    .reference = "Lin et al. 2019; Makhoul 1980",
    SPL_RECIPE_OF(idxst_half),
};

static const spl *dht_half_of(spl_ctx *ctx, int64_t n)
{
    return spl_recipe_pairs_last(ctx, SPL_PAIRS_RDHT, n / 2);
}

SPL_RECIPE(dht_half, SPL_DHT, SPL_SIZES_EVEN)

const spl_rule spl_dht_half = {
    .name = "dht-half",
    .formula = "DHT_2m = PAIRS.rdht_m DFT_m V_m",
    .reference = "Bracewell 1983",
    SPL_RECIPE_OF(dht_half),
};

/* V^-1 OUT DFT_m IN V */
static const spl *between_pairs(spl_ctx *ctx, spl_pairs_kind out, spl_pairs_kind in, int64_t m)
{
    const spl *const factors[] = {spl_retyped(ctx, SPL_RETYPE_UNVIEW, m), spl_pairs(ctx, out, m),
                                  spl_dft(ctx, m, false), spl_pairs(ctx, in, m),
                                  spl_retyped(ctx, SPL_RETYPE_VIEW, m)};
    return spl_mul(ctx, 5, factors);
}

static const spl *dct4_half_of(spl_ctx *ctx, int64_t n)
{
    return between_pairs(ctx, SPL_PAIRS_DCT4OUT, SPL_PAIRS_DCT4IN, n / 2);
}

SPL_RECIPE(dct4_half, SPL_DCT4, SPL_SIZES_EVEN)

const spl_rule spl_dct4_half = {
    .name = "dct4-half",
    .formula = "DCT4_2m = V_m^-1 PAIRS.dct4out_m DFT_m PAIRS.dct4in_m V_m",
    .reference = "Britanak, Yip & Rao 2007",
    SPL_RECIPE_OF(dct4_half),
};

static const spl *dst4_half_of(spl_ctx *ctx, int64_t n)
{
    return between_pairs(ctx, SPL_PAIRS_DST4OUT, SPL_PAIRS_DST4IN, n / 2);
}

SPL_RECIPE(dst4_half, SPL_DST4, SPL_SIZES_EVEN)

const spl_rule spl_dst4_half = {
    .name = "dst4-half",
    .formula = "DST4_2m = V_m^-1 PAIRS.dst4out_m DFT_m PAIRS.dst4in_m V_m",
    .reference = "Britanak, Yip & Rao 2007",
    SPL_RECIPE_OF(dst4_half),
};
