// SPDX-License-Identifier: BSD-3-Clause
/* Explains in a sentence why an execution failed. The cause is looked for afterwards, so that
 * executions that succeed cost nothing. */
#include <stdint.h>

#include "core/status.h"
#include "sched/plan/plan.h"
#include "sched/problem/problem.h"

#define REFUSE(...) core_fail(why, SLUICE_E_INVALID, 0, __VA_ARGS__)

enum { POINTERS = 4 };
static const char *const names[POINTERS] = {"in", "in_im", "out", "out_im"};

/* What an execution was given: im of side s is pointer 2 s + 1. */
typedef struct given {
    const sluice_plan *plan;
    uintptr_t at[POINTERS];
    bool used[POINTERS];
    size_t before[2], after[2]; /* bytes of each side, as sched_problem_bytes */
} given;

static given given_by(const sluice_plan *plan, const sluice_arrays *a, size_t count)
{
    sluice_problem p = plan->problem;
    given g = {
        .plan = plan,
        .at = {(uintptr_t)a->in, (uintptr_t)a->in_im, (uintptr_t)a->out, (uintptr_t)a->out_im},
        .used = {true, plan->split[0], true, plan->split[1]}};

    if (p.batch_rank > 0)
        p.batch[0].n = count;
    for (int side = 0; side < 2; side++)
        sched_problem_bytes(&p, side, &g.before[side], &g.after[side]);
    return g;
}

static sluice_status check_each(const given *g, sluice_diag *why)
{
    const uintptr_t scalar = g->plan->misaligned_mask[1] + 1;

    for (int i = 0; i < POINTERS; i++) {
        const char *side = i < 2 ? "input" : "output";
        if (!g->used[i] && g->at[i])
            return REFUSE("%s is given, but the %s is interleaved: it must be NULL", names[i],
                          side);
        if (g->used[i] && !g->at[i])
            return REFUSE("%s is NULL%s%s%s", names[i], i % 2 ? ", but the " : "",
                          i % 2 ? side : "", i % 2 ? " is split" : "");
        if (g->at[i] % scalar)
            return REFUSE("%s is misaligned: %zu bytes beyond a multiple of %zu", names[i],
                          (size_t)(g->at[i] % scalar), (size_t)scalar);
    }
    return SLUICE_OK;
}

static sluice_status check_places(const given *g, sluice_diag *why)
{
    for (int part = 0; part < 2; part++) {
        const uintptr_t in = g->at[part], out = g->at[2 + part];
        if (g->used[part] && in != out)
            return REFUSE("%s and %s are %zu bytes apart: the problem is in place, so they must be "
                          "equal",
                          names[part], names[2 + part], (size_t)(in < out ? out - in : in - out));
    }
    return SLUICE_OK;
}

/* Refuses if pointers i of the input and o of the output touch the same bytes. */
static sluice_status check_apart(const given *g, int i, int o, sluice_diag *why)
{
    const uintptr_t in = g->at[i] - g->before[0], in_end = g->at[i] + g->after[0];
    const uintptr_t out = g->at[o] - g->before[1], out_end = g->at[o] + g->after[1];
    const uintptr_t from = in > out ? in : out, to = in_end < out_end ? in_end : out_end;

    if (!g->used[i] || !g->used[o] || from >= to)
        return SLUICE_OK;
    return REFUSE("%s and %s overlap by %zu bytes: %s reaches over %zu bytes, %s over %zu, and the "
                  "problem is not in place",
                  names[i], names[o], (size_t)(to - from), names[i], (size_t)(in_end - in),
                  names[o], (size_t)(out_end - out));
}

static sluice_status check_pointers(const given *g, const void *work, sluice_diag *why)
{
    sluice_status status = check_each(g, why);

    if (status == SLUICE_OK && g->plan->in_place)
        status = check_places(g, why);
    for (int k = 0; k < 4 && status == SLUICE_OK && !g->plan->in_place; k++)
        status = check_apart(g, k / 2, 2 + k % 2, why);
    if (status == SLUICE_OK && g->used[3] && g->at[2] == g->at[3])
        return REFUSE("out and out_im are the same array");
    if (status == SLUICE_OK && (uintptr_t)work % 64)
        return REFUSE("work is misaligned: %zu bytes beyond a multiple of 64",
                      (size_t)((uintptr_t)work % 64));
    return status;
}

/* The last fault of a unit of any of the plan's kinds. */
static sluice_status explain_device(const sluice_plan *plan, sluice_diag *why)
{
    sluice_diag fault;

    for (const sluice_plan *q = plan; q; q = q->next)
        for (int unit = 0; unit < q->machine->units; unit++)
            if (q->machine->table->discover->fault(q->machine->backend, unit, &fault) != SLUICE_OK)
                return core_fail(why, SLUICE_E_DEVICE, 0, "unit %d: %s", unit, fault.message);
    return core_fail(why, SLUICE_E_DEVICE, 0, "%s", core_strerror(SLUICE_E_DEVICE));
}

sluice_status sched_plan_explain(const sluice_plan *plan, sluice_status status,
                                 const sluice_arrays *arrays, const void *work, size_t count,
                                 sluice_diag *why)
{
    if (status == SLUICE_E_INVALID) {
        const given g = given_by(plan, arrays, count);
        if (check_pointers(&g, work, why) != SLUICE_OK)
            return status;
    }
    if (status == SLUICE_E_DEVICE)
        return explain_device(plan, why);
    if (status == SLUICE_E_UNSUPPORTED && count != sched_plan_count(plan))
        return core_fail(why, status, 0,
                         "a plan made of a formula runs whole blocks: %zu transforms, not %zu",
                         sched_plan_count(plan), count);
    return core_fail(why, status, 0, "%s", core_strerror(status));
}
