// SPDX-License-Identifier: BSD-3-Clause
#include "sched/plan/frame.h"

#include "sched/problem/problem.h"
#include "spl/rules/scale.h"

const spl *sched_framed(spl_ctx *ctx, const sluice_problem *p, const spl *core, double scale)
{
    const spl *edges[SLUICE_MAX_RANK];

    for (int i = sched_problem_edges(ctx, p, 1, edges); i-- > 0;)
        core = spl_mul2(ctx, edges[i], core);
    const int count = sched_problem_edges(ctx, p, 0, edges);
    for (int i = 0; i < count; i++)
        core = spl_mul2(ctx, core, edges[i]);
    return spl_scaled(ctx, core, scale);
}

/* Equal formulas of a context are one. */
const spl *sched_unframed(spl_ctx *ctx, const sluice_problem *p, const spl *x, double scale)
{
    const spl *out[SLUICE_MAX_RANK], *in[SLUICE_MAX_RANK];
    double has;

    x = spl_unscaled(ctx, x, &has);
    const int before = sched_problem_edges(ctx, p, 1, out),
              after = sched_problem_edges(ctx, p, 0, in);
    if (!x || has != scale)
        return NULL;
    if (before + after == 0)
        return x;
    if (x->op != SPL_MUL || x->nkids <= before + after)
        return NULL;
    for (int i = 0; i < before; i++)
        if (x->kid[i] != out[i])
            return NULL;
    for (int i = 0; i < after; i++)
        if (x->kid[x->nkids - after + i] != in[i])
            return NULL;
    return spl_mul(ctx, x->nkids - before - after, x->kid + before);
}
