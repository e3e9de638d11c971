// SPDX-License-Identifier: BSD-3-Clause
/* Named lists of problems. A suite is a row of a table: whoever adds one writes data, not code. */
#ifndef BENCH_SUITE_H
#define BENCH_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* One problem to be measured. */
typedef struct bench_item {
    const char *text;  /* the problem string                                                 */
    const char *group; /* of the summary; NULL: the command line's                           */
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
    int precision;  /* a sluice_precision, or BENCH_ANY             */
    int in_place;   /* 1, 0 or BENCH_ANY                            */
    size_t largest; /* points of the whole problem; 0: all of them  */
} bench_filter;

bool bench_suite_known(const char *name, size_t length);
/* The problems of suites, whose names stand between commas; none twice. False: no memory. */
bool bench_suite_make(bench_items *out, const char *names, const bench_filter *filter);
/* The problems themselves, as given. */
bool bench_items_given(bench_items *out, char *const *problem, int count);
void bench_items_free(bench_items *items);
/* A line for each suite, for --help. */
void bench_suite_help(FILE *file);

#endif
