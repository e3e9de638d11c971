// SPDX-License-Identifier: BSD-3-Clause
/* The suite `portability`: the same transforms on every kind of unit, with their times and whether
 * the results agree, as in Pascuzzi, Goli, "Benchmarking a Proof-of-Concept Performance Portable
 * SYCL-based Fast Fourier Transformation Library" (2022), section 6. */
#ifndef BENCH_PORTABILITY_H
#define BENCH_PORTABILITY_H

#include "bench/bench_options.h"
#include "bench/portability/bench_portable.h"

extern const char bench_portability_name[]; /* in --suite */

enum { BENCH_PORTABLE_UNITS = 9, BENCH_PORTABLE_LENGTHS = 14 };

/* The results; unit 0 is the native one, with which the others are compared. */
typedef struct bench_portability {
    const bench_options *options;
    FILE *json;  /* NULL: none */
    char *names; /* the units' storage */
    bench_portable_unit unit[BENCH_PORTABLE_UNITS];
    int units;
    const peer *peer; /* FFTW; NULL: not available */
    bench_shape shape[BENCH_PORTABLE_LENGTHS];
    int lengths;
    bench_portable result[BENCH_PORTABLE_UNITS][BENCH_PORTABLE_LENGTHS]; /* run_s NULL: none */
} bench_portability;

/* Measures everything and prints a record a line, to `json` too. BENCH_CHECK_FAILED: units
 * disagree, or a control was not found. Failures have been reported. */
bench_exit bench_portability_run(const bench_options *o, FILE *json);

/* Writes portability-runs.csv and portability-spectrum.csv and draws pictures of them. */
bench_exit bench_portability_draw(const char *folder, const bench_portability *p);

/* The problem as text. */
void bench_portability_problem(char *out, size_t size, const bench_shape *s);

#endif
