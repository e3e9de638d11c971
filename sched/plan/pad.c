// SPDX-License-Identifier: BSD-3-Clause
/* Finds the fastest lengths to pad a problem to. Lengths without prime factors above 7, from the
 * axis's own up to the next power of two, are planned one after the other, and the one whose plan
 * has the lowest price wins. For DCT-I and DST-I the length in question is half the period, n - 1
 * and n + 1. Axes are padded one after the other, since an axis adds the same price to all lengths
 * of the others. */
#include "sched/plan/pad.h"

#include "core/mem.h"
#include "core/status.h"
#include "sched/planner/lengths.h"
#include "sched/problem/problem.h"

/* At most this many lengths of an axis are tried, the nearest ones. */
enum { MOST_TRIED = 24 };

typedef struct search {
    sluice_machine *machine;
    sluice_problem best;
    double seconds; /* of `best` */
    sluice_diag *why;
} search;

static sluice_status predict(const search *s, const sluice_problem *problem, double *seconds)
{
    const sched_plan_request request = {.mode = s->machine->transfers.mode,
                                        .batch_scale = 1,
                                        .reproducible = s->machine->reproducible,
                                        .sketch = true};
    sluice_plan *plan = NULL;
    backend_cost cost = {0};

    sluice_status status = sched_plan_build(&plan, s->machine, problem, &request, s->why);
    if (status == SLUICE_OK)
        status = plan->program->table->team->estimate(plan->program, &cost);
    *seconds = cost.seconds;
    sched_plan_destroy(plan);
    return status;
}

/* Keeps the faster of the best problem so far and another one. */
static sluice_status compare_with(search *s, sluice_problem problem)
{
    double seconds;

    sluice_status status = sched_problem_normalise(&problem, s->why);
    if (status == SLUICE_OK)
        status = predict(s, &problem, &seconds);
    if (status == SLUICE_OK && seconds < s->seconds) {
        s->best = problem;
        s->seconds = seconds;
    }
    return status;
}

static sluice_status pad_axis(search *s, int axis)
{
    const sluice_problem problem = s->best;
    const size_t n = problem.dim[axis].n;
    const sluice_kind kind = problem.kind[axis];
    /* added to n, less 1 */
    const size_t shift = kind == SLUICE_DCT1 ? 0 : kind == SLUICE_DST1 ? 2 : 1;
    const int64_t least = (int64_t)(n + shift - 1); /* fits, since the problem has a plan */
    int64_t most = 1, length[MOST_TRIED];

    while (most < least)
        most *= 2;
    const int count = sched_smooth_lengths(least, most, true, MOST_TRIED, length);
    for (int i = 0; i < count; i++) {
        sluice_problem longer = problem;
        longer.dim[axis].n = (size_t)length[i] + 1 - shift;
        if (longer.dim[axis].n == n)
            continue;
        const sluice_status status = compare_with(s, longer);
        if (status != SLUICE_OK)
            return status;
    }
    return SLUICE_OK;
}

/* Padded axes with strides or shares would need a layout that only the caller knows. */
static sluice_status check_packed(const sluice_problem *p, sluice_diag *why)
{
    for (int d = 0; d < sched_problem_dims(p); d++) {
        const sluice_dim dim = sched_given_dim(p, d);
        if (dim.in_stride || dim.out_stride)
            return core_fail(why, SLUICE_E_INVALID, 0,
                             "only packed problems can be padded, this one has strides");
    }
    if (p->in_cyclic.parts || p->out_cyclic.parts)
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "problems in block-cyclic order cannot be padded");
    return SLUICE_OK;
}

sluice_status sched_problem_pad(sluice_problem *out, sluice_machine *machine,
                                const sluice_problem *problem, double seconds[2], sluice_diag *why)
{
    search s = {.machine = machine, .best = *problem, .why = why};

    sluice_status status = sched_problem_normalise(&s.best, why);
    if (status == SLUICE_OK)
        status = check_packed(problem, why);
    if (status == SLUICE_OK)
        status = predict(&s, &s.best, &s.seconds);
    const double own = s.seconds;
    for (int axis = 0; axis < problem->rank && status == SLUICE_OK; axis++)
        status = pad_axis(&s, axis);
    if (status != SLUICE_OK)
        return status;
    *out = s.best;
    if (seconds) {
        seconds[0] = own;
        seconds[1] = s.seconds;
    }
    return SLUICE_OK;
}
