// SPDX-License-Identifier: BSD-3-Clause
/* Suites as data: a new suite is a new table entry, not code. */
#ifndef BENCH_SUITE_TABLE_H
#define BENCH_SUITE_TABLE_H

#include "bench/suites/bench_suite.h"

enum { BENCH_MAX_PARTS = 24 };

/* The worker counts that a family is measured at. */
typedef enum bench_counts {
    BENCH_COUNTS_ALL = 0, /* all requested counts */
    BENCH_COUNTS_ONE,     /* 1                                            */
    BENCH_COUNTS_EACH     /* from 2 on, each with a problem of its own */
} bench_counts;

/* Problems that differ in length, and in batch, precision and place. */
typedef struct bench_family {
    const char *group;
    const bench_figure *figure; /* NULL: the pictures of any suite                              */
    const char *kind;           /* the kinds of a problem string */
    const char *options;        /* of the problem string, ":.."; NULL: none           */
    int rank;                   /* number of axes, all of one length */
    size_t first, last;         /* first and last length, doubling */
    const size_t *lengths;      /* explicit lengths, ended by 0; NULL: doubling */
    const char *const *shapes;  /* further sizes, as in problem strings, ended by NULL */
    size_t totals[BENCH_MAX_TOTALS + 1]; /* points in a batch, ended by 0; none: no batch */
    size_t in_summary_from;              /* min points of a transform in the summary */
    bool only_f32, only_out;             /* single precision; out of place                     */
    bench_counts counts;
    /* Block-cyclic sides: number of rows of N points; each worker owns one block of the columns. 0:
     * natural order. */
    size_t in_rows, out_rows;
} bench_family;

typedef struct bench_suite {
    const char *name, *description;
    bool doubling;                                  /* measured with 1, 2, 4 .. and all workers */
    const bench_family *parts[BENCH_MAX_PARTS + 1]; /* ended by NULL                       */
} bench_suite;

/* Ended by an entry without a name. */
extern const bench_suite bench_suites[];

#endif
