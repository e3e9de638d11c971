// SPDX-License-Identifier: BSD-3-Clause
/* The DCT-II of an odd number of reals by the half-spectrum of as many; the DCT-III, its transpose;
 * sines; and the DHT. This is half of the work of complex numbers with imaginary part 0
 * (rules_odd.c). With the fold of reversed reals, u_p = x_(n-1-2p) for p <= (n-1)/2, else x_(2p-n),
 * and U = RDFT u,
 *     y_k + i y_{n-k} = 2 w_4n^((2n+1)k) U_k,  k <= (n-1)/2
 * (Makhoul 1980), because u_p is Makhoul's v_((n-1)/2-p), hence U_k = w_n^(k(n-1)/2) V_k^*. On both
 * sides stages of their own move reals in runs, as codelets have rows of equal strides. */
#include "spl/rules/breakdown/recipe.h"

/* The fold of reversed reals; with `back` its inverse. */
static const spl *reversed_fold(spl_ctx *ctx, int64_t n, bool back)
{
    const spl_two_runs fold = {
        .n = n, .first = n / 2 + 1, .all = n, .b0 = n - 1, .b1 = 1, .s = -2, .from_order = back};

    return spl_moved_runs(ctx, &fold);
}

/* For m complex numbers i div 2: re at c[0] + s[0] (i div 2), im at c[1] + s[1] (i div 2). */
static const ix *of_parts(spl_ctx *ctx, int64_t m, int64_t n, const int64_t c[2],
                          const int64_t s[2])
{
    const ix *part[2];

    for (int i = 0; i < 2; i++)
        part[i] = ix_digit(ctx, 2 * m, n, c[i], 1, &(ix_term){IX_INDEX, 2, m, s[i]});
    return ix_two(ctx, IX_INDEX, 1, part[0], part[1]);
}

/* The same fold of reals with every second one negated: those are the second run, whose reals are
 * the imaginary parts of conjugates. */
static const spl *signed_fold(spl_ctx *ctx, int64_t n, bool back)
{
    const int64_t m = n / 2;
    const spl *last = spl_mul2(ctx, spl_scatter(ctx, ix_h(ctx, 1, n, back ? 0 : m, 1), SPL_PLAIN),
                               spl_gather(ctx, ix_h(ctx, 1, n, back ? m : 0, 1), SPL_PLAIN));

    const ix *order = of_parts(ctx, m, n, (const int64_t[]){0, m + 1}, (const int64_t[]){1, 1});
    const ix *places = of_parts(ctx, m, n, (const int64_t[]){n - 1, 1}, (const int64_t[]){-2, 2});
    const spl *const factors[] = {
        spl_scatter(ctx, back ? places : order, SPL_PLAIN), spl_retyped(ctx, SPL_RETYPE_UNVIEW, m),
        spl_retyped(ctx, SPL_RETYPE_CONJ, m), spl_retyped(ctx, SPL_RETYPE_VIEW, m),
        spl_gather(ctx, back ? order : places, SPL_PLAIN)};
    const spl *const all[] = {spl_mul(ctx, 5, factors), last};
    return spl_plus(ctx, 2, all);
}

/* For sines: reals from im of rows k+1 and re of rows n-1-k of a half-spectrum; with `back` the
 * inverse. */
static const spl *sine_parts(spl_ctx *ctx, int64_t n, bool back)
{
    const int64_t m = n / 2;
    const spl_two_runs both = {
        .n = n, .first = m, .all = 2 * m + 2, .b0 = 3, .b1 = 2 * m, .s = 2, .from_order = back};

    return spl_moved_runs(ctx, &both);
}

/* (2n+1) k */
static const ix *exponents(spl_ctx *ctx, int64_t n)
{
    return spl_recipe_exponents(ctx, n / 2 + 1, 4 * n, 0, 2 * n + 1);
}

/* c diag(w_N^f) next to a stage that it merges into. */
static const spl *turned(spl_ctx *ctx, const spl *roots, const ix *f, double c)
{
    const spl *rows = spl_identity(ctx, f ? f->n : 1);
    const spl *const factors[] = {spl_diag_of(ctx, roots, f),
                                  c == 1 ? rows : spl_kron2(ctx, rows, spl_constant(ctx, c)),
                                  spl_kron2(ctx, spl_dft(ctx, 1, false), rows)};

    return spl_mul(ctx, 3, factors);
}

static const spl *half_turned(spl_ctx *ctx, int64_t n, bool inverse)
{
    return turned(ctx, spl_roots(ctx, 4 * n, inverse), exponents(ctx, n), inverse ? 1 : 2);
}

/* The half-spectrum of x, through `stage`, as reals. */
static const spl *from_half(spl_ctx *ctx, int64_t n, const spl *to, const spl *stage, const spl *x)
{
    const spl *const factors[] = {to, spl_retyped(ctx, SPL_RETYPE_UNVIEW, n / 2 + 1), stage,
                                  spl_transform_node(ctx, SPL_RDFT, n), x};

    return spl_mul(ctx, 5, factors);
}

/* Reals by IRDFT of the half-spectrum that is made of x. */
static const spl *to_half(spl_ctx *ctx, int64_t n, const spl *to, const spl *x)
{
    const spl *const factors[] = {to, spl_transform_node(ctx, SPL_IRDFT, n),
                                  half_turned(ctx, n, true),
                                  spl_retyped(ctx, SPL_RETYPE_VIEW, n / 2 + 1), x};

    return spl_mul(ctx, 5, factors);
}

static const spl *dct2_half_of(spl_ctx *ctx, int64_t n)
{
    return from_half(ctx, n, spl_half_parts(ctx, n, false), half_turned(ctx, n, false),
                     reversed_fold(ctx, n, false));
}

