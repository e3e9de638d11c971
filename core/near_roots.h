// SPDX-License-Identifier: BSD-3-Clause
/* Roots of unity as trig.h has them, in double alone, without tables and branches: many at a time,
 * in vectors. They are off by less than 1 ulp of double, most of them by 0.6 or less. */
#ifndef CORE_NEAR_ROOTS_H
#define CORE_NEAR_ROOTS_H

#include <stddef.h>

typedef struct core_near_roots {
    double order;     /* n */
    double quarters;  /* 4/n */
    double high, low; /* a quarter turn by n, in two parts */
} core_near_roots;

/* Of w_n^k, 0 < n <= 2^48. */
core_near_roots core_near_roots_of(size_t n);
/* w_n^k of `count` exponents, whole numbers 0 <= k <= n. */
void core_near_roots_get(const core_near_roots *roots, int count, const double *k, double *re,
                         double *im);
/* w_n^{k^2}, whole numbers |k| < 2^31, n <= 2^32. */
void core_near_chirps_get(const core_near_roots *roots, int count, const double *k, double *re,
                          double *im);

/* Sums with it have no fractions. */
static const double core_whole = 0x1.8p52;

/* x mod n of whole numbers |x| < 2^51, by 1/n; of multiples n as well as 0. */
static inline double core_near_rest(double x, double n, double by_n)
{
    return x - ((x * by_n - 0.5 + core_whole) - core_whole) * n;
}

#endif
