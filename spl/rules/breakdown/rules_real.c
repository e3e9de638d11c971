// SPDX-License-Identifier: BSD-3-Clause
/* Transforms of reals. Even length n = 2m: pairs of reals as m complex numbers, and PAIRS
 * (spl/formula/pairs.h). Odd length: complex numbers with imaginary part 0, which is twice the
 * work. The missing half of a spectrum are conjugates, so the inverse takes the real part of the
 * transform of the half that is there, doubled except for element 0. */
#include "spl/rules/rewrite.h"

#include <stddef.h>

enum { EVEN = 0, ODD = 1 };

static bool is_transform(const spl *x, spl_kind kind, int parity, const char **refusal,
                         const char *which)
{
    return spl_unless(refusal, x->op == SPL_TRANSFORM && spl_transform_kind(x) == kind, which)
           && spl_unless(refusal, spl_transform_size(x) % 2 == parity,
                         parity == EVEN ? "the size must be even" : "the size must be odd");
}

/* Every size to 13 and some larger ones. */
static bool real_case(spl_ctx *ctx, int i, spl_kind kind, const spl **x, spl_params *p)
{
    static const int64_t larger[] = {16, 17, 20, 21, 24, 27, 32, 35, 64};
    const int most = 13, count = most + (int)(sizeof larger / sizeof larger[0]);
    *p = (spl_params){{0}};
    if (i >= count)
        return false;
    *x = spl_transform_node(ctx, kind, i < most ? i + 1 : larger[i - most]);
    return *x != NULL;
}

static bool rdft_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    return real_case(ctx, i, SPL_RDFT, x, p);
}

static bool irdft_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    return real_case(ctx, i, SPL_IRDFT, x, p);
}

static const char only_rdft[] = "it breaks down RDFT(n) only";
static const char only_irdft[] = "it breaks down IRDFT(n) only";

static bool rdft_half_guard(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return is_transform(x, SPL_RDFT, EVEN, refusal, only_rdft);
}

static const spl *rdft_half_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t m = spl_transform_size(x) / 2;
    (void)p;
    const spl *const factors[] = {spl_pairs(ctx, SPL_PAIRS_RDFT, m), spl_dft(ctx, m, false),
                                  spl_retyped(ctx, SPL_RETYPE_VIEW, m)};
    return spl_mul(ctx, 3, factors);
}

const spl_rule spl_rdft_half = {
    .name = "rdft-half",
    .group = SPL_PLANNED,
    .formula = "RDFT_2m = PAIRS.rdft_m DFT_m V_m",
    .reference = "Cooley, Lewis & Welch 1970",
    .guard = rdft_half_guard,
    .build = rdft_half_build,
    .test_case = rdft_case,
};

static bool irdft_half_guard(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return is_transform(x, SPL_IRDFT, EVEN, refusal, only_irdft);
}

static const spl *irdft_half_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t m = spl_transform_size(x) / 2;
    (void)p;
    const spl *const factors[] = {spl_retyped(ctx, SPL_RETYPE_UNVIEW, m), spl_dft(ctx, m, true),
                                  spl_pairs(ctx, SPL_PAIRS_IRDFT, m)};
    return spl_mul(ctx, 3, factors);
}

const spl_rule spl_irdft_half = {
    .name = "irdft-half",
    .group = SPL_PLANNED,
    .formula = "IRDFT_2m = V_m^-1 IDFT_m PAIRS.irdft_m",
    .reference = "Cooley, Lewis & Welch 1970",
    .guard = irdft_half_guard,
    .build = irdft_half_build,
    .test_case = irdft_case,
};

static bool rdft_odd_guard(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return is_transform(x, SPL_RDFT, ODD, refusal, only_rdft);
}

static const spl *rdft_odd_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t n = spl_transform_size(x);
    (void)p;
    const spl *const factors[] = {spl_gather(ctx, ix_h(ctx, n / 2 + 1, n, 0, 1), SPL_PLAIN),
                                  spl_dft(ctx, n, false), spl_retyped(ctx, SPL_RETYPE_EMBED, n)};
    return spl_mul(ctx, 3, factors);
}

const spl_rule spl_rdft_odd = {
    .name = "rdft-odd",
    .group = SPL_PLANNED,
    .formula = "RDFT_n = G(h_{0,1}) DFT_n EMBED_n",
    .reference = "by definition",
    .guard = rdft_odd_guard,
    .build = rdft_odd_build,
    .test_case = rdft_case,
};

static bool irdft_odd_guard(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return is_transform(x, SPL_IRDFT, ODD, refusal, only_irdft);
}

static const spl *irdft_odd_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t n = spl_transform_size(x);
    (void)p;
    const spl *const factors[] = {spl_retyped(ctx, SPL_RETYPE_RE, n), spl_dft(ctx, n, true),
                                  spl_scatter(ctx, ix_h(ctx, n / 2 + 1, n, 0, 1), SPL_PLAIN),
                                  spl_half(ctx, n / 2 + 1)};
    /* With one point RE suffices: H(1) would give the axis before it a diagonal */
    return spl_mul(ctx, n == 1 ? 1 : 4, factors);
}

const spl_rule spl_irdft_odd = {
    .name = "irdft-odd",
    .group = SPL_PLANNED,
    .formula = "IRDFT_n = RE_n IDFT_n S(h_{0,1}) H_{(n+1)/2}",
    .reference = "by definition",
    .guard = irdft_odd_guard,
    .build = irdft_odd_build,
    .test_case = irdft_case,
};
