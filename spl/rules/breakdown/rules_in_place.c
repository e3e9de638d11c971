// SPDX-License-Identifier: BSD-3-Clause
/* Breakdown into stages that write the rows that they read: rule dft-dif, applied once for each
 * radix to the remaining transforms. All its permutations, on the left, are one gather, which
 * reverses the digits of the rows. */
#include "spl/rules/rewrite.h"

enum { MOST = sizeof(spl_params) / sizeof(int64_t) };

static int count_radices(const spl_params *p)
{
    int count = 0;

    while (count < MOST && p->v[count] > 0)
        count++;
    return count;
}

static bool in_place_guard(const spl *x, const spl_params *p, const char **refusal)
{
    const int count = count_radices(p);

    if (!spl_unless(refusal, spl_is_dft(x), "it breaks down DFT(n) and IDFT(n) only"))
        return false;
    int64_t rest = spl_transform_size(x);
    bool divides = count > 1;
    for (int q = 0; q < count && divides; q++) {
        divides = p->v[q] > 1 && rest % p->v[q] == 0;
        rest = divides ? rest / p->v[q] : rest;
    }
    return spl_unless(refusal, divides && rest == 1,
                      "it needs two to eight radices > 1 whose product is the size");
}

/* All products of two radices. */
static int in_place_choices(const spl *x, spl_params *out, int max)
{
    const int count = spl_is_dft(x) ? spl_list_factors(spl_transform_size(x), out, max) : 0;

    for (int i = 0; i < count; i++)
        out[i].v[1] = spl_transform_size(x) / out[i].v[0];
    return count;
}

static bool in_place_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    static const int64_t cases[][1 + MOST] = {
        {4, 2, 2},        {6, 2, 3},        {6, 3, 2},
        {12, 4, 3},       {30, 2, 3, 5},    {64, 4, 8, 2},
        {16, 2, 2, 2, 2}, {60, 5, 2, 3, 2}, {96, 2, 2, 3, 2, 2, 2},
        {7, 7},           {12, 4, 4},       {12, 2, 3}};
    const int count = sizeof cases / sizeof cases[0];

    if (i >= 2 * count)
        return false;
    *x = spl_dft(ctx, cases[i / 2][0], i % 2 != 0);
    for (int q = 0; q < MOST; q++)
        p->v[q] = cases[i / 2][1 + q];
    return *x != NULL;
}

/* DFT_n = G(d) PROD_q (I_{a_q} (x) T_{r_q,m_q} (DFT_{r_q} (x) I_{m_q})), where a_q is the product
 * of the radices before r_q, m_q that of those after it, and d reverses the digits: digit q of a
 * row, of weight a_q, becomes its digit of weight m_q. */
static const spl *in_place_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t n = spl_transform_size(x);
    const bool inverse = spl_is_inverse_dft(x);
    const int count = count_radices(p);
    const spl *factor[1 + 2 * MOST];
    ix_term digit[MOST];
    int first = 1 + 2 * MOST; /* the stages that run first are on the right */

    for (int64_t a = 1, m = n, q = 0; q < count; a *= p->v[q], q++) {
        const int64_t r = p->v[q];
        m /= r;
        const spl *const stage[] = {spl_identity(ctx, a), spl_dft(ctx, r, inverse),
                                    spl_identity(ctx, m)};
        digit[q] = (ix_term){IX_INDEX, a, r, m};
        factor[--first] = spl_kron(ctx, 3, stage);
        if (m > 1)
            factor[--first] = spl_kron2(ctx, stage[0], spl_twiddle(ctx, r, m, inverse));
    }
    factor[--first] = spl_gather(ctx, ix_digit(ctx, n, n, 0, count, digit), SPL_PLAIN);
    return spl_mul(ctx, 1 + 2 * MOST - first, factor + first);
}

const spl_rule spl_dft_in_place = {
    .name = "dft-in-place",
    .group = SPL_BREAKDOWN,
    .formula = "DFT_n = G(d) PROD_q (I_{a_q} (x) T_{r_q,m_q} (DFT_{r_q} (x) I_{m_q})), "
               "n = a_q r_q m_q, d reverses the digits",
    .reference = "Gentleman & Sande 1966; dft-dif for each radix",
    .params = "the radices in the order in which they run",
    .guard = in_place_guard,
    .build = in_place_build,
    .choices = in_place_choices,
    .test_case = in_place_case,
};
