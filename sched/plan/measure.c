// SPDX-License-Identifier: BSD-3-Clause
/* Timing plans. A load waits for an earlier store whose address has the same low 12 bits (Intel's
 * optimization manual: 4K aliasing; AMD's processors compare as many), so the time of one plan
 * differs by up to a quarter with the places of its arrays within a page. A plan is timed in
 * several places, and the median counts: none of them decides. */
#include "sched/plan/measure.h"

#include <stdlib.h>

#include "core/clock.h"
#include "sched/plan/sides.h"

/* A run lasts this long at least, so that the clock does not matter. */
static const double run_seconds = 5e-4;
/* STEP times 0 .. 7, modulo a page, are the places: whole lines, and not the strides of transforms,
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

/* Runs that last long enough, found by runs that also fill the caches. */
static long find_repeat(const sluice_plan *plan, const sluice_arrays *arrays, int workers)
{
    long repeat = 1;

    while (time_runs(plan, arrays, workers, repeat) * (double)repeat < run_seconds)
        repeat *= 2;
    return repeat;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
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
    qsort(times, (size_t)places, sizeof *times, compare);
    *seconds = times[places / 2];
    return SLUICE_OK;
}
