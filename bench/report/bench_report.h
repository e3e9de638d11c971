// SPDX-License-Identifier: BSD-3-Clause
/* Rows as a table or as JSON, and back. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include <stdio.h>

#include "bench/report/bench_row.h"

/* A table is printed whole, with columns as wide as needed, or in parts with columns of fixed
 * width. */
typedef enum bench_table_part {
    BENCH_TABLE_WHOLE,
    BENCH_TABLE_FIRST, /* with the header */
    BENCH_TABLE_LATER
} bench_table_part;

/* False if writing failed. */
bool bench_report_table(FILE *file, const bench_row *row, int rows, bench_table_part part);
bool bench_report_json(FILE *file, const bench_row *row, int rows);
/* Writes text as a JSON string. */
void bench_json_text(FILE *file, const char *text);
/* Writes a problem that was not measured and the reason, in the format of the command; `offset`:
 * position of the byte that could not be parsed, or NULL. */
bool bench_report_refusal(FILE *file, const char *problem, const char *why, const size_t *offset);
/* Reads the rows of a file that bench_report_json wrote; other objects and truncated lines are
 * skipped. Of two rows with the same keys the later one counts. If the result is not BENCH_DONE
 * (the file is no JSON, cannot be read, out of memory), the reason has been printed with the file's
 * `name`. */
bench_exit bench_report_read(bench_rows *rows, FILE *file, const char *name);

#endif
