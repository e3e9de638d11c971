// SPDX-License-Identifier: BSD-3-Clause
/* Figures: a row for each problem, engine and worker count. Rows outlive what was measured, and can
 * be read back from JSON. */
#ifndef BENCH_ROW_H
#define BENCH_ROW_H

#include "bench/engine/bench_case.h"

typedef struct bench_row {
    char problem[256], engine[32], effort[16];
    char group[24]; /* of a suite; "": none                                                */
    char bound[16]; /* what limits: "arithmetic", or the memory where the arrays lie: "L2" */
    int workers;
    bool judged;   /* counts in a summary                          */
    size_t points; /* of one transform                             */
    size_t total;  /* of the batch                                 */
    double plan_s, plan_first_s, median_s, min_s, max_s, gflops, gbytes_s, bound_share;
    double ratio_to;   /* 0: nothing to compare with */
    double peak_share; /* 0: unknown                 */
} bench_row;

typedef struct bench_rows {
    bench_row *row;
    int count, capacity;
    char about[224]; /* what they were measured on, as bench_machine_about says it; "": here, now */
} bench_rows;

/* False where there is no memory. */
bool bench_rows_add(bench_rows *rows, const bench_row *row);
/* The rows of a case that has been measured for a window at least. */
bool bench_rows_of_case(bench_rows *rows, const bench_case *c);
void bench_rows_free(bench_rows *rows);
/* Whether rows are of one problem: groups measure theirs for themselves. */
bool bench_row_same_problem(const bench_row *a, const bench_row *b);
/* Gflop/s of the slowest and of the fastest sample. */
double bench_row_slowest(const bench_row *row);
double bench_row_fastest(const bench_row *row);

#endif
