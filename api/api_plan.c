// SPDX-License-Identifier: BSD-3-Clause
/* sluice.h: plans and executions. */
#include <string.h>

#include "api/sluice.h"
#include "core/status.h"
#include "sched/emit/emit.h"
#include "sched/plan/pad.h"

sluice_status sluice_plan_create(sluice_plan **out, sluice_machine *machine,
                                 const sluice_problem *problem, const sluice_plan_options *options,
                                 sluice_diag *why)
{
    if (!out || !machine || !problem)
        return core_fail(why, SLUICE_E_INVALID, 0, "out, machine or problem is NULL");
    *out = NULL;
    return sched_plan_create(out, machine, problem, options, why);
}

sluice_status sluice_plan_from_text(sluice_plan **out, sluice_machine *machine, const char *problem,
                                    const sluice_plan_options *options, sluice_diag *why)
{
    sluice_problem parsed;
    if (!out || !machine || !problem)
        return core_fail(why, SLUICE_E_INVALID, 0, "out, machine or problem is NULL");
    *out = NULL;
    const sluice_status status = sluice_problem_parse(&parsed, problem, why);
    return status == SLUICE_OK ? sched_plan_create(out, machine, &parsed, options, why) : status;
}

sluice_status sluice_plan_from_formula(sluice_plan **out, sluice_machine *machine,
                                       const char *formula, sluice_precision precision,
                                       const sluice_plan_options *options, sluice_diag *why)
{
    if (!out || !machine || !formula)
        return core_fail(why, SLUICE_E_INVALID, 0, "out, machine or formula is NULL");
    *out = NULL;
    return sched_plan_from_formula(out, machine, formula, precision, options, why);
}

void sluice_plan_destroy(sluice_plan *plan)
{
    sched_plan_destroy(plan);
}

sluice_status sluice_plan_print(const sluice_plan *plan, sluice_level level, sluice_write *write,
                                void *user)
{
    if (!plan || !write)
        return SLUICE_E_INVALID;
    return sched_plan_print(plan, level, write, user);
}

sluice_status sluice_plan_problem(const sluice_plan *plan, sluice_problem *out)
{
    if (!plan || !out)
        return SLUICE_E_INVALID;
    *out = plan->problem;
    return SLUICE_OK;
}

sluice_status sluice_problem_pad(sluice_problem *out, sluice_machine *machine,
                                 const sluice_problem *problem, double seconds[2], sluice_diag *why)
{
    if (!out || !machine || !problem)
        return core_fail(why, SLUICE_E_INVALID, 0, "out, machine or problem is NULL");
    return sched_problem_pad(out, machine, problem, seconds, why);
}

sluice_status sluice_plan_verify(const sluice_plan *plan, double *error, double *bound,
                                 sluice_diag *why)
{
    if (!plan || !error || !bound)
        return core_fail(why, SLUICE_E_INVALID, 0, "plan, error or bound is NULL");
    return sched_plan_verify(plan, error, bound, why);
}

sluice_status sluice_plan_bits(const sluice_plan *plan, uint64_t *bits, sluice_diag *why)
{
    if (!plan || !bits)
        return core_fail(why, SLUICE_E_INVALID, 0, "plan or bits is NULL");
    return sched_plan_bits(plan, bits, why);
}

size_t sluice_plan_work_bytes(const sluice_plan *plan)
{
    return plan && plan->own ? sched_plan_work_bytes(plan->own) : 0;
}

sluice_status sluice_execute(const sluice_plan *plan, const void *in, void *out)
{
    return plan ? sched_plan_transform(plan, in, out) : SLUICE_E_INVALID;
}

/* Executes arrays that come with a `why`, and refuses missing ones. */
static sluice_status execute_explained(const sluice_plan *plan, const sluice_arrays *a, void *work)
{
    static const sluice_arrays zero;

    if (memcmp(a->reserved, zero.reserved, sizeof zero.reserved) != 0)
        return core_fail(a->why, SLUICE_E_INVALID, 0, "the arrays' reserved fields must be zero");
    if (!plan)
        return core_fail(a->why, SLUICE_E_INVALID, 0, "plan is NULL");
    const sluice_status status = sched_plan_execute(plan, a, work);
    if (status == SLUICE_OK)
        return status;
    return sched_plan_explain(plan, status, a, work, sched_plan_count(plan), a->why);
}

sluice_status sluice_execute_with(const sluice_plan *plan, const sluice_arrays *arrays, void *work)
{
    if (!plan || !arrays)
        return arrays ? execute_explained(plan, arrays, work) : SLUICE_E_INVALID;
    uintptr_t needs_explaining = (uintptr_t)arrays->why;
    for (size_t i = 0; i < sizeof arrays->reserved / sizeof arrays->reserved[0]; i++)
        needs_explaining |= arrays->reserved[i];
    return needs_explaining ? execute_explained(plan, arrays, work)
                            : sched_plan_execute(plan, arrays, work);
}
