// SPDX-License-Identifier: BSD-3-Clause
#include "bench/tuning/bench_turns.h"

#include <math.h>

#include "bench/engine/bench_stop.h"

static const double slice_seconds = 0.02;

static bool sample_window(bench_engine *const *e, int count, const bench_data *d,
                          const bench_options *o)
{
    const int slices = (int)ceil(o->seconds / slice_seconds);
    bool good = true;
    for (int s = 0; s < slices && good && !bench_stop_requested(); s++)
        for (int i = 0; i < count && good; i++)
            good = e[i]->failed || bench_engine_sample(e[i], d, fmin(o->seconds, slice_seconds));
    for (int i = 0; i < count; i++)
        bench_series_close_window(&e[i]->series);
    return good;
}

bool bench_in_turns(bench_engine *const *e, int count, const bench_data *d, const bench_options *o)
{
    bool good = true;
    for (int w = 0; w < o->windows && good && !bench_stop_requested(); w++)
        good = sample_window(e, count, d, o);
    return good;
}
