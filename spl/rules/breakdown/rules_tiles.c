// SPDX-License-Identifier: BSD-3-Clause
/* Breakdown of a contiguous transform whose first stages share tiles of w columns. The tile is
 * transposed after its first stage, so that the others run on single rows and the last one writes
 * whole rows. */
#include "spl/rules/rewrite.h"

static bool tiles_guard(const spl *x, const spl_params *p, const char **refusal)
{
    const int64_t R = p->v[0], r = p->v[1], w = p->v[2];

    if (!spl_unless(refusal, spl_is_dft(x), "it breaks down DFT(n) and IDFT(n) only"))
        return false;
    if (!spl_unless(refusal,
                    R > 1 && spl_transform_size(x) % R == 0 && r > 1 && r < R && R % r == 0,
                    "R must divide the size and r be a proper divisor of R"))
        return false;
    return spl_unless(refusal, w > 0 && spl_transform_size(x) / R % w == 0,
                      "tiles must divide the columns");
}

/* A single tile with all columns; the planner chooses better widths. */
static int tiles_choices(const spl *x, spl_params *out, int max)
{
    int count = 0;

    for (int64_t R = 4; spl_is_dft(x) && R <= spl_transform_size(x); R++)
        for (int64_t r = 2; spl_transform_size(x) % R == 0 && r <= R / 2 && count < max; r++)
            if (R % r == 0)
                out[count++] = (spl_params){{R, r, spl_transform_size(x) / R}};
    return count;
}

static bool tiles_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    static const int64_t cases[][4] = {{16, 4, 2, 2},  {16, 4, 2, 4},  {24, 6, 2, 2},
                                       {24, 6, 3, 4},  {36, 12, 4, 3}, {36, 4, 2, 3},
                                       {64, 16, 4, 2}, {64, 16, 2, 1}, {12, 12, 3, 1},
                                       {16, 4, 4, 2},  {24, 6, 2, 3},  {10, 4, 2, 1}};
    const int count = sizeof cases / sizeof cases[0];

    if (i >= 2 * count)
        return false;
    const int64_t *v = cases[i / 2];
    *x = spl_dft(ctx, v[0], i % 2 != 0);
    *p = (spl_params){{v[1], v[2], v[3]}};
    return *x != NULL;
}

/* X = (I_w (x) DFT_q (x) I_r) L^{Rw}_w ((L^R_q T_{r,q} (DFT_r (x) I_q)) (x) I_w), R = r q */
static const spl *transposing_tile(spl_ctx *ctx, int64_t R, int64_t r, int64_t w, bool inverse)
{
    const int64_t q = R / r;
    const spl *columns = spl_identity(ctx, w);
    const spl *const rows[] = {columns, spl_dft(ctx, q, inverse), spl_identity(ctx, r)};
    const spl *const factors[] = {
        spl_kron(ctx, 3, rows), spl_stride(ctx, R * w, w),
        spl_kron2(ctx, spl_stride(ctx, R, q), columns),
        spl_kron2(ctx, spl_twiddle(ctx, r, q, inverse), columns),
        spl_kron2(ctx, spl_dft(ctx, r, inverse), spl_identity(ctx, q * w))};

    return spl_mul(ctx, 5, factors);
}

/* DFT_{Rm} = (DFT_m (x) I_R) T_{m,R} (I_{m/w} (x) X) (L^{Rm/w}_{m/w} (x) I_w): the four-step
 * identity, its columns in m/w tiles, each transposed as it is computed. */
static const spl *tiles_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t R = p->v[0], w = p->v[2], m = spl_transform_size(x) / R, tiles = m / w;
    const bool inverse = spl_is_inverse_dft(x);
    const spl *rest = m > 1 ? spl_kron2(ctx, spl_dft(ctx, m, inverse), spl_identity(ctx, R))
                            : spl_identity(ctx, R);
    const spl *move = tiles > 1
                          ? spl_kron2(ctx, spl_stride(ctx, R * tiles, tiles), spl_identity(ctx, w))
                          : spl_identity(ctx, spl_transform_size(x));
    const spl *const factors[] = {
        rest, spl_twiddle(ctx, m, R, inverse),
        spl_kron2(ctx, spl_identity(ctx, tiles), transposing_tile(ctx, R, p->v[1], w, inverse)),
        move};

    return spl_mul(ctx, 4, factors);
}

const spl_rule spl_dft_tiles = {
    .name = "dft-tiles",
    .group = SPL_BREAKDOWN,
    .formula = "DFT_{Rm} = (DFT_m (x) I_R) T_{m,R} (I_{m/w} (x) (I_w (x) DFT_q (x) I_r) L^{Rw}_w "
               "((L^R_q T_{r,q} (DFT_r (x) I_q)) (x) I_w)) (L^{Rm/w}_{m/w} (x) I_w), R = r q",
    .reference = "Gentleman & Sande 1966 (four-step); Bailey 1990",
    .params = "R, r, w",
    .guard = tiles_guard,
    .build = tiles_build,
    .choices = tiles_choices,
    .test_case = tiles_case,
};
