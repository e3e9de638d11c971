// SPDX-License-Identifier: BSD-3-Clause
/* Explicit transfers (software DMA, Spiral for the Cell, section 3): block k+1 is read while block
 * k is computed and block k-1 is written. The mode is a unit option: kernels access the user's
 * arrays directly (fused), or the worker or a helper copies blocks to and from buffers in the local
 * store. */
#include "sched/plan/transfers.h"

#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "sched/plan/measure.h"

enum { ROUNDS = 2 };
/* Copying must take less than this share of the fused time, so that noise does not decide. */
static const double max_copy_time = 0.97;

/* The text of a plan's formula if it is not one of the planner's, as typed if it was; else NULL. */
static const char *text_of(const sluice_plan *plan, const sched_plan_request *request)
{
    if (plan->tree || request->text)
        return plan->tree ? NULL : request->text;
    return sched_plan_formula_text(plan);
}

/* The same plan in another mode: with the same choices, or the same formula if it is not the
 * planner's. */
static sluice_status remake_in_mode(sluice_plan **plan, const sluice_plan *like,
                                    const sched_plan_request *request, backend_transfer_mode mode,
                                    sluice_diag *why)
{
    const sched_plan_request one = {.mode = mode,
                                    .tree = like->tree,
                                    .text = text_of(like, request),
                                    .batch_scale = request->batch_scale,
                                    .costs_from = like,
                                    /* the text of a plan from wisdom contains it */
                                    .hooks_scale =
                                        like->tree || request->text ? like->hooks_scale : 1,
                                    .hooks = sched_plan_hooks(like),
                                    .reproducible = like->reproducible};
    sluice_problem problem = like->problem;

    if (!like->has_problem)
        problem.dim[0].n = 0;
    return sched_plan_build(plan, like->machine, &problem, &one, why);
}

/* Plans alternate, so that other load on the machine affects all of them. */
static sluice_status time_modes(sluice_plan *const *plan, double until, double *seconds,
                                sluice_diag *why)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int mode = 0; mode < BACKEND_MODES; mode++) {
            double now = 0;
            if (!plan[mode] || (round > 0 && until > 0 && core_seconds() >= until))
                continue;
            const sluice_status status =
                sched_measure(plan[mode], plan[mode]->workers, until, &now, why);
            if (status != SLUICE_OK)
                return status;
            if (round == 0 || now < seconds[mode])
                seconds[mode] = now;
        }
    return SLUICE_OK;
}

/* Makes plan[mode] for all modes with transfers. NULL if the problem has none in a mode; then the
 * fused plan gets the reason. */
static sluice_status build_modes(sluice_plan **plan, const sched_plan_request *request,
                                 sluice_diag *why)
{
    sluice_plan *like = plan[BACKEND_FUSED];
    sluice_status status = SLUICE_OK;

    for (int mode = BACKEND_WORKER; mode < BACKEND_MODES && status == SLUICE_OK; mode++) {
        if (!like->machine->transfers.can[mode])
            continue;
        status = remake_in_mode(&plan[mode], like, request, (backend_transfer_mode)mode, why);
        if (status != SLUICE_OK || (int)plan[mode]->mode == mode)
            continue;
        snprintf(like->fused_reason, sizeof like->fused_reason, "%s", plan[mode]->fused_reason);
        sched_plan_destroy(plan[mode]);
        plan[mode] = NULL;
    }
    return status;
}

sluice_status sched_transfers_measure(sluice_plan **best, const sched_plan_request *request,
                                      double until, sluice_diag *why)
{
    sluice_plan *plan[BACKEND_MODES] = {[BACKEND_FUSED] = *best};
    double seconds[BACKEND_MODES] = {0};
    backend_transfer_mode fastest = BACKEND_FUSED;

    if (!(*best)->machine->transfers.measure)
        return SLUICE_OK;
    sluice_status status = build_modes(plan, request, why);
    if (status == SLUICE_OK && (plan[BACKEND_WORKER] || plan[BACKEND_HELPER]))
        status = time_modes(plan, until, seconds, why);
    for (int mode = BACKEND_WORKER; mode < BACKEND_MODES && status == SLUICE_OK; mode++)
        if (plan[mode]
            && seconds[mode] < seconds[fastest] * (fastest == BACKEND_FUSED ? max_copy_time : 1))
            fastest = (backend_transfer_mode)mode;
    for (int mode = 0; mode < BACKEND_MODES; mode++)
        if (mode != (int)fastest)
            sched_plan_destroy(plan[mode]);
    *best = plan[fastest];
    memcpy((*best)->seconds, seconds, sizeof seconds);
    return status;
}

void sched_transfers_print(const sluice_plan *plan, core_text *out)
{
    const backend_transfers *t = &plan->machine->transfers;

    if (!t->can[BACKEND_FUSED] || (t->mode == BACKEND_FUSED && !t->measure))
        return;
    if (plan->fused_reason[0] && plan->seconds[BACKEND_FUSED] <= 0) {
        core_text_printf(out, "# transfers: fused into kernels: %s\n", plan->fused_reason);
        return;
    }
    core_text_printf(out, "# transfers: %s", backend_mode_name(plan->mode));
    for (int mode = 0; mode < BACKEND_MODES && t->measure; mode++)
        if (plan->seconds[mode] > 0)
            core_text_printf(out, "%s %s %.3g s", mode ? "," : "; measured",
                             backend_mode_name(mode), plan->seconds[mode]);
    if (t->measure && plan->seconds[BACKEND_FUSED] > 0 && plan->seconds[BACKEND_HELPER] <= 0)
        core_text_printf(out, ", helper not tried");
    if (t->helpers[0])
        core_text_printf(out, "; helpers: %s", t->helpers);
    core_text_printf(out, "\n");
}
