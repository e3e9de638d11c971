// SPDX-License-Identifier: BSD-3-Clause
/* Cosine and sine transforms as sums of two of half the length, in real arithmetic, for columns in
 * vectors. X_p takes the first p elements, and the last p from the end backwards. Even rows of
 *     DCT1_2m+1 are DCT1_m+1, odd ones DCT3_m     DST1_2m-1: DST3_m, DST1_m-1
 *     DCT2_2m: DCT2_m, DCT4_m                     DST2_2m: DST4_m, DST2_m
 * of the sums and differences (DCT1_2 (x) I_p) X_p (Wang 1984). If n is odd, the middle element is
 * its own partner; p is then even, so that pairs of rows are complex numbers. DCT-III and DST-III
 * are transposes of type II. */
#include "spl/rules/breakdown/recipe.h"

#include <stddef.h>

static int64_t rows_of_half(int64_t n)
{
    const int64_t p = (n + 1) / 2;

    return n % 2 == 1 && p % 2 == 1 ? p + 1 : p;
}

/* i -> i for i < p, then n-1, n-2, ..: copied in runs, because kernels have constant steps. */
static const spl *both_ends(spl_ctx *ctx, int64_t n)
{
    const int64_t p = rows_of_half(n);
    const spl *runs[2];

    for (int i = 0; i < 2; i++)
        runs[i] = spl_mul2(ctx, spl_scatter(ctx, ix_h(ctx, p, 2 * p, i * p, 1), SPL_PLAIN),
                           spl_gather(ctx, ix_h(ctx, p, n, i * (n - 1), i ? -1 : 1), SPL_PLAIN));
    return spl_plus(ctx, 2, runs);
}

static const spl *sums_and_differences(spl_ctx *ctx, int64_t p)
{
    return spl_kron2(ctx, spl_transform_node(ctx, SPL_DCT1, 2), spl_identity(ctx, p));
}

/* The m points of one half: every second of n rows from `first` on, and the run of 2p that begins
 * at `at`; `from_rows`: the rows are read. */
typedef struct half {
    spl_kind kind;
    int64_t m, first, at;
} half;

static const spl *half_of(spl_ctx *ctx, const half *h, int64_t n, int64_t p, bool from_rows)
{
    const ix *rows = ix_h(ctx, h->m, n, h->first, 2), *run = ix_h(ctx, h->m, 2 * p, h->at, 1);
    const spl *const factors[] = {spl_scatter(ctx, from_rows ? run : rows, SPL_PLAIN),
                                  spl_transform_node(ctx, h->kind, h->m),
                                  spl_gather(ctx, from_rows ? rows : run, SPL_PLAIN)};

    return spl_mul(ctx, 3, factors);
}

/* n rows from p sums and p differences, by the transforms `even` and `odd`; `from_rows`: the other
 * direction. */
static const spl *halves(spl_ctx *ctx, int64_t n, spl_kind even, spl_kind odd, bool from_rows)
{
    const int64_t p = rows_of_half(n);
    const half first = {even, (n + 1) / 2, 0, 0}, second = {odd, n / 2, 1, p};
    const spl *const both[] = {half_of(ctx, &first, n, p, from_rows),
                               half_of(ctx, &second, n, p, from_rows)};

    return spl_plus(ctx, 2, both);
}

static const spl *sums_first(spl_ctx *ctx, int64_t n, spl_kind even, spl_kind odd)
{
    const spl *const factors[] = {halves(ctx, n, even, odd, false),
                                  sums_and_differences(ctx, rows_of_half(n)), both_ends(ctx, n)};

    return spl_mul(ctx, 3, factors);
}

static const spl *sums_last(spl_ctx *ctx, int64_t n, spl_kind even, spl_kind odd)
{
    const spl *const factors[] = {both_ends(ctx, n), sums_and_differences(ctx, n / 2),
                                  halves(ctx, n, even, odd, true)};

    return spl_mul(ctx, 3, factors);
}

static bool two_guard(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal,
                      x->op == SPL_TRANSFORM && spl_transform_kind(x) == SPL_DCT1
                          && spl_transform_size(x) == 2,
                      "it breaks down DCT1(2) only");
}

static const spl *two_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)x;
    (void)p;
    return spl_dft(ctx, 2, false);
}

static const char *const two_cases[] = {"DCT1(2)", "DCT1(3)", "DCT2(2)", NULL};

