// SPDX-License-Identifier: BSD-3-Clause
/* Magnitudes |X_k| of the transform of f(x) = x, as units and peers compute them, and whether they
 * agree. */
#ifndef BENCH_SPECTRUM_H
#define BENCH_SPECTRUM_H

#include "bench/peers/peer_table.h"
#include "bench/portability/bench_statistics.h"

/* Fills 0, 1, 2 .. into the input of a c2c problem of one axis. */
void bench_spectrum_fill(const bench_shape *s, void *in);
void bench_spectrum_magnitudes(const bench_shape *s, const void *out, double *magnitude);

/* The largest relative difference that rounding explains: the root mean square error, as
 * docs/TESTING.md bounds it, at the smallest magnitude, times a number of its deviations. */
double bench_spectrum_bound(const bench_shape *s, const double *reference);

typedef struct bench_verdict {
    bench_agreement found;
    double bound;
    bool agrees;
} bench_verdict;

bench_verdict bench_spectrum_compare(const bench_shape *s, const double *magnitude,
                                     const double *reference);
/* Would a difference be found? Compares the reference with itself twice: with all magnitudes
 * changed by twice the deviation that chi-square assumes, and with one of them changed by ten times
 * the bound. False: one of these comparisons reports agreement. */
bool bench_spectrum_control(const bench_shape *s, const double *reference);

#endif
