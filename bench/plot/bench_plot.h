// SPDX-License-Identifier: BSD-3-Clause
/* Gflop/s as a picture, drawn by gnuplot. */
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include "bench/plot/bench_gnuplot.h"
#include "bench/report/bench_report.h"

/* Draws lines over N if there are four or more problems with distinct sizes, else bars, all with
 * error bars from the slowest to the fastest sample. The colour tells the engine, its shade the
 * number of workers. If the result is not BENCH_DONE, the reason has been printed. */
bench_exit bench_plot(const char *file, const bench_rows *rows);
/* Draws the pictures of a suite in a folder, which is created if it is missing: for each group
 * Gflop/s by engine (GROUP-PRECISION-WORKERS.png), for groups over N also the ratio to the best
 * peer (GROUP-ratio.png) and the scaling with workers (GROUP-scaling.png). A group that is a figure
 * has one picture: GROUP.png. */
bench_exit bench_plot_suite(const char *folder, const bench_rows *rows);

#endif
