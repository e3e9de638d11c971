// SPDX-License-Identifier: BSD-3-Clause
/* Named lists of problems: suites. */
#ifndef BENCH_SUITE_H
#define BENCH_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* One problem to be measured. */
typedef struct bench_item {
    const char *text;  /* the problem string                                                 */
    const char *group; /* of the summary; NULL: the command line's                           */
    int workers;       /* the only count it is measured at; 0: at all that are asked for     */
    size_t bytes;      /* of one side's data; rounds of a run are made by it                 */
    bool judged;       /* false: too small to say more than what a call costs; reported only */
} bench_item;

typedef struct bench_items {
    bench_item *item;
    int count;
    char *texts; /* what the items point into; NULL: not theirs */
} bench_items;

enum { BENCH_ANY = -1 };

/* What is left out of a suite. */
typedef struct bench_filter {
    int precision;      /* a sluice_precision, or BENCH_ANY             */
    int in_place;       /* 1, 0 or BENCH_ANY                            */
    size_t largest;     /* points of the whole problem; 0: all of them  */
    const int *workers; /* the counts that are asked for */
    int worker_counts;
} bench_filter;

/* A group that is one picture, of all its engines, precisions and worker counts. */
typedef struct bench_figure {
    const char *title;
    const char *beside;         /* a group that is drawn with it; NULL: none       */
    const char *as, *beside_as; /* how the curves of the two are told apart; NULL */
} bench_figure;

bool bench_suite_known(const char *name, size_t length);
/* Whether suites, whose names stand between commas, ask for 1, 2, 4 .. workers, not only for 1 and
 * all. */
bool bench_suite_doubles(const char *names);
/* NULL where a group has the pictures of any suite. */
const bench_figure *bench_suite_figure(const char *group);
/* The problems of suites; none twice in a group. False: no memory. */
bool bench_suite_make(bench_items *out, const char *names, const bench_filter *filter);
/* The problems themselves, as given. */
bool bench_items_given(bench_items *out, char *const *problem, int count);
void bench_items_free(bench_items *items);
/* A line for each suite, for --help. */
void bench_suite_help(FILE *file);

#endif
