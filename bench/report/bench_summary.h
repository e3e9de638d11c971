// SPDX-License-Identifier: BSD-3-Clause
/* Summaries of a suite's rows. */
#ifndef BENCH_SUMMARY_H
#define BENCH_SUMMARY_H

#include <stdio.h>

#include "bench/report/bench_row.h"

/* Ratios of several problems. */
typedef struct bench_ratio {
    int count, below;               /* number of ratios, and of those below the goal */
    double log_sum, min;            /* sum of logarithms, for the geometric mean; the smallest */
    const bench_row *worst_row;     /* sluice's row with the smallest ratio */
    const bench_row *compared_with; /* the row it was compared with, NULL if none */
} bench_ratio;

double bench_ratio_mean(const bench_ratio *r); /* geometric mean; 0: there are no ratios */

/* The problems that count of one group ("all": of all groups), precision and worker count. */
typedef struct bench_summary {
    char group[24];
    const char *precision; /* "f32", "f64", "all"                              */
    int workers;
    int problems;
    bench_ratio fftw;    /* time of the system's FFTW over sluice's          */
    bench_ratio best;    /* time of the best peer over sluice's              */
    bench_ratio share;   /* peak_share of sluice                             */
    bench_ratio scaling; /* time with one worker over time with `workers`, of large problems */
    bench_ratio copy;    /* the same ratio of copies, for the same problems */
} bench_summary;

enum {
    BENCH_SCALES_FROM = 1 << 15
}; /* min points of a problem whose scaling counts: below, one worker suffices */
extern const double bench_fftw_goal, bench_best_goal;

/* The summaries of each group and of all groups together, which point into the rows. The caller
 * frees them. NULL: out of memory. */
bench_summary *bench_summary_make(const bench_rows *rows, int *count);

/* The row of the system's FFTW, or of any peer, with the shortest time for a problem at no more
 * workers; NULL: there is none. */
const bench_row *bench_best_fftw(const bench_rows *rows, const bench_row *sluice);
const bench_row *bench_best_peer(const bench_rows *rows, const bench_row *sluice);
/* The same engine's row of the same problem with one worker; NULL: there is none. */
const bench_row *bench_single_worker_row(const bench_rows *rows, const bench_row *row);
/* Seconds of the copy from which bound_share was computed. */
double bench_copy_time(const bench_row *row);

/* False if writing failed. */
bool bench_summary_table(FILE *file, const bench_rows *rows);
bool bench_summary_json(FILE *file, const bench_rows *rows);

#endif
