// SPDX-License-Identifier: BSD-3-Clause
/* A picture is a grid of panels, a panel is a set of series, a series is a choice of rows and what
 * of a row is drawn. */
#ifndef BENCH_PANEL_H
#define BENCH_PANEL_H

#include "bench/plot/bench_gnuplot.h"
#include "bench/report/bench_row.h"

enum { BENCH_MOST_SERIES = 24, BENCH_MOST_NAMES = 32, BENCH_MOST_TOTALS = 4 };

/* What is drawn of a row; 0: nothing. */
typedef double bench_value(const bench_rows *rows, const bench_row *row);
bench_value bench_panel_gflops; /* drawn with a bar from the slowest to the fastest sample */
extern const char bench_panel_gflops_axis[];

/* Which rows; the total is that of a batch, 0 for single transforms. */
typedef struct bench_choice {
    const char *group, *engine;
    int precision, in_place, workers;
    size_t total;
} bench_choice;

typedef struct bench_curve {
    bench_choice rows;
    bench_value *value;
    char title[48];
    char colour[BENCH_COLOUR_TEXT];
    int dash; /* 0: a line without gaps */
} bench_curve;

typedef struct bench_panel {
    char title[96];
    const char *y;
    bool at_one; /* a line where the ratio is 1     */
    double most; /* of the axis; 0: the largest value */
    bool bars;
    bench_curve series[BENCH_MOST_SERIES];
    int count;
} bench_panel;

/* Everything that a suite's rows name, in their order. */
typedef struct bench_contents {
    const bench_rows *rows;
    const char *group[BENCH_MOST_NAMES], *engine[BENCH_MOST_NAMES];
    int workers[BENCH_MOST_NAMES];
    int groups, engines, worker_counts;
} bench_contents;

void bench_contents_find(bench_contents *c, const bench_rows *rows);
/* The totals of a group's batches; answers how many. */
int bench_contents_totals(size_t *totals, const bench_contents *c, const char *group);
/* Powers of two of one dimension make a curve; other sizes are names under bars. */
bool bench_contents_over_sizes(const bench_contents *c, const char *group);

/* Adds a series, unless it has nothing to draw. */
void bench_panel_add(bench_panel *p, const bench_contents *c, const bench_curve *s);
/* Draws FOLDER/NAME.png. Panels that have nothing are left out; without any there is no picture. */
bench_exit bench_panels_draw(const char *folder, const char *name, const char *title,
                             const bench_contents *c, const bench_panel *panels, int count);

#endif
