// SPDX-License-Identifier: BSD-3-Clause
/* The device of a suite once more, with kernels that compute twiddles between stages instead of
 * reading them from tables. */
#ifndef BENCH_TWIDDLES_H
#define BENCH_TWIDDLES_H

#include "bench/bench_options.h"
#include "bench/engine/bench_engine.h"

enum { BENCH_TWIDDLES = 2 };

typedef struct bench_twiddles {
    sluice_machine *machine[BENCH_TWIDDLES]; /* NULL: the units have no such kernels */
} bench_twiddles;

extern const char *const bench_twiddles_name[BENCH_TWIDDLES]; /* "sincos" "native" */

/* Opens the options' units, if these name one kind of OpenCL devices and say nothing about their
 * twiddles. */
void bench_twiddles_open(bench_twiddles *t, const bench_options *o);
void bench_twiddles_close(bench_twiddles *t);
/* An engine of the planner's choice for a problem, with form i of twiddles; false: there is
 * none. */
bool bench_twiddles_plan(const bench_twiddles *t, int i, const sluice_problem *problem,
                         bench_engine *out);

#endif
