// SPDX-License-Identifier: BSD-3-Clause
#include "sched/plan/measure.h"

#include "core/clock.h"
#include "sched/plan/sides.h"

/* A run lasts this long at least, so that the clock does not matter. */
static const double run_seconds = 5e-4;
enum { RUNS = 5 };

static double time_runs(const sluice_plan *plan, const sluice_arrays *arrays, int workers,
                        long repeat)
{
    const double start = core_seconds();

    for (long i = 0; i < repeat; i++)
        sched_plan_run(plan, arrays, NULL, workers, 0);
    return (core_seconds() - start) / (double)repeat;
}

sluice_status sched_measure(const sluice_plan *plan, int workers, double until, double *seconds,
                            sluice_diag *why)
{
    sched_sides sides;
    long repeat = 1;

    const sluice_status status = sched_sides_open(&sides, plan, why);
    if (status != SLUICE_OK)
        return status;
    double best = time_runs(plan, &sides.arrays, workers, 1);
    while (best * (double)repeat < run_seconds) {
        repeat *= 2;
        best = time_runs(plan, &sides.arrays, workers, repeat);
    }
    for (int run = 0; run < RUNS && (until == 0 || core_seconds() < until); run++) {
        const double t = time_runs(plan, &sides.arrays, workers, repeat);
        if (t < best)
            best = t;
    }
    sched_sides_close(&sides);
    *seconds = best;
    return SLUICE_OK;
}
