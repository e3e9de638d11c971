// SPDX-License-Identifier: BSD-3-Clause
/* Timing of plans. A load waits for an earlier store whose address has the same low 12 bits
 * (Intel's optimization manual: 4K aliasing; AMD's processors compare as many), so the time of one
 * plan differs by up to a quarter with the offsets of its arrays within a page. A plan is timed at
 * several offsets and the median counts, so that none of them decides. */
#include "sched/plan/measure.h"

#include <stdlib.h>

#include "core/clock.h"
#include "sched/machine/gate.h"
#include "sched/plan/sides.h"

/* A run lasts at least this long, so that the clock's resolution does not matter. */
static const double run_seconds = 5e-4;
/* The offsets are STEP times 0 .. 7, modulo a page: whole lines, but not the strides of transforms,
 * which are powers of 2. */
enum { PLACES = 8, STEP = 9 * 128, PAGE = 4096 };

static double time_runs(const sluice_plan *plan, const sluice_arrays *arrays, int workers,
                        long repeat)
{
    const double start = core_seconds();

    for (long i = 0; i < repeat; i++)
        sched_plan_run(plan, arrays, NULL, workers, 0);
    return (core_seconds() - start) / (double)repeat;
}

/* The number of executions for a long enough run; finding it also warms the caches. */
static long find_repeat(const sluice_plan *plan, const sluice_arrays *arrays, int workers)
{
    long repeat = 1;

    while (time_runs(plan, arrays, workers, repeat) * (double)repeat < run_seconds)
        repeat *= 2;
    return repeat;
}

/* The least time of a run of executions on a device, one after another; the run ends with waiting
 * for the last one. */
static const double there_seconds = 2e-3;
enum { THERE_RUNS = 5 };

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, compare);
    return times[count / 2];
}

sluice_status sched_measure(const sluice_plan *plan, int workers, double until, double *seconds,
                            sluice_diag *why)
{
    double times[PLACES];
    int places = 0;
    sched_sides sides;

    const sluice_status status = sched_sides_open(&sides, plan, PAGE, why);
    if (status != SLUICE_OK)
        return status;
    const long repeat = find_repeat(plan, &sides.arrays, workers);
    /* Triangular numbers modulo a power of 2 are a permutation: the distance of the two sides takes
     * seven values in eight places. */
    do {
        const size_t in = (size_t)places, out = in * (in + 1) / 2 % PLACES;
        sched_sides_move(&sides, plan, in * STEP % PAGE, out * STEP % PAGE);
        times[places++] = time_runs(plan, &sides.arrays, workers, repeat);
    } while (places < PLACES && (until == 0 || core_seconds() < until));
    sched_sides_close(&sides);
    *seconds = median(times, places);
    return SLUICE_OK;
}

/* Does the first unit have a memory of its own, where a plan can be timed? */
static bool runs_apart(const sluice_plan *plan)
{
    return plan->runs_blocks && plan->program->table->team->time_there
           && !plan->machine->unit0.shares_memory;
}

static sluice_status measure_there(const sluice_plan *plan, double until, double *seconds,
                                   sluice_diag *why)
{
    const backend_timing timing = {.at_least = there_seconds, .until = until, .runs = THERE_RUNS};
    double times[THERE_RUNS];
    int runs = 0;
    sched_sides sides;

    sluice_status status = sched_sides_open(&sides, plan, 0, why);
    if (status != SLUICE_OK)
        return status;
    const size_t count = sched_plan_count(plan);
    const backend_block block = {.arrays = sides.arrays, .count = count, .full = count};
    sched_gate_enter(plan->machine->gate, block.unit);
    status = plan->program->table->team->time_there(plan->program, &block, &timing, times, &runs);
    sched_gate_leave(plan->machine->gate, block.unit);
    if (status == SLUICE_OK)
        *seconds = median(times, runs);
    else
        (void)sched_plan_explain(plan, status, &sides.arrays, NULL, count, why);
    sched_sides_close(&sides);
    return status;
}

sluice_status sched_measure_candidate(const sluice_plan *plan, double until, double *seconds,
                                      sluice_diag *why)
{
    return runs_apart(plan) ? measure_there(plan, until, seconds, why)
                            : sched_measure(plan, plan->workers, until, seconds, why);
}
