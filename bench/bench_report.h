// SPDX-License-Identifier: BSD-3-Clause
/* Figures as rows, and rows as a table or as JSON. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdio.h>

#include "bench/bench_case.h"

typedef struct bench_row {
    const char *problem, *engine, *effort;
    int workers;
    size_t points; /* of one transform; no field, but the axis of a plot */
    double plan_s, median_s, min_s, max_s, gflops, gbytes_s, bound_share;
    double ratio_to; /* 0: nothing to compare with */
} bench_row;

/* The rows of all cases, whose strings they borrow; NULL where there is no memory. To be freed. */
bench_row *bench_report_rows(const bench_case *cases, int count, int *rows);
/* False where writing failed. */
bool bench_report_table(FILE *file, const bench_row *row, int rows);
bool bench_report_json(FILE *file, const bench_row *row, int rows);

#endif
