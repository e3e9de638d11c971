// SPDX-License-Identifier: BSD-3-Clause
/* The suite `tuning`: for a device, compares the planner's choice by its model with the best that
 * measuring finds, as in tables 5 to 12 of Vazquez, Amor, Fraguela, "Portable and efficient FFT and
 * DCT algorithms with the Heterogeneous Butterfly Processing Library" (2019). */
#ifndef BENCH_TUNING_H
#define BENCH_TUNING_H

#include "bench/bench_options.h"
#include "bench/tuning/bench_twiddles.h"

extern const char bench_tuning_name[]; /* in --suite */

enum { BENCH_TUNING_ROWS = 96 };

typedef struct bench_tuning_row {
    char problem[80];
    const char *family;
    size_t n; /* points along an axis */
    /* Seconds of the model's choice, and of the best found; 0: not measured. Of an earlier run,
     * their ratio and 1. */
    double chosen_s, found_s;
    /* the model's choice with computed twiddles; 0: not measured */
    double computed_s[BENCH_TWIDDLES];
} bench_tuning_row;

typedef struct bench_tuning {
    const bench_options *options;
    sluice_machine *machine;
    FILE *json; /* NULL: none */
    bench_twiddles twiddles;
    bench_tuning_row row[BENCH_TUNING_ROWS];
    int rows;
} bench_tuning;

/* Measures everything and prints a record a line, to `json` too. Failures have been reported. */
bench_exit bench_tuning_run(const bench_options *o, sluice_machine *machine, FILE *json);

/* Writes tuning.csv and draws tuning.png: the ratios over the lengths. */
bench_exit bench_tuning_draw(const char *folder, const bench_tuning *t);

#endif
