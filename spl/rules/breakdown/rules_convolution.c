// SPDX-License-Identifier: BSD-3-Clause
/* Breakdown rules for convolutions: products of a transform, a diagonal and the inverse
 * transform. */
#include "spl/rules/rewrite.h"

#include <stddef.h>

/* IDFT_M B DFT_M, or DFT_M B IDFT_M for an inverse transform. */
static bool is_convolution(const spl *x)
{
    return x->op == SPL_MUL && x->nkids == 3 && spl_is_dft(x->kid[0])
           && x->kid[1]->op == SPL_DIAGONAL && spl_is_dft(x->kid[2])
           && spl_is_inverse_dft(x->kid[0]) != spl_is_inverse_dft(x->kid[2]);
}

static bool blocks_guard(const spl *x, const spl_params *p, const char **refusal)
{
    if (!spl_unless(refusal, is_convolution(x), "it needs IDFT(M) D DFT(M), D a diagonal"))
        return false;
    return spl_unless(refusal, p->v[0] > 1 && p->v[0] < x->rows && x->rows % p->v[0] == 0,
                      "the number of blocks must divide the length, and both be > 1");
}

static int blocks_choices(const spl *x, spl_params *out, int max)
{
    int count = 0;
    for (int64_t r = 2; is_convolution(x) && r <= x->rows / 2 && count < max; r++)
        if (x->rows % r == 0)
            out[count++] = (spl_params){{r}};
    return count;
}

static bool blocks_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    static const char *const cases[] = {
        "IDFT(8) * B(5,8) * DFT(8)",   "DFT(12) * B(6,12)^-1 * IDFT(12)",
        "IDFT(12) * T(3,4) * DFT(12)", "DFT(9) * C(9) * IDFT(9)",
        "DFT(8) * B(5,8) * DFT(8)",    NULL};
    static const int64_t blocks[] = {2, 4, 3, 6};
    if (!spl_text_case(ctx, cases, i / 4, x))
        return false;
    *p = (spl_params){{blocks[i % 4]}};
    return true;
}

/* SUM(k<R) S(h_{km,1}) IDFT_m diag(d o h_{k,R}) DFT_m G(h_{km,1}) */
static const spl *all_blocks(spl_ctx *ctx, const spl *x, int64_t r, int64_t m)
{
    const ix *block = spl_row_ix(ctx, r, m, SPL_OUTER_VAR);
    const ix *strided = ix_h_var(ctx, m, r * m, SPL_OUTER_VAR, r, 1, r);
    const spl *const factors[] = {
        spl_scatter(ctx, block, SPL_PLAIN), spl_dft(ctx, m, spl_is_inverse_dft(x->kid[0])),
        strided ? spl_diag_of(ctx, x->kid[1], strided) : NULL,
        spl_dft(ctx, m, spl_is_inverse_dft(x->kid[2])), spl_gather(ctx, block, SPL_PLAIN)};
    const spl_range range = spl_range_over(SPL_SEQ, SPL_OUTER_VAR, r);
    return spl_sum(ctx, &range, spl_mul(ctx, 5, factors));
}

/* IDFT_Rm D DFT_Rm = (IDFT_R (x) I_m) T_{R,m}^-1 (SUM(k<R) S(h_{km,1}) IDFT_m diag(d o h_{k,R})
 * DFT_m G(h_{km,1})) T_{R,m} (DFT_R (x) I_m): dft-dif on the right and its inverse on the left,
 * whose permutations act on the diagonal alone. Gentleman & Sande 1966. */
static const spl *blocks_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t r = p->v[0], m = x->rows / r;
    const bool left = spl_is_inverse_dft(x->kid[0]), right = spl_is_inverse_dft(x->kid[2]);
    const spl *columns = spl_identity(ctx, m);
    const spl *const factors[] = {spl_kron2(ctx, spl_dft(ctx, r, left), columns),
                                  spl_twiddle(ctx, r, m, left), all_blocks(ctx, x, r, m),
                                  spl_twiddle(ctx, r, m, right),
                                  spl_kron2(ctx, spl_dft(ctx, r, right), columns)};
    return spl_mul(ctx, 5, factors);
}

const spl_rule spl_convolution_blocks = {
    .name = "convolution-blocks",
    .group = SPL_BREAKDOWN,
    .formula = "IDFT_Rm D DFT_Rm = (IDFT_R (x) I_m) T_{R,m}^-1 (SUM(k<R) S(h_{km,1}) IDFT_m "
               "diag(D o h_{k,R}) DFT_m G(h_{km,1})) T_{R,m} (DFT_R (x) I_m)",
    .reference = "Gentleman & Sande 1966; dft-dif and its inverse",
    .params = "R",
    .guard = blocks_guard,
    .build = blocks_build,
    .choices = blocks_choices,
    .test_case = blocks_case,
};
