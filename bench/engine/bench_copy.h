// SPDX-License-Identifier: BSD-3-Clause
/* A lower bound of the time: only moving a problem's bytes. */
#ifndef BENCH_COPY_H
#define BENCH_COPY_H

#include "bench/engine/bench_engine.h"

typedef struct bench_copy_method bench_copy_method;

/* Method `method` for moving a problem's data, NULL after the last: out of place a plain copy and
 * one with non-temporal stores, in place a sweep that reads and writes each value. */
const bench_copy_method *bench_copy_at(int method, const bench_shape *shape);
void bench_copy_open(bench_engine *e, const bench_copy_method *method, int threads);
/* A copy within a device's memory by its driver: out of place from the input to the output, in
 * place from the copy that restores the input. */
void bench_copy_open_there(bench_engine *e, const bench_memory *memory, int workers);

#endif
