// SPDX-License-Identifier: BSD-3-Clause
/* Samples of one engine on one problem, by window. The figure is the median of the windows'
 * medians: virtual machines stall for tens of milliseconds, and a stall spoils one window. */
#ifndef BENCH_SERIES_H
#define BENCH_SERIES_H

#include <stdbool.h>
#include <stddef.h>

enum { BENCH_MAX_WINDOWS = 64 };

typedef struct bench_series {
    double *sample; /* seconds per call in the open window */
    size_t count, capacity;
    double median[BENCH_MAX_WINDOWS];
    int windows;
    double min, max; /* seconds per call, over the samples of all windows */
} bench_series;

/* False: out of memory. */
bool bench_series_add(bench_series *s, double seconds);
/* Ends the open window; a window without samples does not count. */
void bench_series_close_window(bench_series *s);
/* Discards the open window's samples; they still count in min and max. */
void bench_series_drop_window(bench_series *s);
/* The figure in seconds per call; 0 before any window has ended. */
double bench_series_figure(const bench_series *s);
void bench_series_free(bench_series *s);

#endif
