// SPDX-License-Identifier: BSD-3-Clause
/* Breakdown rules: a transform into smaller ones. For the inverse (unscaled) all factors are
 * conjugated. */
#include "spl/rules/rewrite.h"

#include <stddef.h>

static bool factor_guard(const spl *x, const spl_params *p, const char **refusal)
{
    if (!spl_unless(refusal, spl_is_dft(x), "it breaks down DFT(n) and IDFT(n) only"))
        return false;
    const int64_t f = p->v[0];
    return spl_unless(refusal, f > 1 && f < spl_transform_size(x) && spl_transform_size(x) % f == 0,
                      "the factor must divide the size, and both factors be > 1");
}

/* All factors, ascending; or none. */
static int factor_choices(const spl *x, spl_params *out, int max)
{
    int count = 0;
    for (int64_t d = 2; spl_is_dft(x) && d <= spl_transform_size(x) / d; d++) {
        if (spl_transform_size(x) % d != 0)
            continue;
        if (count < max)
            out[count++] = (spl_params){{d}};
        if (count < max && d != spl_transform_size(x) / d)
            out[count++] = (spl_params){{spl_transform_size(x) / d}};
    }
    return count;
}

static bool factor_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    static const int64_t cases[][2] = {{4, 2},  {6, 2},  {6, 3},  {8, 2},   {8, 4},  {12, 3},
                                       {12, 4}, {15, 5}, {30, 6}, {49, 7},  {64, 8}, {60, 4},
                                       {36, 9}, {7, 7},  {8, 3},  {128, 16}};
    const int count = sizeof cases / sizeof cases[0];
    if (i >= 2 * count)
        return false;
    *x = spl_dft(ctx, cases[i / 2][0], i % 2 != 0);
    *p = (spl_params){{cases[i / 2][1]}};
    return *x != NULL;
}

/* The building blocks of all rules: DFT_n with the direction of x, (x) I, T_{n,m}. */
static const spl *sub(spl_ctx *ctx, const spl *x, int64_t n)
{
    return spl_dft(ctx, n, spl_is_inverse_dft(x));
}

static const spl *columns(spl_ctx *ctx, const spl *x, int64_t n, int64_t count)
{
    return spl_kron2(ctx, sub(ctx, x, n), spl_identity(ctx, count));
}

static const spl *rows(spl_ctx *ctx, const spl *x, int64_t count, int64_t n)
{
    return spl_kron2(ctx, spl_identity(ctx, count), sub(ctx, x, n));
}

static const spl *twiddles(spl_ctx *ctx, const spl *x, int64_t n, int64_t m)
{
    return spl_twiddle(ctx, n, m, spl_is_inverse_dft(x));
}

/* DFT_nm = (DFT_n (x) I_m) T_{n,m} (I_n (x) DFT_m) L_n^{nm}     Cooley & Tukey 1965; paper (1). */
static const spl *ct_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t n = p->v[0], m = spl_transform_size(x) / n;
    const spl *const factors[] = {columns(ctx, x, n, m), twiddles(ctx, x, n, m), rows(ctx, x, n, m),
                                  spl_stride(ctx, n * m, n)};
    return spl_mul(ctx, 4, factors);
}

const spl_rule spl_dft_ct = {
    .name = "dft-ct",
    .group = SPL_BREAKDOWN,
    .formula = "DFT_nm = (DFT_n (x) I_m) T_{n,m} (I_n (x) DFT_m) L_n^{nm}",
    .reference = "Cooley & Tukey 1965; Spiral for the Cell (1)",
    .params = "n",
    .guard = factor_guard,
    .build = ct_build,
    .choices = factor_choices,
    .test_case = factor_case,
};

/* DFT_nm = L_m^{nm} (I_n (x) DFT_m) T_{n,m} (DFT_n (x) I_m)       Gentleman & Sande 1966. */
static const spl *dif_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t n = p->v[0], m = spl_transform_size(x) / n;
    const spl *const factors[] = {spl_stride(ctx, n * m, m), rows(ctx, x, n, m),
                                  twiddles(ctx, x, n, m), columns(ctx, x, n, m)};
    return spl_mul(ctx, 4, factors);
}

const spl_rule spl_dft_dif = {
    .name = "dft-dif",
    .group = SPL_BREAKDOWN,
    .formula = "DFT_nm = L_m^{nm} (I_n (x) DFT_m) T_{n,m} (DFT_n (x) I_m)",
    .reference = "Gentleman & Sande 1966; (1) transposed",
    .params = "n",
    .guard = factor_guard,
    .build = dif_build,
    .choices = factor_choices,
    .test_case = factor_case,
};

/* DFT_rm = (DFT_m (x) I_r) L_m^{rm} T_{r,m} (DFT_r (x) I_m)       Stockham 1966. This is one step,
 * which runs radix r first; with L_m T_{r,m} = T_{m,r} L_m it is the four-step identity. */
static const spl *stockham_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t r = p->v[0], m = spl_transform_size(x) / r;
    const spl *const factors[] = {columns(ctx, x, m, r), spl_stride(ctx, r * m, m),
                                  twiddles(ctx, x, r, m), columns(ctx, x, r, m)};
    return spl_mul(ctx, 4, factors);
}

const spl_rule spl_dft_stockham = {
    .name = "dft-stockham",
    .group = SPL_BREAKDOWN,
    .formula = "DFT_rm = (DFT_m (x) I_r) L_m^{rm} T_{r,m} (DFT_r (x) I_m)",
    .reference = "Stockham 1966; Van Loan 1992; the four-step identity",
    .params = "r",
    .guard = factor_guard,
    .build = stockham_build,
    .choices = factor_choices,
    .test_case = factor_case,
};

