// SPDX-License-Identifier: BSD-3-Clause
/* A pipe to gnuplot, and what all pictures have in common. */
#ifndef BENCH_GNUPLOT_H
#define BENCH_GNUPLOT_H

#include <stdio.h>

#include "bench/bench_exit.h"

/* To be called before measuring, so that nobody waits for a picture that cannot be drawn. */
bool bench_plot_available(void);

/* Starts a picture of width x height pixels; NULL if gnuplot does not start. */
FILE *bench_gnuplot_open(const char *file, int width, int height);
/* Draws it; the file appears under its name when it is complete. If the result is not BENCH_DONE,
 * the reason has been printed. */
bench_exit bench_gnuplot_close(FILE *pipe, const char *file);

/* Writes text in single quotes; it must not contain line ends. */
void bench_gnuplot_quote(FILE *out, const char *text);
/* The same colour for an engine in every picture; `other` chooses for those without one. */
const char *bench_gnuplot_colour(const char *engine, int other);
/* A colour as "#RRGGBB", lightened by `amount`: 0 unchanged, 1 white. */
enum { BENCH_COLOUR_TEXT = 8 };
void bench_gnuplot_lighter(char out[BENCH_COLOUR_TEXT], const char *colour, double amount);
/* Factor for the sizes of series s on a logarithmic axis, so that the error bars of several series
 * are adjacent, not on top of each other. */
double bench_gnuplot_offset(int s, int series);

#endif