SPL_RECIPE(dct2_half, SPL_DCT2, SPL_SIZES_ODD_FROM_3)

const spl_rule spl_dct2_odd_half = {
    .name = "dct2-odd-half",
    .formula = "DCT2_n = G(re_k im_{n-k}) V^-1 diag(2 w_4n^((2n+1)k)) (DFT(1) (x) I) RDFT_n "
               "G(fold_n) J",
    .reference = "Makhoul 1980; Heideman 1992",
    SPL_RECIPE_OF(dct2_half),
};

static const spl *dct3_half_of(spl_ctx *ctx, int64_t n)
{
    return to_half(ctx, n, reversed_fold(ctx, n, true), spl_half_parts(ctx, n, true));
}

SPL_RECIPE(dct3_half, SPL_DCT3, SPL_SIZES_ODD_FROM_3)

const spl_rule spl_dct3_odd_half = {
    .name = "dct3-odd-half",
    .formula = "DCT3_n = J S(fold_n) IRDFT_n diag(w_4n^-((2n+1)k)) (DFT(1) (x) I) V "
               "S(re_k im_{n-k})",
    .reference = "Makhoul 1980; Heideman 1992",
    SPL_RECIPE_OF(dct3_half),
};

/* DST2 = J DCT2 D, DST3 = D DCT3 J, IDXST = D DCT3 J' (rules_odd.c). */
static const spl *dst2_odd_half_of(spl_ctx *ctx, int64_t n)
{
    return from_half(ctx, n, sine_parts(ctx, n, false), half_turned(ctx, n, false),
                     signed_fold(ctx, n, false));
}

SPL_RECIPE(dst2_odd_half, SPL_DST2, SPL_SIZES_ODD_FROM_3)

const spl_rule spl_dst2_odd_half = {
    .name = "dst2-odd-half",
    .formula = "DST2_n = G(im_{k+1} re_{n-1-k}) V^-1 diag(2 w_4n^((2n+1)k)) (DFT(1) (x) I) RDFT_n "
               "G(fold_n) J D, D = diag(1, -1, 1, ..)",
    .reference = "Wang 1984; Heideman 1992",
    SPL_RECIPE_OF(dst2_odd_half),
};

static const spl *dst3_odd_half_of(spl_ctx *ctx, int64_t n)
{
    return to_half(ctx, n, signed_fold(ctx, n, true), sine_parts(ctx, n, true));
}

SPL_RECIPE(dst3_odd_half, SPL_DST3, SPL_SIZES_ODD_FROM_3)

const spl_rule spl_dst3_odd_half = {
    .name = "dst3-odd-half",
    .formula = "DST3_n = D J S(fold_n) IRDFT_n diag(w_4n^-((2n+1)k)) (DFT(1) (x) I) V "
               "S(im_{k+1} re_{n-1-k}), D = diag(1, -1, 1, ..)",
    .reference = "Wang 1984; Heideman 1992",
    SPL_RECIPE_OF(dst3_odd_half),
};

/* The same for x_1, x_2, ..; the last one has no successor. */
static const spl *later_parts(spl_ctx *ctx, int64_t n)
{
    const int64_t m = n / 2, all = 2 * m + 2;
    const spl *const runs[] = {spl_mul2(ctx, spl_scatter(ctx, ix_h(ctx, m, all, 3, 2), SPL_PLAIN),
                                        spl_gather(ctx, ix_h(ctx, m, n, 1, 1), SPL_PLAIN)),
                               spl_mul2(ctx,
                                        spl_scatter(ctx, ix_h(ctx, m, all, 2 * m, -2), SPL_PLAIN),
                                        spl_gather(ctx, ix_h(ctx, m, n, m + 1, 1), SPL_PLAIN))};

    return spl_plus(ctx, 2, runs);
}

static const spl *idxst_odd_half_of(spl_ctx *ctx, int64_t n)
{
    return to_half(ctx, n, signed_fold(ctx, n, true), later_parts(ctx, n));
}

SPL_RECIPE(idxst_odd_half, SPL_IDXST, SPL_SIZES_ODD_FROM_3)

const spl_rule spl_idxst_odd_half = {
    .name = "idxst-odd-half",
    .formula = "IDXST_n = D J S(fold_n) IRDFT_n diag(w_4n^-((2n+1)k)) (DFT(1) (x) I) V "
               "S(im_k re_{n-k}) G(h_{1,1}), D = diag(1, -1, 1, ..)",
    .reference = "Lin et al. 2019; Wang 1984",
    SPL_RECIPE_OF(idxst_odd_half),
};

/* y_k + i y_{n-k} = (1 + i) X_k. The constant is the reciprocal of the rounded parts of w_8, so
 * that the factor is exactly 1 + i. */
static const spl *dht_odd_of(spl_ctx *ctx, int64_t n)
{
    static const double w_8 = 0.70710678118654752440;
    const ix *f = ix_h(ctx, n / 2 + 1, 8, 7, 0);

    return from_half(ctx, n, spl_half_parts(ctx, n, false),
                     turned(ctx, spl_roots(ctx, 8, false), f, 1 / w_8), spl_identity(ctx, n));
}

SPL_RECIPE(dht_odd, SPL_DHT, SPL_SIZES_ODD_FROM_3)

const spl_rule spl_dht_odd_half = {
    .name = "dht-odd-half",
    .formula = "DHT_n = G(re_k im_{n-k}) V^-1 diag(2^(1/2) w_8^-1) (DFT(1) (x) I) RDFT_n",
    .reference = "Bracewell 1983",
    SPL_RECIPE_OF(dht_odd),
};