/* DFT_nm = L_n^{nm} (I_m (x) DFT_n) L_m^{nm} T_{n,m} (I_n (x) DFT_m) L_n^{nm}    Bailey 1990. */
static const spl *sixstep_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t n = p->v[0], m = spl_transform_size(x) / n;
    const spl *const factors[] = {spl_stride(ctx, n * m, n), rows(ctx, x, m, n),
                                  spl_stride(ctx, n * m, m), twiddles(ctx, x, n, m),
                                  rows(ctx, x, n, m),        spl_stride(ctx, n * m, n)};
    return spl_mul(ctx, 6, factors);
}

const spl_rule spl_dft_sixstep = {
    .name = "dft-sixstep",
    .group = SPL_BREAKDOWN,
    .formula = "DFT_nm = L_n^{nm} (I_m (x) DFT_n) L_m^{nm} T_{n,m} (I_n (x) DFT_m) L_n^{nm}",
    .reference = "Bailey 1990; Van Loan 1992",
    .params = "n",
    .guard = factor_guard,
    .build = sixstep_build,
    .choices = factor_choices,
    .test_case = factor_case,
};

static bool bluestein_guard(const spl *x, const spl_params *p, const char **refusal)
{
    if (!spl_unless(refusal, spl_is_dft(x), "it breaks down DFT(n) and IDFT(n) only"))
        return false;
    return spl_unless(refusal,
                      p->v[0] >= spl_transform_size(x) && p->v[0] >= 2 * spl_transform_size(x) - 2,
                      "the length must be at least n and 2n - 2");
}

/* Lengths that follow from the size alone: the shortest, and the next power of two. */
static int bluestein_choices(const spl *x, spl_params *out, int max)
{
    const int64_t n = spl_transform_size(x), least = n < 2 ? 1 : n == 2 ? 2 : 2 * n - 2;
    int count = 0;
    int64_t power = 1;
    while (power < least)
        power *= 2;
    if (!spl_is_dft(x))
        return 0;
    if (count < max)
        out[count++] = (spl_params){{least}};
    if (count < max && power != least)
        out[count++] = (spl_params){{power}};
    return count;
}

static bool bluestein_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    static const int64_t cases[][2] = {{1, 1},   {2, 2},  {3, 4},   {3, 5},   {5, 8},
                                       {7, 12},  {7, 16}, {11, 20}, {12, 22}, {13, 25},
                                       {17, 32}, {5, 7},  {17, 64}, {19, 19}};
    const int count = sizeof cases / sizeof cases[0];
    if (i >= 2 * count)
        return false;
    *x = spl_dft(ctx, cases[i / 2][0], i % 2 != 0);
    *p = (spl_params){{cases[i / 2][1]}};
    return *x != NULL;
}

/* DFT_n = C_n G(h) IDFT_M B_{n,M} DFT_M S(h) C_n, h: n -> M the first n: because 2jk = j^2 + k^2 -
 * (k - j)^2, a transform is a convolution with a chirp, here of length M.       Bluestein 1970. */
static const spl *bluestein_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t n = spl_transform_size(x), m = p->v[0];
    const bool inverse = spl_is_inverse_dft(x);
    const ix *first = ix_h(ctx, n, m, 0, 1);
    const spl *const factors[] = {spl_chirp(ctx, n, inverse), spl_gather(ctx, first, SPL_PLAIN),
                                  spl_dft(ctx, m, !inverse),  spl_spectrum(ctx, n, m, inverse),
                                  spl_dft(ctx, m, inverse),   spl_scatter(ctx, first, SPL_PLAIN),
                                  spl_chirp(ctx, n, inverse)};
    return spl_mul(ctx, 7, factors);
}

const spl_rule spl_dft_bluestein = {
    .name = "dft-bluestein",
    .group = SPL_BREAKDOWN,
    .formula = "DFT_n = C_n G(h) IDFT_M B_{n,M} DFT_M S(h) C_n, h the first n of M",
    .reference = "Bluestein 1970",
    .params = "M",
    .guard = bluestein_guard,
    .build = bluestein_build,
    .choices = bluestein_choices,
    .test_case = bluestein_case,
};

static bool row_column_guard(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    int transforms = 0;
    for (int i = 0; x->op == SPL_KRON && i < x->nkids; i++)
        transforms += x->kid[i]->op != SPL_I;
    return spl_unless(refusal, transforms > 1, "it needs A (x) B with two transforms or more");
}

/* A_m (x) B_n = (A_m (x) I_n)(I_m (x) B_n), for any number of factors.           paper (2). */
static const spl *row_column_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    return spl_row_column_of(ctx, x->nkids, x->kid);
}

static bool row_column_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    static const char *const cases[] = {"DFT(3) (x) DFT(4)",
                                        "DFT(2) (x) IDFT(3) (x) DFT(4)",
                                        "I(2) (x) DFT(4) (x) DFT(3) (x) I(2)",
                                        "DFT(4) (x) I(2) (x) DFT(3)",
                                        "DFT(5) (x) DFT(5) (x) DFT(5)",
                                        "I(4) (x) DFT(3)",
                                        "DFT(4)",
                                        NULL};
    (void)p;
    return spl_text_case(ctx, cases, i, x);
}

const spl_rule spl_row_column = {
    .name = "row-column",
    .group = SPL_BREAKDOWN,
    .formula = "A_m (x) B_n = (A_m (x) I_n)(I_m (x) B_n)",
    .reference = "Spiral for the Cell (2)",
    .params = "",
    .guard = row_column_guard,
    .build = row_column_build,
    .test_case = row_column_case,
};
