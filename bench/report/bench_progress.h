// SPDX-License-Identifier: BSD-3-Clause
/* Progress of a run on stderr: on a terminal one line that is rewritten, else occasional lines in
 * long runs. */
#ifndef BENCH_PROGRESS_H
#define BENCH_PROGRESS_H

#include "bench/suites/bench_suite.h"

typedef struct bench_progress {
    const bench_items *items;
    int windows;
    double start, last_report; /* seconds of the clock at the start and at the last report */
    double done, all;          /* weights of problems, see bench_progress.c */
    bool terminal, shown;
} bench_progress;

void bench_progress_start(bench_progress *p, const bench_items *items, int windows);
/* A window of item `index` begins. */
void bench_progress_window(bench_progress *p, int index, int window);
/* `windows` windows of item `index` are done or will not be measured. */
void bench_progress_skip(bench_progress *p, int index, int windows);
void bench_progress_clear(bench_progress *p);

#endif
