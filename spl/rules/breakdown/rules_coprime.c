// SPDX-License-Identifier: BSD-3-Clause
/* Breakdown of a transform into two of coprime sizes, without twiddles. */
#include "spl/rules/rewrite.h"

#include "core/number.h"

/* Maps that are not sums of digits are tables. */
enum { LARGEST = 65536 };

static bool splits(const spl *x, int64_t a)
{
    return a > 1 && a < spl_transform_size(x) && spl_transform_size(x) % a == 0
           && core_gcd(a, spl_transform_size(x) / a) == 1;
}

static bool coprime_guard(const spl *x, const spl_params *p, const char **refusal)
{
    if (!spl_unless(refusal, spl_is_dft(x), "it breaks down DFT(n) and IDFT(n) only"))
        return false;
    if (!spl_unless(refusal, spl_transform_size(x) <= LARGEST,
                    "its maps are tables, of at most 65536 entries"))
        return false;
    return spl_unless(refusal, splits(x, p->v[0]),
                      "the factor must divide the size and be coprime to the rest, both > 1");
}

static int coprime_choices(const spl *x, spl_params *out, int max)
{
    int count = 0;
    for (int64_t a = 2; spl_is_dft(x) && spl_transform_size(x) <= LARGEST
                        && a < spl_transform_size(x) && count < max;
         a++)
        if (splits(x, a))
            out[count++] = (spl_params){{a}};
    return count;
}

static bool coprime_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    static const int64_t cases[][2] = {{6, 2},  {6, 3},  {12, 4}, {12, 3}, {15, 5},     {35, 7},
                                       {22, 2}, {63, 9}, {60, 4}, {12, 2}, {131072, 2}, {7, 7}};
    const int count = sizeof cases / sizeof cases[0];
    if (i >= 2 * count)
        return false;
    *x = spl_dft(ctx, cases[i / 2][0], i % 2 != 0);
    *p = (spl_params){{cases[i / 2][1]}};
    return *x != NULL;
}

/* i1 b + i2 -> i1 b + i2 a mod n */
static const ix *input_map(spl_ctx *ctx, int64_t a, int64_t b)
{
    int64_t *table = spl_ctx_get(ctx, (size_t)(a * b) * sizeof *table);
    for (int64_t i = 0; table && i < a * b; i++)
        table[i] = (i / b * b + i % b * a) % (a * b);
    return table ? ix_table(ctx, a * b, a * b, table) : NULL;
}

/* k -> (k mod a) b + k mod b */
static const ix *output_map(spl_ctx *ctx, int64_t a, int64_t b)
{
    const ix_term terms[] = {{IX_INDEX, 1, a, b}, {IX_INDEX, 1, b, 1}};
    return ix_digit(ctx, a * b, a * b, 0, 2, terms);
}

/* DFT_ab = P(out) (DFT_a (x) DFT_b) P(in): (i1 b + i2 a) k = i1 b (k mod a) + i2 a (k mod b) mod
 * ab. Good 1958; Thomas 1963. */
static const spl *coprime_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t a = p->v[0], b = spl_transform_size(x) / a;
    const bool inverse = spl_is_inverse_dft(x);
    const ix *in = input_map(ctx, a, b), *out = output_map(ctx, a, b);
    const spl *const factors[] = {
        out ? spl_perm(ctx, out) : NULL,
        spl_kron2(ctx, spl_dft(ctx, a, inverse), spl_dft(ctx, b, inverse)),
        in ? spl_perm(ctx, in) : NULL};
    return spl_mul(ctx, 3, factors);
}

const spl_rule spl_dft_coprime = {
    .name = "dft-good-thomas",
    .group = SPL_BREAKDOWN,
    .formula = "DFT_ab = P(k -> (k mod a) b + k mod b) (DFT_a (x) DFT_b) "
               "P(i1 b + i2 -> i1 b + i2 a mod ab)",
    .reference = "Good 1958; Thomas 1963",
    .params = "a",
    .guard = coprime_guard,
    .build = coprime_build,
    .choices = coprime_choices,
    .test_case = coprime_case,
};
