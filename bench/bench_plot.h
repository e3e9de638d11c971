// SPDX-License-Identifier: BSD-3-Clause
/* Gflop/s as a picture, drawn by gnuplot. */
#ifndef BENCH_PLOT_H
#define BENCH_PLOT_H

#include "bench/bench_exit.h"
#include "bench/bench_report.h"

/* Asked before measuring: whoever wants a picture should not wait for nothing. */
bool bench_plot_available(void);
/* Lines over N where four or more problems have sizes of their own, else bars. The reason has been
 * printed where the answer is not BENCH_DONE. */
bench_exit bench_plot(const char *file, const bench_row *row, int rows);

#endif
