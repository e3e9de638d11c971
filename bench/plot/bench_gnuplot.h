// SPDX-License-Identifier: BSD-3-Clause
/* A gnuplot at the end of a pipe, and what all pictures have in common. */
#ifndef BENCH_GNUPLOT_H
#define BENCH_GNUPLOT_H

#include <stdio.h>

#include "bench/bench_exit.h"

/* Asked before measuring: whoever wants a picture should not wait for nothing. */
bool bench_plot_available(void);

/* Starts a picture of that many pixels; NULL where gnuplot does not start. */
FILE *bench_gnuplot_open(const char *file, int width, int height);
/* Draws it; the file is there when it is whole. The reason has been printed where the answer is not
 * BENCH_DONE. */
bench_exit bench_gnuplot_close(FILE *pipe, const char *file);

/* Text between single quotes; it holds no line ends. */
void bench_gnuplot_quote(FILE *out, const char *text);
/* The same colour for an engine in every picture; `other` chooses for those without one. */
const char *bench_gnuplot_colour(const char *engine, int other);
/* A colour as "#RRGGBB", 0 .. 1 of the way to white. */
enum { BENCH_COLOUR_TEXT = 8 };
void bench_gnuplot_lighter(char out[BENCH_COLOUR_TEXT], const char *colour, double way);
/* Bars of one size next to each other, not on each other: by what the s-th series' size is
 * multiplied on a logarithmic axis. */
double bench_gnuplot_apart(int s, int series);

#endif