const spl_rule spl_dct1_two = {
    .name = "dct1-two",
    .group = SPL_PLANNED,
    .formula = "DCT1_2 = DFT_2, on complex vectors",
    .reference = "by definition",
    .guard = two_guard,
    .build = two_build,
    .cases = two_cases,
};

static const char type1[] = "Wang 1984", type2[] = "Chen, Smith & Fralick 1977; Wang 1984";

static const spl *dct1_sum_of(spl_ctx *ctx, int64_t n)
{
    return sums_first(ctx, n, SPL_DCT1, SPL_DCT3);
}

SPL_RECIPE(dct1_sum, SPL_DCT1, SPL_SIZES_ODD_FROM_3)

const spl_rule spl_dct1_sum = {
    .name = "dct1-sum",
    .formula = "DCT1_2m+1 = (S(h_{0,2}) DCT1_m+1 G(h_{0,1}) + S(h_{1,2}) DCT3_m G(h_{p,1})) "
               "(DCT1_2 (x) I_p) X_p, p = m+1 or m+2",
    .reference = type1,
    SPL_RECIPE_OF(dct1_sum),
};

static const spl *dst1_sum_of(spl_ctx *ctx, int64_t n)
{
    return sums_first(ctx, n, SPL_DST3, SPL_DST1);
}

SPL_RECIPE(dst1_sum, SPL_DST1, SPL_SIZES_ODD_FROM_3)

const spl_rule spl_dst1_sum = {
    .name = "dst1-sum",
    .formula = "DST1_2m-1 = (S(h_{0,2}) DST3_m G(h_{0,1}) + S(h_{1,2}) DST1_m-1 G(h_{p,1})) "
               "(DCT1_2 (x) I_p) X_p, p = m or m+1",
    .reference = type1,
    SPL_RECIPE_OF(dst1_sum),
};

static const spl *dct2_sum_of(spl_ctx *ctx, int64_t n)
{
    return sums_first(ctx, n, SPL_DCT2, SPL_DCT4);
}

SPL_RECIPE(dct2_sum, SPL_DCT2, SPL_SIZES_EVEN)

const spl_rule spl_dct2_sum = {
    .name = "dct2-sum",
    .formula = "DCT2_2m = (S(h_{0,2}) DCT2_m G(h_{0,1}) + S(h_{1,2}) DCT4_m G(h_{m,1})) "
               "(DCT1_2 (x) I_m) X_m",
    .reference = type2,
    SPL_RECIPE_OF(dct2_sum),
};

static const spl *dst2_sum_of(spl_ctx *ctx, int64_t n)
{
    return sums_first(ctx, n, SPL_DST4, SPL_DST2);
}

SPL_RECIPE(dst2_sum, SPL_DST2, SPL_SIZES_EVEN)

const spl_rule spl_dst2_sum = {
    .name = "dst2-sum",
    .formula = "DST2_2m = (S(h_{0,2}) DST4_m G(h_{0,1}) + S(h_{1,2}) DST2_m G(h_{m,1})) "
               "(DCT1_2 (x) I_m) X_m",
    .reference = type2,
    SPL_RECIPE_OF(dst2_sum),
};

static const spl *dct3_sum_of(spl_ctx *ctx, int64_t n)
{
    return sums_last(ctx, n, SPL_DCT3, SPL_DCT4);
}

SPL_RECIPE(dct3_sum, SPL_DCT3, SPL_SIZES_EVEN)

const spl_rule spl_dct3_sum = {
    .name = "dct3-sum",
    .formula = "DCT3_2m = X_m (DCT1_2 (x) I_m) "
               "(S(h_{0,1}) DCT3_m G(h_{0,2}) + S(h_{m,1}) DCT4_m G(h_{1,2}))",
    .reference = type2,
    SPL_RECIPE_OF(dct3_sum),
};

static const spl *dst3_sum_of(spl_ctx *ctx, int64_t n)
{
    return sums_last(ctx, n, SPL_DST4, SPL_DST3);
}

SPL_RECIPE(dst3_sum, SPL_DST3, SPL_SIZES_EVEN)

const spl_rule spl_dst3_sum = {
    .name = "dst3-sum",
    .formula = "DST3_2m = X_m (DCT1_2 (x) I_m) "
               "(S(h_{0,1}) DST4_m G(h_{0,2}) + S(h_{m,1}) DST3_m G(h_{1,2}))",
    .reference = type2,
    SPL_RECIPE_OF(dst3_sum),
};
