// SPDX-License-Identifier: BSD-3-Clause
/* Named lists of problems: suites. */
#ifndef BENCH_SUITE_H
#define BENCH_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { BENCH_MAX_TOTALS = 6 }; /* batch sizes of a family, and of a picture */

/* One problem to be measured. */
typedef struct bench_item {
    const char *text;  /* problem string */
    const char *group; /* group of the summary; NULL: given on the command line */
    int workers;       /* the only worker count it is measured at; 0: all requested counts */
    size_t bytes;      /* size of one side's data; limits the rounds of a run */
    bool in_summary;   /* false: dominated by the cost of a call; reported only */
} bench_item;

typedef struct bench_items {
    bench_item *item;
    int count;
    char *texts; /* storage of the items' texts; NULL: owned by the caller */
} bench_items;

enum { BENCH_ANY = -1 };

/* A choice of a suite's problems. */
typedef struct bench_filter {
    int precision;      /* a sluice_precision, or BENCH_ANY             */
    int in_place;       /* 1, 0 or BENCH_ANY                            */
    size_t largest;     /* limit of a problem's points in all; 0: none */
    const int *workers; /* requested worker counts */
    int worker_counts;
} bench_filter;

/* A group drawn as one picture with all engines, precisions and worker counts. */
typedef struct bench_figure {
    const char *title;
    const char *with_group;         /* group drawn in the same picture; NULL: none */
    const char *label, *with_label; /* added to the titles of the groups' curves; NULL: nothing */
} bench_figure;

bool bench_suite_known(const char *name, size_t length);
/* Does any of the suites, whose names are separated by commas, request 1, 2, 4 .. workers, not only
 * 1 and all? */
bool bench_suite_doubles(const char *names);
/* NULL if a group has the usual pictures. */
const bench_figure *bench_suite_figure(const char *group);
/* Makes the problems of suites, each once in a group. False: out of memory. */
bool bench_suite_make(bench_items *out, const char *names, const bench_filter *filter);
/* Makes a list of the command line's problems. False: out of memory. */
bool bench_items_from_arguments(bench_items *out, char *const *problem, int count);
void bench_items_free(bench_items *items);
/* Prints a line for each suite, for --help. */
void bench_suite_help(FILE *file);

#endif
