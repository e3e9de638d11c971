// SPDX-License-Identifier: BSD-3-Clause
/* A picture is a grid of panels, a panel a set of series, a series a selection of rows with the
 * value drawn for each row. */
#ifndef BENCH_PANEL_H
#define BENCH_PANEL_H

#include <stdint.h>

#include "bench/plot/bench_gnuplot.h"
#include "bench/report/bench_row.h"
#include "bench/suites/bench_suite.h"

enum { BENCH_MAX_SERIES = 24, BENCH_MAX_NAMES = 32 };

/* The value drawn for a row; 0: nothing. */
typedef double bench_value(const bench_rows *rows, const bench_row *row);
bench_value bench_panel_gflops; /* drawn with an error bar from the slowest to the fastest sample */
extern const char bench_panel_gflops_axis[];

#define BENCH_ALL_TOTALS SIZE_MAX

/* A selection of rows; `total`: points of the batch, 0 for single transforms, or
 * BENCH_ALL_TOTALS. */
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
    bool at_one; /* draw a line at the ratio 1 */
    double max;  /* end of the axis; 0: the largest value */
    bool bars;
    bench_curve series[BENCH_MAX_SERIES];
    int count;
} bench_panel;

/* All names that occur in a suite's rows, in their order. */
typedef struct bench_contents {
    const bench_rows *rows;
    const char *group[BENCH_MAX_NAMES], *engine[BENCH_MAX_NAMES];
    int workers[BENCH_MAX_NAMES];
    int groups, engines, worker_counts;
} bench_contents;

void bench_contents_find(bench_contents *c, const bench_rows *rows);
/* Writes the totals of a group's batches, a panel each; returns their number. Bars, whose labels
 * name the batch, are in one panel. */
int bench_contents_totals(size_t *totals, const bench_contents *c, const char *group);
/* Is a group drawn as curves over N? Powers of two of one dimension are; other sizes are drawn as
 * bars. */
bool bench_contents_over_sizes(const bench_contents *c, const char *group);

/* Adds a series unless it has no values. */
void bench_panel_add(bench_panel *p, const bench_contents *c, const bench_curve *s);
/* Draws FOLDER/NAME.png. Empty panels are omitted; if all are empty, there is no picture. */
bench_exit bench_panels_draw(const char *folder, const char *name, const char *title,
                             const bench_contents *c, const bench_panel *panels, int count);

#endif
