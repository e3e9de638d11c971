// SPDX-License-Identifier: BSD-3-Clause
/* A prime length as a cyclic convolution (Rader 1968). Powers of a primitive root g number all
 * elements but element 0: x_i is input g^{i-1}, y_i output g^{-(i-1)}, and with n = p-1
 *     y_{1+k} = x_0 + SUM_j x_{1+j} b_{k-j},    b_q = w_p^{g^-q},
 * a diagonal B = DFT_n b/n between DFT_n and IDFT_n. x_0 and y_0, the sum of all inputs, are
 * computed in the corner
 *     [y_0; S_0] = [1 -n; 1 1] [x_0; -X_0/n],   -1/n = B_0,
 * where adding x_0 to entry 0 of the spectrum adds it to all results. The corner is two DFT_2 with
 * diagonals: with s = sqrt(n) and the second input scaled by is,
 *     [1 -n; 1 1] = diag(1, -i/s) DFT_2 diag((1+is)/2, (1-is)/2) DFT_2 diag(1, is). */
#include "spl/rules/rewrite.h"

#include "core/number.h"

#include <stddef.h>

static bool rader_guard(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    if (!spl_unless(refusal, spl_is_dft(x), "it breaks down DFT(p) and IDFT(p) only"))
        return false;
    return spl_unless(refusal, ix_primitive_root(spl_transform_size(x)) != 0,
                      "the size must be a prime from 3 to 2^26");
}

static bool rader_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    static const int64_t cases[] = {3, 5, 7, 11, 13, 17, 29, 31, 37, 41, 61, 73, 9, 2};
    const int count = sizeof cases / sizeof cases[0];
    if (i >= 2 * count)
        return false;
    *x = spl_dft(ctx, cases[i / 2], i % 2 != 0);
    *p = (spl_params){{0}};
    return *x != NULL;
}

/* A on all elements but element 0. */
static const spl *direct_sum(spl_ctx *ctx, const spl *first, const spl *rest)
{
    const spl *const kids[] = {first, rest};
    return spl_dsum(ctx, 2, kids);
}

static const spl *corner_of(spl_ctx *ctx, int64_t p, bool inverse)
{
    const spl *values = spl_corner(ctx, p, inverse), *two = spl_dft(ctx, 2, false);
    const spl *const factors[] = {spl_diag_of(ctx, values, ix_h(ctx, 2, 4, 2, 1)), two,
                                  spl_diag_of(ctx, values, ix_h(ctx, 2, 4, 0, 1)), two};
    return spl_mul(ctx, 4, factors);
}

static const spl *rader_build(spl_ctx *ctx, const spl *x, const spl_params *params)
{
    const int64_t p = spl_transform_size(x), n = p - 1, g = ix_primitive_root(p);
    const bool inverse = spl_is_inverse_dft(x);
    const spl *one = spl_dft(ctx, 1, false);
    (void)params;
    const spl *const factors[] = {
        spl_scatter(ctx, ix_power(ctx, p, core_power_mod(g, p - 2, p)), SPL_PLAIN),
        direct_sum(ctx, one, spl_dft(ctx, n, !inverse)),
        n > 2 ? direct_sum(ctx, corner_of(ctx, p, inverse), spl_identity(ctx, p - 2))
              : direct_sum(ctx, corner_of(ctx, p, inverse), one),
        spl_rader(ctx, p, g, inverse),
        direct_sum(ctx, one, spl_dft(ctx, n, inverse)),
        spl_gather(ctx, ix_power(ctx, p, g), SPL_PLAIN)};
    return spl_mul(ctx, 6, factors);
}

const spl_rule spl_dft_rader = {
    .name = "dft-rader",
    .group = SPL_BREAKDOWN,
    .formula = "DFT_p = S(r_1/g) (1 (+) IDFT_{p-1}) (D DFT_2 D DFT_2 (+) I_{p-2}) R_{p,g} "
               "(1 (+) DFT_{p-1}) G(r_g), r_g = power(p,g), D of K_p",
    .reference = "Rader 1968",
    .params = "",
    .guard = rader_guard,
    .build = rader_build,
    .test_case = rader_case,
};
