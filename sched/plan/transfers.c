// SPDX-License-Identifier: BSD-3-Clause
/* Soft DMA (Spiral for the Cell, section 3): a block is got while the one before is computed and the
 * one before that is put. Here a unit option: kernels address the user's arrays themselves (fused),
 * or blocks are copied to and from buffers in the local store, by the worker or by a helper. */
#include "sched/plan/transfers.h"

#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "sched/plan/measure.h"

enum { ROUNDS = 2 };
/* Of the time by fused kernels: what copying has to do better than, so that noise decides nothing. */
static const double gain = 0.97;

/* The formula of a plan that is none of the planner's variants, as it was given where it was typed. */
static const char *text_of(const sluice_plan *plan, const sched_recipe *recipe)
{
    const char *colon = strstr(plan->line, ":=");

    if (plan->variant >= 0 || recipe->text)
        return plan->variant >= 0 ? NULL : recipe->text;
    return colon ? colon + 2 : plan->line;
}

/* The plan as `way` makes it: the same variant, or the same formula where it is none. */
static sluice_status make(sluice_plan **plan, const sluice_plan *like, const sched_recipe *recipe,
                          backend_way way, sluice_diag *why)
{
    const sched_recipe one = {.way = way,
                              .variant = like->variant,
                              .text = text_of(like, recipe),
                              .batch_like = recipe->batch_like,
                              .like = like};
    sluice_problem problem = like->problem;

    if (!like->has_problem)
        problem.dim[0].n = 0;
    return sched_plan_build(plan, like->machine, &problem, &one, why);
}

/* Each in turn, so that what else the machine does meets them alike. */
static sluice_status time_all(sluice_plan *const *plan, double until, double *seconds,
                              sluice_diag *why)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int way = 0; way < BACKEND_WAYS; way++) {
            double now = 0;
            if (!plan[way] || (round > 0 && until > 0 && core_seconds() >= until))
                continue;
            const sluice_status status =
                sched_measure(plan[way], plan[way]->workers, until, &now, why);
            if (status != SLUICE_OK)
                return status;
            if (round == 0 || now < seconds[way])
                seconds[way] = now;
        }
    return SLUICE_OK;
}

/* plan[way] of all ways that get and put; NULL where that is none for this problem, `fused` says why. */
static sluice_status make_all(sluice_plan **plan, const sched_recipe *recipe, char *fused,
                              size_t room, sluice_diag *why)
{
    const sluice_plan *like = plan[BACKEND_FUSED];
    sluice_status status = SLUICE_OK;

    for (int way = BACKEND_WORKER; way < BACKEND_WAYS && status == SLUICE_OK; way++) {
        if (!like->machine->transfers.can[way])
            continue;
        status = make(&plan[way], like, recipe, (backend_way)way, why);
        if (status != SLUICE_OK || (int)plan[way]->way == way)
            continue;
        snprintf(fused, room, "%s", plan[way]->fused);
        sched_plan_destroy(plan[way]);
        plan[way] = NULL;
    }
    return status;
}

sluice_status sched_transfers_measure(sluice_plan **best, const sched_recipe *recipe, double until,
                                      sluice_diag *why)
{
    sluice_plan *plan[BACKEND_WAYS] = {[BACKEND_FUSED] = *best};
    double seconds[BACKEND_WAYS] = {0};
    backend_way fastest = BACKEND_FUSED;

    if (!(*best)->machine->transfers.measure)
        return SLUICE_OK;
    sluice_status status = make_all(plan, recipe, (*best)->fused, sizeof(*best)->fused, why);
    if (status == SLUICE_OK && (plan[BACKEND_WORKER] || plan[BACKEND_HELPER]))
        status = time_all(plan, until, seconds, why);
    for (int way = BACKEND_WORKER; way < BACKEND_WAYS && status == SLUICE_OK; way++)
        if (plan[way] && seconds[way] < seconds[fastest] * (fastest == BACKEND_FUSED ? gain : 1))
            fastest = (backend_way)way;
    for (int way = 0; way < BACKEND_WAYS; way++)
        if (way != (int)fastest)
            sched_plan_destroy(plan[way]);
    *best = plan[fastest];
    memcpy((*best)->seconds, seconds, sizeof seconds);
    return status;
}

void sched_transfers_print(const sluice_plan *plan, core_text *out)
{
    const backend_transfers *t = &plan->machine->transfers;

    if (!t->can[BACKEND_FUSED] || (t->way == BACKEND_FUSED && !t->measure))
        return;
    if (plan->fused[0] && plan->seconds[BACKEND_FUSED] <= 0) {
        core_text_printf(out, "# transfers: fused into kernels: %s\n", plan->fused);
        return;
    }
    core_text_printf(out, "# transfers: %s", backend_way_names[plan->way]);
    for (int way = 0; way < BACKEND_WAYS && t->measure; way++)
        if (plan->seconds[way] > 0)
            core_text_printf(out, "%s %s %.3g s", way ? "," : "; measured", backend_way_names[way],
                             plan->seconds[way]);
    if (t->measure && plan->seconds[BACKEND_FUSED] > 0 && plan->seconds[BACKEND_HELPER] <= 0)
        core_text_printf(out, ", helper not tried");
    if (t->helpers[0])
        core_text_printf(out, "; helpers: %s", t->helpers);
    core_text_printf(out, "\n");
}
