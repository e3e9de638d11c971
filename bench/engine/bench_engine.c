// SPDX-License-Identifier: BSD-3-Clause
/* Sampling. A sample repeats the call until it lasts long enough for the clock. In place, calls
 * come in groups short enough that values do not overflow; the refills between groups are not
 * timed. */
#include "bench/engine/bench_engine.h"

#include "bench/engine/bench_clock.h"

static const double sample_seconds = 50e-6;
/* Calls on a device are chained; a sample waits for the last one. */
static const double device_sample_seconds = 2e-3;
static const double slow_seconds = 50e-3;
static const size_t max_reps = (size_t)1 << 30;

bool bench_engine_is_away(const bench_engine *e)
{
    return e->memory && !e->memory->is_shared;
}

static double time_sample(bench_engine *e, const bench_data *d, size_t reps)
{
    double total = 0;
    const size_t most = e->memory ? bench_mirror_calls(d, e->memory) : d->safe_reps;
    while (reps > 0) {
        size_t group = reps < most ? reps : most;
        if (!bench_engine_is_away(e)) /* a mirror restores itself */
            bench_data_refill(d);
        double seconds = e->calls->time(e, d, group);
        if (seconds < 0)
            return seconds;
        total += seconds;
        reps -= group;
    }
    return total;
}

/* The shortest of a few samples, because an interrupted one would look long enough. Calls of many
 * milliseconds are long enough anyway. */
static double time_shortest(bench_engine *e, const bench_data *d, double enough)
{
    double shortest = time_sample(e, d, e->reps);
    for (int i = 0; i < 2 && shortest >= enough && shortest < slow_seconds; i++) {
        double seconds = time_sample(e, d, e->reps);
        shortest = seconds < shortest ? seconds : shortest;
    }
    return shortest;
}

/* Doubles the calls of a sample until it lasts long enough. */
static bool calibrate_reps(bench_engine *e, const bench_data *d)
{
    const double enough = e->memory ? device_sample_seconds : sample_seconds;
    for (e->reps = 1; e->reps < max_reps; e->reps *= 2) {
        double seconds = time_shortest(e, d, enough);
        if (seconds < 0)
            return false;
        if (seconds >= enough)
            return true;
    }
    return true;
}

static bool sample_for(bench_engine *e, const bench_data *d, double seconds)
{
    if (e->reps == 0 && !calibrate_reps(e, d))
        return false;
    double start = bench_now();
    /* Untimed: the previous engine left its own tables in the caches, and our workers are asleep.
     */
    if (time_sample(e, d, (e->reps + 3) / 4) < 0)
        return false;
    do {
        double t = time_sample(e, d, e->reps);
        if (t < 0 || !bench_series_add(&e->series, t / (double)e->reps))
            return false;
    } while (bench_now() - start < seconds);
    return true;
}

bool bench_engine_sample(bench_engine *e, const bench_data *d, double seconds)
{
    bool good = sample_for(e, d, seconds);
    if (e->calls->quiesce)
        e->calls->quiesce(e, d);
    return good;
}

bool bench_engine_once(bench_engine *e, const bench_data *d)
{
    return e->calls->time(e, d, 1) >= 0 && (!e->memory || bench_mirror_back(d, e->memory, true));
}

const char *bench_engine_data(const bench_engine *e)
{
    return e->memory ? e->memory->data : "host";
}

void bench_engine_close(bench_engine *e)
{
    if (e->calls && e->calls->close)
        e->calls->close(e);
    bench_series_free(&e->series);
    e->calls = NULL;
}
