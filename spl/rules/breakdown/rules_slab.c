// SPDX-License-Identifier: BSD-3-Clause
/* Breakdown of an axis over blocks such that its first radix and the blocks make one pass through
 * memory, in slabs of r blocks. */
#include "spl/rules/rewrite.h"

/* DFT_n (x) X, X any operator whose output is complex numbers. */
static bool is_axis_over_blocks(const spl *x)
{
    return x->op == SPL_KRON && spl_is_dft(x->kid[0]);
}

static bool slab_guard(const spl *x, const spl_params *p, const char **refusal)
{
    if (!spl_unless(refusal, is_axis_over_blocks(x), "it needs DFT(n) (x) X or IDFT(n) (x) X"))
        return false;
    const int64_t n = spl_transform_size(x->kid[0]), r = p->v[0];
    return spl_unless(refusal, r > 1 && r < n && n % r == 0,
                      "the radix must divide the axis, and both factors be > 1");
}

static int slab_choices(const spl *x, spl_params *out, int max)
{
    return is_axis_over_blocks(x) ? spl_list_factors(spl_transform_size(x->kid[0]), out, max) : 0;
}

static bool slab_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    static const char *const cases[] = {"DFT(4) (x) DFT(3)",
                                        "IDFT(6) (x) IDFT(2) (x) I(2)",
                                        "DFT(6) (x) (T(2,2) * DFT(4))",
                                        "DFT(12) (x) I(2)",
                                        "DFT(6) (x) RDFT(8)",
                                        "IDFT(4) (x) G(h(3,5,1,1))",
                                        "I(2) (x) DFT(4)",
                                        NULL};
    static const int64_t radix[] = {2, 3, 5};

    if (!spl_text_case(ctx, cases, i / 3, x))
        return false;
    *p = (spl_params){{radix[i % 3]}};
    return true;
}

/* DFT_n (x) X = (DFT_{n/r} (x) I_{rm}) (T_{n/r,r} (x) I_m)
 *               (I_{n/r} (x) (DFT_r (x) I_m) (I_r (x) X)) (L^n_{n/r} (x) I_k), X m x k:
 * row-column, the axis by dft-ct. */
static const spl *slab_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t n = spl_transform_size(x->kid[0]), r = p->v[0], m = x->rows / n;
    const spl *inputs = spl_identity(ctx, x->cols / n);
    const bool inverse = spl_is_inverse_dft(x->kid[0]);
    const spl *block = spl_kron(ctx, x->nkids - 1, x->kid + 1), *columns = spl_identity(ctx, m);
    const spl *slab = spl_mul2(ctx, spl_kron2(ctx, spl_dft(ctx, r, inverse), columns),
                               spl_kron2(ctx, spl_identity(ctx, r), block));
    const spl *const factors[] = {
        spl_kron2(ctx, spl_dft(ctx, n / r, inverse), spl_identity(ctx, r * m)),
        spl_kron2(ctx, spl_twiddle(ctx, n / r, r, inverse), columns),
        spl_kron2(ctx, spl_identity(ctx, n / r), slab),
        spl_kron2(ctx, spl_stride(ctx, n, n / r), inputs)};

    return spl_mul(ctx, 4, factors);
}

const spl_rule spl_slab = {
    .name = "slab",
    .group = SPL_BREAKDOWN,
    .formula = "DFT_n (x) X = (DFT_{n/r} (x) I_{rm}) (T_{n/r,r} (x) I_m) (I_{n/r} (x) "
               "(DFT_r (x) I_m) (I_r (x) X)) (L^n_{n/r} (x) I_k), X m x k",
    .reference = "Bailey 1990; row-column, the axis by dft-ct",
    .params = "r",
    .guard = slab_guard,
    .build = slab_build,
    .choices = slab_choices,
    .test_case = slab_case,
};
