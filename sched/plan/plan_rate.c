// SPDX-License-Identifier: BSD-3-Clause
#include "sched/plan/plan_rate.h"

#include "core/clock.h"
#include "core/mem.h"
#include "core/status.h"
#include "sched/machine/wisdom.h"
#include "sched/plan/measure.h"
#include "sched/plan/sides.h"

enum { RUNS = 3 };

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

int sched_rate_units(const sluice_plan *plan)
{
    const int units = plan->machine->units, cap = plan->problem.workers;

    if (plan->runs_blocks)
        return units;
    const int workers = cap > 0 ? smaller(cap, units) : units;
    const int64_t parts = plan->body->parts < 1 ? 1 : plan->body->parts;
    return parts < workers ? (int)parts : workers;
}

static sluice_status predict_rate(const sluice_plan *plan, sched_rate *out)
{
    backend_cost cost;
    const sluice_status status = plan->program->table->team->estimate(plan->program, &cost);

    if (status == SLUICE_OK)
        *out = (sched_rate){.seconds = cost.seconds,
                            .latency = cost.latency,
                            .pace = cost.pace > 0 ? cost.pace : cost.seconds};
    return status;
}

/* Times one block of `count` transforms on the first unit: the measured seconds, or the sum of the
 * unit's own times if that is larger, and the longest leg. */
static sluice_status time_block(const sluice_plan *plan, const sluice_arrays *arrays, size_t count,
                                double *seconds, double *pace)
{
    const sluice_slot slot = {.in = (void *)(uintptr_t)arrays->in,
                              .in_im = (void *)(uintptr_t)arrays->in_im,
                              .out = arrays->out,
                              .out_im = arrays->out_im,
                              .count = count};
    backend_ticket *ticket;
    backend_legs legs = {0};
    const double start = core_seconds();

    sluice_status status = sched_plan_begin_block(plan, &slot, 0, 0, true, &ticket);
    if (status == SLUICE_OK)
        status = sched_plan_finish_block(plan, 0, ticket, &legs);
    const double passed = core_seconds() - start, sum = legs.get + legs.compute + legs.put;
    const double longer = legs.get > legs.put ? legs.get : legs.put;
    *seconds = passed > sum ? passed : sum;
    *pace = longer > legs.compute ? longer : legs.compute;
    return status;
}

/* The fastest of several blocks. */
static sluice_status time_blocks(const sluice_plan *plan, const sluice_arrays *arrays, size_t count,
                                 double until, double *seconds, double *pace)
{
    double s, p;
    sluice_status status = time_block(plan, arrays, count, seconds, pace);

    for (int run = 1; run < RUNS && status == SLUICE_OK && (until == 0 || core_seconds() < until);
         run++) {
        status = time_block(plan, arrays, count, &s, &p);
        if (s < *seconds) {
            *seconds = s;
            *pace = p;
        }
    }
    return status;
}

/* The rate of units with a depth. Timing two counts separates the latency, which does not depend on
 * the count. */
static sluice_status measure_blocks(const sluice_plan *plan, double until, sched_rate *out,
                                    sluice_diag *why)
{
    const size_t full = sched_plan_count(plan);
    double one = 0, pace;
    sched_sides sides;

    sluice_status status = sched_sides_open(&sides, plan, 0, why);
    if (status != SLUICE_OK)
        return status;
    *out = (sched_rate){.measured = true};
    status = time_blocks(plan, &sides.arrays, full, until, &out->seconds, &out->pace);
    if (status == SLUICE_OK && full > 1 && plan->tree)
        status = time_blocks(plan, &sides.arrays, 1, until, &one, &pace);
    if (status != SLUICE_OK)
        (void)sched_plan_explain(plan, status, &sides.arrays, NULL, full, why);
    sched_sides_close(&sides);
    if (one > 0)
        out->latency = one - (out->seconds - one) / (double)(full - 1);
    if (out->latency < 0 || out->latency > out->seconds)
        out->latency = 0;
    if (out->pace <= 0)
        out->pace = out->seconds;
    return status;
}

static sluice_status measure_rate(const sluice_plan *plan, double until, sched_rate *out,
                                  sluice_diag *why)
{
    double seconds = 0;

    if (plan->runs_blocks)
        return measure_blocks(plan, until, out, why);
    const sluice_status status = sched_measure(plan, plan->workers, until, &seconds, why);
    seconds *= sched_rate_units(plan);
    *out = (sched_rate){.seconds = seconds, .pace = seconds, .measured = true};
    return status;
}

/* Rates of plans with hooks are not kept: wisdom knows problems only. */
sluice_status sched_rate_find(sluice_plan *plan, bool measures, double until, sluice_diag *why)
{
    char *key = sched_wisdom_key(&plan->problem);
    sluice_status status = SLUICE_OK;

    if (!key)
        return core_fail_memory(why);
    if (sched_wisdom_rate(plan->machine, key, &plan->rate)) {
        core_free(key);
        return SLUICE_OK;
    }
    if (measures && (until == 0 || core_seconds() < until)) {
        status = measure_rate(plan, until, &plan->rate, why);
        if (status == SLUICE_OK && plan->hooks_scale == 1 && !plan->hooked)
            sched_wisdom_store_rate(plan->machine, key, &plan->rate);
    } else if (predict_rate(plan, &plan->rate) != SLUICE_OK) {
        status = core_fail_memory(why);
    }
    core_free(key);
    return status;
}
