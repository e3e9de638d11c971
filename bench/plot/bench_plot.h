// SPDX-License-Identifier: BSD-3-Clause
/* Gflop/s as a picture, drawn by gnuplot. */
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include "bench/plot/bench_gnuplot.h"
#include "bench/report/bench_report.h"

/* Lines over N where four or more problems have sizes of their own, else bars, each with a bar from
 * the slowest to the fastest sample. A colour is an engine, its shade how many workers. The reason
 * has been printed where the answer is not BENCH_DONE. */
bench_exit bench_plot(const char *file, const bench_rows *rows);
/* The pictures of a suite, in a folder that is made where it is missing: for each group Gflop/s by
 * engine (GROUP-PRECISION-WORKERS.png), and of groups over N the ratio to the best peer
 * (GROUP-ratio.png) and what workers bring (GROUP-scaling.png). A group that is a figure has one:
 * GROUP.png. */
bench_exit bench_plot_suite(const char *folder, const bench_rows *rows);

#endif
