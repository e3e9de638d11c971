// SPDX-License-Identifier: BSD-3-Clause
/* How far a run is, on stderr: a line that rewrites itself on a terminal, else a line now and then
 * for long runs. */
#ifndef BENCH_PROGRESS_H
#define BENCH_PROGRESS_H

#include "bench/suites/bench_suite.h"

typedef struct bench_progress {
    const bench_items *items;
    int windows;
    double start, told; /* clock: when it began, when it said something last */
    double done, all;   /* in weights of problems, see bench_progress.c      */
    bool terminal, shown;
} bench_progress;

void bench_progress_start(bench_progress *p, const bench_items *items, int windows);
/* A window of item `index` begins. */
void bench_progress_window(bench_progress *p, int index, int window);
/* So many windows of it are done, or will not be. */
void bench_progress_skip(bench_progress *p, int index, int windows);
void bench_progress_clear(bench_progress *p);

#endif
