// SPDX-License-Identifier: BSD-3-Clause
/* The statistics of the suite `portability`. */
#ifndef BENCH_STATISTICS_H
#define BENCH_STATISTICS_H

#include <stddef.h>

typedef struct bench_moments {
    double min, max, mean, deviation; /* deviation: of the sample, with n - 1 */
} bench_moments;

/* At least one value. */
bench_moments bench_moments_of(const double *value, size_t count);

/* How well values s agree with a reference n of the same length. */
typedef struct bench_agreement {
    double chi_square; /* sum of (s - n)^2 / n, over count - 1 */
    double p; /* probability of a sum at least this large if both are the same; 1 is agreement */
    double largest; /* of |s - n| / n */
} bench_agreement;

/* All n must be above 0; at least two values. */
bench_agreement bench_agreement_of(const double *s, const double *n, size_t count);

/* The probability that chi-square with this many degrees of freedom is at least x. */
double bench_chi_square_p(double x, double degrees);

#endif
