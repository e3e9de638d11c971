// SPDX-License-Identifier: BSD-3-Clause
/* Peak arithmetic: fused multiply-adds in registers only. */
#ifndef BENCH_PEAK_H
#define BENCH_PEAK_H

#include "bench/engine/bench_engine.h"

/* Flop/s of `threads` threads together, the best of several samples, which take some tens of
 * milliseconds in all. 0 if threads could not be started. */
double bench_peak_flops(sluice_precision precision, int threads);

/* The same as an engine, timed in the windows of a problem because clock rates change. A call
 * executes bench_peak_work flops. */
void bench_peak_open(bench_engine *e, sluice_precision precision, int threads);
double bench_peak_work(const bench_engine *e);

#endif
