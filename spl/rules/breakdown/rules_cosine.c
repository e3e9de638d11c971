// SPDX-License-Identifier: BSD-3-Clause
/* Real transforms of complex columns, of any length, by complex-linear pairs (spl/formula/pairs.h):
 * two real columns form one complex column, and each of them is transformed. */
#include "spl/rules/rewrite.h"

#include <stddef.h>

static bool is_kind(const spl *x, spl_kind kind)
{
    return x->op == SPL_TRANSFORM && spl_transform_kind(x) == kind;
}

/* Every size to 10, some larger ones, and a transform of another kind. */
static bool cosine_case(spl_ctx *ctx, int i, spl_kind kind, const spl **x, spl_params *p)
{
    static const int64_t larger[] = {15, 16, 21, 24, 32};
    const int most = 10, count = most + (int)(sizeof larger / sizeof larger[0]);
    *p = (spl_params){{0}};
    if (i > count)
        return false;
    *x = i == count  ? spl_transform_node(ctx, SPL_DST4, 4)
         : i >= most ? spl_transform_node(ctx, kind, larger[i - most])
                     : spl_transform_node(ctx, kind, i + 1);
    return *x != NULL;
}

static bool dct2_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    return cosine_case(ctx, i, SPL_DCT2, x, p);
}

static bool dct2_guard(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal, is_kind(x, SPL_DCT2), "it breaks down DCT2(n) only");
}

static const spl *dct2_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t n = spl_transform_size(x);
    (void)p;
    const spl *const factors[] = {spl_pairs(ctx, SPL_PAIRS_DCT2, n), spl_dft(ctx, n, false),
                                  spl_perm(ctx, ix_fold(ctx, n))};
    return spl_mul(ctx, 3, factors);
}

const spl_rule spl_dct2_columns = {
    .name = "dct2-columns",
    .group = SPL_PLANNED,
    .formula = "DCT2_n = PAIRS.dct2_n DFT_n G(fold_n), on complex vectors",
    .reference = "Makhoul 1980",
    .guard = dct2_guard,
    .build = dct2_build,
    .test_case = dct2_case,
};

static bool dct3_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    return cosine_case(ctx, i, SPL_DCT3, x, p);
}

static bool dct3_guard(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal, is_kind(x, SPL_DCT3), "it breaks down DCT3(n) only");
}

static const spl *dct3_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t n = spl_transform_size(x);
    (void)p;
    const spl *const factors[] = {spl_perm(ctx, ix_unfold(ctx, n)), spl_dft(ctx, n, true),
                                  spl_pairs(ctx, SPL_PAIRS_DCT3, n)};
    return spl_mul(ctx, 3, factors);
}

const spl_rule spl_dct3_columns = {
    .name = "dct3-columns",
    .group = SPL_PLANNED,
    .formula = "DCT3_n = S(fold_n) IDFT_n PAIRS.dct3_n, on complex vectors",
    .reference = "Makhoul 1980",
    .guard = dct3_guard,
    .build = dct3_build,
    .test_case = dct3_case,
};

static bool dht_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    return cosine_case(ctx, i, SPL_DHT, x, p);
}

static bool dht_guard(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal, is_kind(x, SPL_DHT), "it breaks down DHT(n) only");
}

static const spl *dht_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t n = spl_transform_size(x);
    (void)p;
    return spl_mul2(ctx, spl_pairs(ctx, SPL_PAIRS_DHT, n), spl_dft(ctx, n, false));
}

const spl_rule spl_dht_columns = {
    .name = "dht-columns",
    .group = SPL_PLANNED,
    .formula = "DHT_n = PAIRS.dht_n DFT_n, on complex vectors",
    .reference = "Bracewell 1983",
    .guard = dht_guard,
    .build = dht_build,
    .test_case = dht_case,
};
