// SPDX-License-Identifier: BSD-3-Clause
/* Figures: a row for each problem, engine and worker count. Rows do not point to what was measured
 * and can be read back from JSON. */
#ifndef BENCH_ROW_H
#define BENCH_ROW_H

#include "bench/engine/bench_case.h"

typedef struct bench_row {
    char problem[256], engine[32], effort[16];
    char group[24]; /* group of a suite; "": none */
    char data[8];   /* where the data were: "host" "device" */
    char bound[16]; /* the limit: "arithmetic", or the memory level of the arrays: "L2" */
    int workers;
    bool in_summary; /* counted in summaries */
    size_t points;   /* points of one transform */
    size_t total;    /* points of the batch */
    double plan_s, plan_first_s, median_s, min_s, max_s, gflops, gbytes_s, bound_share;
    double ratio_to;   /* 0: nothing to compare with */
    double peak_share; /* 0: unknown                 */
} bench_row;

typedef struct bench_rows {
    bench_row *row;
    int count, capacity;
    char about[224]; /* machine and date, see bench_machine_about; "": this machine, today */
} bench_rows;

/* False: out of memory. */
bool bench_rows_add(bench_rows *rows, const bench_row *row);
/* Adds the rows of a case that has been measured for at least one window. */
bool bench_rows_of_case(bench_rows *rows, const bench_case *c);
void bench_rows_free(bench_rows *rows);
/* Do two rows belong to one problem? The same problem in two groups is measured twice. */
bool bench_row_same_problem(const bench_row *a, const bench_row *b);
/* Gflop/s of the slowest and of the fastest sample. */
double bench_row_slowest(const bench_row *row);
double bench_row_fastest(const bench_row *row);

#endif
