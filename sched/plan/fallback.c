// SPDX-License-Identifier: BSD-3-Clause
/* Fallbacks: the same problem on other units, for blocks and shares whose unit failed. */
#include "core/status.h"
#include "sched/plan/plan.h"

sluice_status sched_fallback_open(sched_fallback *out, const sluice_plan *plan, const char *units,
                                  sluice_diag *why)
{
    const core_log *log = &plan->machine->log;
    const sluice_machine_options options = {
        .units = units, .log = log->write, .log_user = log->user};
    sluice_hooks hooks = sched_plan_hooks(plan) ? *sched_plan_hooks(plan) : (sluice_hooks){0};
    const sluice_plan_options as_this = {.hooks = &hooks, .reproducible = plan->reproducible};
    sluice_machine *machine;

    hooks.scale = plan->hooks_scale;
    *out = (sched_fallback){.plan = NULL};
    if (!plan->has_problem)
        return core_fail(
            why, SLUICE_E_UNSUPPORTED, 0,
            "a plan made of a formula alone has no fallback: its problem is not known");
    sluice_status status = sched_machine_open(&machine, &options, why);
    if (status != SLUICE_OK)
        return status;
    status = sched_plan_create(&out->plan, machine, &plan->problem, &as_this, why);
    sched_machine_release(machine);
    return status == SLUICE_OK ? sched_plan_item(&out->item, out->plan, why) : status;
}

void sched_fallback_close(sched_fallback *fallback)
{
    sched_plan_destroy(fallback->item);
    sched_plan_destroy(fallback->plan);
}
