// SPDX-License-Identifier: BSD-3-Clause
/* Engines timed in turn, in the same windows. */
#ifndef BENCH_TURNS_H
#define BENCH_TURNS_H

#include "bench/bench_options.h"
#include "bench/engine/bench_engine.h"

/* Measures as many windows and seconds as the options say. False: a call failed. Ends early if a
 * stop is requested. Engines that failed before are left out. */
bool bench_in_turns(bench_engine *const *e, int count, const bench_data *d, const bench_options *o);

#endif
