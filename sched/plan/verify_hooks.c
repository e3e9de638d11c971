// SPDX-License-Identifier: BSD-3-Clause
#include "sched/plan/verify_hooks.h"

#include <float.h>
#include <math.h>

#include "sched/plan/hooks.h"
#include "sched/problem/problem.h"

/* Results beyond the range of I16 become its limits. */
static const long double i16_least = -1, i16_most = 32767 / 32768.0L;

static const sluice_side_hooks *hooks_of(const sluice_plan *plan, int side)
{
    const bool on = plan->hooked && plan->hooked->on[side];

    return !on ? NULL : side ? &plan->hooked->spec.out : &plan->hooked->spec.in;
}

bool sched_hooks_reach(const sluice_plan *plan, int side, size_t index)
{
    const sluice_problem *p = &plan->problem;
    const sluice_side_hooks *h = hooks_of(plan, side);

    for (int d = p->rank - 1; h && d >= 0; d--) {
        const size_t n = sched_problem_extent(p, p->batch_rank + d, side);
        if (h->extent[d] && index % n >= h->extent[d])
            return false;
        index /= n;
    }
    return true;
}

static void weigh_element(const sluice_plan *plan, const sluice_side_hooks *h, int side,
                          size_t index, long double *x)
{
    const sluice_problem *p = &plan->problem;
    size_t count = 1;

    if (!h->weight)
        return;
    for (int d = p->rank - h->weight_rank; d < p->rank; d++)
        count *= sched_problem_extent(p, p->batch_rank + d, side);
    x[0] *= h->weight[index % count];
    x[1] *= h->weight[index % count];
}

static void call_hook(const sluice_plan *plan, const sluice_side_hooks *h, int side, size_t at,
                      long double *x)
{
    const bool single = plan->problem.precision == SLUICE_F32;
    float f[2] = {(float)x[0], (float)x[1]};
    double d[2] = {(double)x[0], (double)x[1]};

    if (!h->call)
        return;
    (void)h->call(h->user, at, 1, single ? (void *)f : (void *)d);
    x[0] = single ? (long double)f[0] : (long double)d[0];
    x[1] = sched_side_scalars(&plan->problem, side) == 1 ? 0
           : single                                      ? (long double)f[1]
                                                         : (long double)d[1];
}

static void round_as_stored(sluice_storage storage, long double *x)
{
    for (int k = 0; k < 2 && storage == SLUICE_STORE_I16; k++)
        x[k] = x[k] < i16_least ? i16_least : x[k] > i16_most ? i16_most : x[k];
}

void sched_hooks_apply(const sluice_plan *plan, int side, size_t which, size_t index,
                       long double *x)
{
    const sluice_side_hooks *h = hooks_of(plan, side);

    if (!h)
        return;
    weigh_element(plan, h, side, index, x);
    call_hook(plan, h, side, which * sched_side_elements(&plan->problem, side) + index, x);
    if (side)
        round_as_stored(sched_plan_storage(plan, 1), x);
}

double sched_hooks_bound(const sluice_plan *plan, long double energy, size_t count)
{
    const double epsilon = plan->problem.precision == SLUICE_F32 ? FLT_EPSILON : DBL_EPSILON;
    const double rms = energy > 0 ? sqrt((double)energy / (double)count) : 1;

    if (!plan->hooked)
        return 0;
    switch (plan->hooked->side[1].storage) {
    case SLUICE_STORE_I16: return 1 / (32768 * rms);
    case SLUICE_STORE_F16: return 1 / 1024.0;
    case SLUICE_STORE_F32: return FLT_EPSILON;
    default: return epsilon;
    }
}
