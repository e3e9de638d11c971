// SPDX-License-Identifier: BSD-3-Clause
/* What the rows of a suite say together. */
#ifndef BENCH_SUMMARY_H
#define BENCH_SUMMARY_H

#include <stdio.h>

#include "bench/report/bench_row.h"

/* Ratios of several problems. */
typedef struct bench_ratio {
    int count, below;    /* `below`: of them smaller than the goal                */
    double log_sum, min; /* geometric means are means of logarithms               */
    const bench_row *at; /* sluice's row with the smallest                        */
    const bench_row *by; /* the row it was compared with, where it was compared   */
} bench_ratio;

double bench_ratio_mean(const bench_ratio *r); /* geometric; 0: there are none */

/* The judged problems of one group ("all": of all groups), precision and worker count. */
typedef struct bench_summary {
    char group[24];
    const char *precision; /* "f32", "f64", "all"                              */
    int workers;
    int problems;
    bench_ratio fftw;    /* time of the system's FFTW over sluice's          */
    bench_ratio best;    /* time of the best peer over sluice's              */
    bench_ratio share;   /* peak_share of sluice                             */
    bench_ratio scaling; /* time with one worker over this one, where enough */
    bench_ratio copy;    /* the same of copies, for the same problems        */
} bench_summary;

enum { BENCH_SCALES_FROM = 1 << 15 }; /* points in all: below, one worker is enough for anyone */
extern const double bench_fftw_goal, bench_best_goal;

/* The summaries of all groups and of all of them together; they point into the rows. NULL where
 * there is no memory. To be freed. */
bench_summary *bench_summary_make(const bench_rows *rows, int *count);

/* The row of the system's FFTW, or of any peer, with the shortest time for a problem at up to as
 * many workers; NULL: there is none. */
const bench_row *bench_best_fftw(const bench_rows *rows, const bench_row *sluice);
const bench_row *bench_best_peer(const bench_rows *rows, const bench_row *sluice);
/* The same engine's row of the same problem with one worker; NULL: there is none. */
const bench_row *bench_alone(const bench_rows *rows, const bench_row *row);
/* Seconds of the copy that its bound_share was made of. */
double bench_copy_time(const bench_row *row);

/* False where writing failed. */
bool bench_summary_table(FILE *file, const bench_rows *rows);
bool bench_summary_json(FILE *file, const bench_rows *rows);

#endif
