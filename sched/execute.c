// SPDX-License-Identifier: BSD-3-Clause
/* Executions: pointers checked, then one indirect call. */
#include <stdint.h>

#include "core/mem.h"
#include "core/status.h"
#include "sched/plan.h"
#include "sched/problem.h"

/* Do the bytes that the two sides touch meet? */
static bool overlap(const sluice_plan *plan, const void *in, const void *out)
{
    const uintptr_t i = (uintptr_t)in, o = (uintptr_t)out;

    return i - plan->before[0] < o + plan->after[1] && o - plan->before[1] < i + plan->after[0];
}

static bool aligned(const sluice_plan *plan, const void *p)
{
    return ((uintptr_t)p & (plan->problem.precision == SLUICE_F32 ? 3 : 7)) == 0;
}

static bool present(const sluice_plan *plan, const sluice_arrays *a)
{
    const bool in_im = plan->problem.in_layout == SLUICE_SPLIT;
    const bool out_im = plan->problem.out_layout == SLUICE_SPLIT;

    if (!a->in || !a->out || (in_im && !a->in_im) || (out_im && !a->out_im))
        return false;
    return aligned(plan, a->in) && aligned(plan, a->out) && (!in_im || aligned(plan, a->in_im))
           && (!out_im || aligned(plan, a->out_im));
}

static bool placed(const sluice_plan *plan, const sluice_arrays *a)
{
    const bool in_im = plan->problem.in_layout == SLUICE_SPLIT;
    const bool out_im = plan->problem.out_layout == SLUICE_SPLIT;

    if (out_im && a->out == a->out_im)
        return false;
    if (plan->in_place)
        return a->in == a->out && (!in_im || a->in_im == a->out_im);
    if (overlap(plan, a->in, a->out))
        return false;
    if (in_im && overlap(plan, a->in_im, a->out))
        return false;
    if (out_im && overlap(plan, a->in, a->out_im))
        return false;
    return !(in_im && out_im && overlap(plan, a->in_im, a->out_im));
}

sluice_status sched_plan_execute(const sluice_plan *plan, const sluice_arrays *arrays, void *work)
{
    if (!present(plan, arrays) || !placed(plan, arrays))
        return SLUICE_E_INVALID;
    if ((uintptr_t)work & 63)
        return SLUICE_E_INVALID;
    return plan->program->run(plan->program, arrays, work, plan->workers);
}

/* ---- blocks of streams ---- */

void sched_plan_block(const sluice_plan *plan, sched_block *out)
{
    const sluice_problem *p = &plan->problem;
    const bool in_split = p->in_layout == SLUICE_SPLIT, out_split = p->out_layout == SLUICE_SPLIT;

    *out = (sched_block){.count = p->batch_rank ? p->batch[0].n : 1,
                         .in_bytes = plan->before[0] + plan->after[0],
                         .in_origin = plan->before[0],
                         .out_origin = plan->before[1]};
    out->in_im_bytes = in_split ? out->in_bytes : 0;
    if (plan->in_place)
        return;
    out->out_bytes = plan->before[1] + plan->after[1];
    out->out_im_bytes = out_split ? out->out_bytes : 0;
}

sluice_status sched_plan_item(sluice_plan **out, const sluice_plan *plan, sluice_diag *why)
{
    sluice_problem p = plan->problem;

    *out = NULL;
    if (p.batch_rank == 0 || p.batch[0].n == 1)
        return SLUICE_OK;
    if (plan->variant < 0)
        return SLUICE_OK; /* a formula of the user's: whole blocks only */
    for (int d = 0; d < p.batch_rank + p.rank; d++) {
        const sluice_dim dim = sched_problem_dim(&plan->problem, d);
        if (d < p.batch_rank)
            p.batch[d] = dim;
        else
            p.dim[d - p.batch_rank] = dim;
    }
    const sched_recipe recipe = {.variant = plan->variant, .batch_like = p.batch[0].n};
    p.batch[0] = (sluice_dim){.n = 1};
    return sched_plan_build(out, plan->machine, &p, &recipe, why);
}

static const char *ahead(const void *base, ptrdiff_t bytes)
{
    return base ? (const char *)base + bytes : NULL;
}

sluice_status sched_plan_run_block(const sluice_plan *plan, const sluice_plan *item,
                                   const sluice_slot *slot, int workers)
{
    sched_block block;
    sluice_arrays a = {
        .in = slot->in, .in_im = slot->in_im, .out = slot->out, .out_im = slot->out_im};

    sched_plan_block(plan, &block);
    if (!present(plan, &a) || !placed(plan, &a))
        return SLUICE_E_INVALID;
    if (slot->count == block.count)
        return plan->program->run(plan->program, &a, NULL, workers);
    if (!item)
        return SLUICE_E_UNSUPPORTED;
    const sluice_dim batch = sched_problem_dim(&plan->problem, 0);
    const ptrdiff_t scalar = plan->problem.precision == SLUICE_F32 ? 4 : 8;
    const ptrdiff_t in = batch.in_stride * scalar * (a.in_im ? 1 : 2);
    const ptrdiff_t out = batch.out_stride * scalar * (a.out_im ? 1 : 2);
    sluice_status status = SLUICE_OK;
    for (size_t i = 0; i < slot->count && status == SLUICE_OK; i++) {
        const ptrdiff_t k = (ptrdiff_t)i;
        const sluice_arrays one = {.in = ahead(a.in, k * in),
                                   .in_im = ahead(a.in_im, k * in),
                                   .out = (char *)(uintptr_t)ahead(a.out, k * out),
                                   .out_im = (char *)(uintptr_t)ahead(a.out_im, k * out)};
        status = item->program->run(item->program, &one, NULL, workers);
    }
    return status;
}
