// SPDX-License-Identifier: BSD-3-Clause
/* The best possible time: moving a problem's bytes and doing nothing else. */
#ifndef BENCH_COPY_H
#define BENCH_COPY_H

#include "bench/engine/bench_engine.h"

typedef struct bench_copy_method bench_copy_method;

/* The method-th way to move a problem's data, NULL after the last: out of place a plain copy and
 * one that goes past the caches, in place a sweep that reads and writes each value. */
const bench_copy_method *bench_copy_at(int method, const bench_shape *shape);
void bench_copy_open(bench_engine *e, const bench_copy_method *method, int threads);

#endif
