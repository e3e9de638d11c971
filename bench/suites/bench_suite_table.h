// SPDX-License-Identifier: BSD-3-Clause
/* What suites are made of: whoever adds one writes data, not code. */
#ifndef BENCH_SUITE_TABLE_H
#define BENCH_SUITE_TABLE_H

#include "bench/suites/bench_suite.h"

enum { BENCH_MOST_TOTALS = 4, BENCH_MOST_PARTS = 9 };

/* The worker counts that a family is measured at. */
typedef enum bench_counts {
    BENCH_COUNTS_ALL = 0, /* whatever was asked for                       */
    BENCH_COUNTS_ONE,     /* 1                                            */
    BENCH_COUNTS_EACH     /* from 2 on, with a problem of its own for each */
} bench_counts;

/* Problems that differ in length, and in batch, precision and place. */
typedef struct bench_family {
    const char *group;
    const bench_figure *figure; /* NULL: the pictures of any suite                              */
    const char *kind;
    const char *options;                  /* of the problem string, ":.."; NULL: none           */
    int rank;                             /* axes, all of one length                            */
    size_t first, last;                   /* lengths, doubling                                  */
    const size_t *lengths;                /* or these, ended by 0                               */
    size_t totals[BENCH_MOST_TOTALS + 1]; /* points a batch fills, ended by 0; none: one        */
    size_t judged_from;                   /* points of one transform                            */
    bool only_f32, only_out;              /* single precision; out of place                     */
    bench_counts counts;
    /* Block-cyclic sides: N points are so many rows, of whose columns each of the workers has one
     * block; 0: natural order. */
    size_t in_rows, out_rows;
} bench_family;

typedef struct bench_suite {
    const char *name, *what;
    bool doubling;                                   /* asks for 1, 2, 4 .. and all workers */
    const bench_family *parts[BENCH_MOST_PARTS + 1]; /* ended by NULL                       */
} bench_suite;

/* Ended by one without a name. */
extern const bench_suite bench_suites[];

#endif
