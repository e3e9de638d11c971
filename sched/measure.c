// SPDX-License-Identifier: BSD-3-Clause
#include "sched/measure.h"

#include <string.h>

#include "core/clock.h"
#include "core/mem.h"
#include "core/status.h"

/* A run lasts this long at least, so that the clock does not matter. */
static const double run_seconds = 5e-4;
enum { RUNS = 5 };

static void *zeroed(size_t bytes)
{
    void *block = core_aligned_alloc(bytes);

    if (block)
        memset(block, 0, bytes);
    return block;
}

sluice_status sched_sides_open(sched_sides *s, const sluice_plan *plan, sluice_diag *why)
{
    memset(s, 0, sizeof *s);
    for (int side = 0; side < 2; side++) {
        const sluice_layout layout = side ? plan->problem.out_layout : plan->problem.in_layout;
        const int parts = layout == SLUICE_SPLIT ? 2 : 1;
        for (int part = 0; part < parts && !(side == 1 && plan->in_place); part++) {
            void *block = zeroed(plan->before[side] + plan->after[side]);
            if (!block) {
                sched_sides_close(s);
                return core_fail_memory(why);
            }
            s->block[2 * side + part] = block;
        }
    }
    char *const *block = (char *const *)s->block;
    s->arrays.in = block[0] + plan->before[0];
    s->arrays.in_im = block[1] ? block[1] + plan->before[0] : NULL;
    s->arrays.out = plan->in_place ? block[0] + plan->before[0] : block[2] + plan->before[1];
    if (plan->in_place)
        s->arrays.out_im = block[1] ? block[1] + plan->before[0] : NULL;
    else
        s->arrays.out_im = block[3] ? block[3] + plan->before[1] : NULL;
    return SLUICE_OK;
}

void sched_sides_close(sched_sides *s)
{
    for (int i = 0; i < 4; i++)
        core_aligned_free(s->block[i]);
}

static double time_runs(const sluice_plan *plan, const sluice_arrays *arrays, long repeat)
{
    const double start = core_seconds();

    for (long i = 0; i < repeat; i++)
        plan->program->run(plan->program, arrays, NULL, plan->workers);
    return (core_seconds() - start) / (double)repeat;
}

sluice_status sched_measure(const sluice_plan *plan, double until, double *seconds,
                            sluice_diag *why)
{
    sched_sides sides;
    long repeat = 1;

    const sluice_status status = sched_sides_open(&sides, plan, why);
    if (status != SLUICE_OK)
        return status;
    double best = time_runs(plan, &sides.arrays, 1);
    while (best * (double)repeat < run_seconds) {
        repeat *= 2;
        best = time_runs(plan, &sides.arrays, repeat);
    }
    for (int run = 0; run < RUNS && (until == 0 || core_seconds() < until); run++) {
        const double t = time_runs(plan, &sides.arrays, repeat);
        if (t < best)
            best = t;
    }
    sched_sides_close(&sides);
    *seconds = best;
    return SLUICE_OK;
}
