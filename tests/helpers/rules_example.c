// SPDX-License-Identifier: BSD-3-Clause
/* The example of CONTRIBUTING: a breakdown rule that the planner uses. tests/sched/test_new_rule.c
 * puts it into the table of rules; nothing else knows of it. */
#include "spl/rules/rewrite.h"

static bool split_guard(const spl *x, const spl_params *p, const char **refusal)
{
    if (!spl_unless(refusal, spl_is_dft(x), "it breaks down DFT(n) and IDFT(n) only"))
        return false;
    const int64_t r = p->v[0];
    return spl_unless(refusal, r > 1 && r < x->a[0] && x->a[0] % r == 0,
                      "the radix must divide the size, and both factors be > 1");
}

/* The smallest factors. */
static int split_choices(const spl *x, spl_params *out, int max)
{
    int count = 0;
    for (int64_t r = 2; spl_is_dft(x) && r <= 16 && r < x->a[0] && count < max; r++)
        if (x->a[0] % r == 0)
            out[count++] = (spl_params){{r}};
    return count;
}

static bool split_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    static const int64_t cases[][2] = {{6, 2}, {14, 2}, {34, 2}, {51, 3}, {7, 2}};
    if (i >= 10)
        return false;
    *x = spl_dft(ctx, cases[i / 2][0], i % 2 != 0);
    *p = (spl_params){{cases[i / 2][1]}};
    return *x != NULL;
}

/* DFT_rm = L^{rm}_r (I_m (x) DFT_r) L^{rm}_m T_{r,m} (I_r (x) DFT_m) L^{rm}_r: only rows. */
static const spl *split_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const int64_t r = p->v[0], m = x->a[0] / r;
    const bool inverse = x->a[1] != 0;
    const spl *const factors[] = {spl_stride(ctx, r * m, r),
                                  spl_kron2(ctx, spl_identity(ctx, m), spl_dft(ctx, r, inverse)),
                                  spl_stride(ctx, r * m, m),
                                  spl_twiddle(ctx, r, m, inverse),
                                  spl_kron2(ctx, spl_identity(ctx, r), spl_dft(ctx, m, inverse)),
                                  spl_stride(ctx, r * m, r)};
    return spl_mul(ctx, 6, factors);
}

const spl_rule rules_example = {
    .name = "example-split",
    .group = SPL_PLANNED,
    .formula = "DFT_rm = L^{rm}_r (I_m (x) DFT_r) L^{rm}_m T_{r,m} (I_r (x) DFT_m) L^{rm}_r",
    .reference = "Bailey 1990 (six-step)",
    .params = "r",
    .guard = split_guard,
    .build = split_build,
    .choices = split_choices,
    .test_case = split_case,
};
