// SPDX-License-Identifier: BSD-3-Clause
/* The families of the suite `wide`. */
#ifndef BENCH_WIDE_H
#define BENCH_WIDE_H

#include "bench/suites/bench_suite_table.h"

extern const bench_family bench_wide_batch, bench_wide_mixed, bench_wide_sizes, bench_wide_primes,
    bench_wide_images, bench_wide_volumes, bench_wide_small, bench_wide_columns, bench_wide_split,
    bench_wide_split_batch;

#endif
