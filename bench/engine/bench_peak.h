// SPDX-License-Identifier: BSD-3-Clause
/* The best possible arithmetic: fused multiply-adds in registers and nothing else. */
#ifndef BENCH_PEAK_H
#define BENCH_PEAK_H

#include "bench/engine/bench_engine.h"

/* Flop/s of that many threads together, the best of several samples of some tens of milliseconds in
 * all. 0 where threads could not start. */
double bench_peak_flops(sluice_precision precision, int threads);

/* The same as an engine, so that it is timed in the windows of a problem: clocks change. A call
 * does bench_peak_work flops. */
void bench_peak_open(bench_engine *e, sluice_precision precision, int threads);
double bench_peak_work(const bench_engine *e);

#endif
