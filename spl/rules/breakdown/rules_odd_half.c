// SPDX-License-Identifier: BSD-3-Clause
/* The DCT-II of an odd number of reals by the half-spectrum of as many, the DCT-III, its transpose,
 * and the DHT: half of the work of complex numbers whose imaginary part is 0 (rules_odd.c). With
 * u_p = x_(n-1-2p), p <= (n-1)/2, else x_(2p-n), the fold of reversed reals, U = RDFT u, m = 2n+1,
 *     y_k + i y_{n-k} = 2 w_4n^(m k) U_k,  k <= (n-1)/2
 * (Makhoul 1980), as u is Makhoul's v_((n-1)/2-p) and U_k thus w_n^(k(n-1)/2) V_k^*. Reals are moved
 * in runs on both sides, by stages of their own: codelets read and write rows of equal strides. */
#include "spl/rules/breakdown/recipe.h"

/* Two runs of reals: `first` from a run at b0 by steps of s, the others from b1 by -s. The places
 * where they go are in order, or, `from_order`, those where they come from. */
typedef struct two_runs {
    int64_t n, first, all; /* in order; elsewhere */
    int64_t b0, b1, s;
    bool from_order;
} two_runs;

static const spl *run(spl_ctx *ctx, const two_runs *r, int64_t at, int64_t count, int64_t b,
                      int64_t s)
{
    const ix *order = ix_h(ctx, count, r->n, at, 1), *places = ix_h(ctx, count, r->all, b, s);

    return spl_mul2(ctx, spl_scatter(ctx, r->from_order ? places : order, SPL_PLAIN),
                    spl_gather(ctx, r->from_order ? order : places, SPL_PLAIN));
}

static const spl *moved_runs(spl_ctx *ctx, const two_runs *r)
{
    const spl *first = run(ctx, r, 0, r->first, r->b0, r->s);

    if (r->first == r->n)
        return first;
    const spl *const runs[] = {first, run(ctx, r, r->first, r->n - r->first, r->b1, -r->s)};
    return spl_plus(ctx, 2, runs);
}

/* The fold of reversed reals, or, `back`, its inverse. */
static const spl *reversed_fold(spl_ctx *ctx, int64_t n, bool back)
{
    const two_runs fold = {
        .n = n, .first = n / 2 + 1, .all = n, .b0 = n - 1, .b1 = 1, .s = -2, .from_order = back};

    return moved_runs(ctx, &fold);
}

/* Reals from re of rows k and im of rows n-k of a half-spectrum, or, `back`, to these; the
 * imaginary part of row 0 is 0 then. */
static const spl *parts(spl_ctx *ctx, int64_t n, bool back)
{
    const int64_t rows = n / 2 + 1;
    const two_runs both = {
        .n = n, .first = rows, .all = 2 * rows, .b0 = 0, .b1 = n, .s = 2, .from_order = back};

    return moved_runs(ctx, &both);
}

/* n^2 is far below 2^62. */
static const int64_t longest_in_order = (int64_t)1 << 30;

/* (2n+1) k, roots being periodic, or where that is too large k + 2n (k mod 2). */
static const ix *exponents(spl_ctx *ctx, int64_t n)
{
    const int64_t rows = n / 2 + 1;
    const ix_term digits[] = {{IX_INDEX, 1, 2, 2 * n + 1}, {IX_INDEX, 2, rows / 2 + 1, 2}};

    return n <= longest_in_order ? ix_h(ctx, rows, 4 * n, 0, 2 * n + 1)
                                 : ix_digit(ctx, rows, 4 * n, 0, 2, digits);
}

/* c diag(w_N^f) beside a stage of its own. */
static const spl *turned(spl_ctx *ctx, const spl *roots, const ix *f, double c)
{
    const spl *rows = spl_identity(ctx, f ? f->n : 1);
    const spl *const factors[] = {spl_diag_of(ctx, roots, f),
                                  c == 1 ? rows : spl_kron2(ctx, rows, spl_constant(ctx, c)),
                                  spl_kron2(ctx, spl_dft(ctx, 1, false), rows)};

    return spl_mul(ctx, 3, factors);
}

/* What the half-spectrum of x becomes, as reals. */
static const spl *from_half(spl_ctx *ctx, int64_t n, const spl *stage, const spl *x)
{
    const spl *const factors[] = {parts(ctx, n, false),
                                  spl_retyped(ctx, SPL_RETYPE_UNVIEW, n / 2 + 1), stage,
                                  spl_transform_node(ctx, SPL_RDFT, n), x};

    return spl_mul(ctx, 5, factors);
}

static const spl *dct2_half_of(spl_ctx *ctx, int64_t n)
{
    return from_half(ctx, n, turned(ctx, spl_roots(ctx, 4 * n, false), exponents(ctx, n), 2),
                     reversed_fold(ctx, n, false));
}

SPL_RECIPE(dct2_half, SPL_DCT2, SPL_SIZES_ODD)

const spl_rule spl_dct2_odd_half = {
    .name = "dct2-odd-half",
    .formula = "DCT2_n = G(re_k im_{n-k}) V^-1 diag(2 w_4n^((2n+1)k)) (DFT(1) (x) I) RDFT_n "
               "G(fold_n) J",
    .reference = "Makhoul 1980; Heideman 1992",
    SPL_RECIPE_OF(dct2_half),
};

static const spl *dct3_half_of(spl_ctx *ctx, int64_t n)
{
    const spl *const factors[] = {
        reversed_fold(ctx, n, true), spl_transform_node(ctx, SPL_IRDFT, n),
        turned(ctx, spl_roots(ctx, 4 * n, true), exponents(ctx, n), 1),
        spl_retyped(ctx, SPL_RETYPE_VIEW, n / 2 + 1), parts(ctx, n, true)};

    return spl_mul(ctx, 5, factors);
}

SPL_RECIPE(dct3_half, SPL_DCT3, SPL_SIZES_ODD)

const spl_rule spl_dct3_odd_half = {
    .name = "dct3-odd-half",
    .formula = "DCT3_n = J S(fold_n) IRDFT_n diag(w_4n^-((2n+1)k)) (DFT(1) (x) I) V "
               "S(re_k im_{n-k})",
    .reference = "Makhoul 1980; Heideman 1992",
    SPL_RECIPE_OF(dct3_half),
};

/* y_k + i y_{n-k} = (1 + i) X_k. The constant is the reciprocal of the parts of w_8 as these are
 * rounded, so that the factor is 1 + i. */
static const spl *dht_odd_of(spl_ctx *ctx, int64_t n)
{
    static const double w_8 = 0.70710678118654752440;
    const ix *f = ix_h(ctx, n / 2 + 1, 8, 7, 0);

    return from_half(ctx, n, turned(ctx, spl_roots(ctx, 8, false), f, 1 / w_8),
                     spl_identity(ctx, n));
}

SPL_RECIPE(dht_odd, SPL_DHT, SPL_SIZES_ODD)

const spl_rule spl_dht_odd_half = {
    .name = "dht-odd-half",
    .formula = "DHT_n = G(re_k im_{n-k}) V^-1 diag(2^(1/2) w_8^-1) (DFT(1) (x) I) RDFT_n",
    .reference = "Bracewell 1983",
    SPL_RECIPE_OF(dht_odd),
};
