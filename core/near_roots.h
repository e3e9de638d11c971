// SPDX-License-Identifier: BSD-3-Clause
/* Roots of unity as in trig.h, but in double alone, without tables or branches, so that loops over
 * many are vectorised. The error is less than 1 ulp of double, for most at most 0.6 ulp. */
#ifndef CORE_NEAR_ROOTS_H
#define CORE_NEAR_ROOTS_H

#include <stddef.h>

typedef struct core_near_roots {
    double order;     /* n */
    double quarters;  /* 4/n */
    double high, low; /* a quarter turn divided by n, in two parts */
} core_near_roots;

/* For roots w_n^k; 0 < n <= 2^48. */
core_near_roots core_near_roots_of(size_t n);
/* w_n^k for `count` exponents, whole numbers 0 <= k <= n. */
void core_near_roots_get(const core_near_roots *roots, int count, const double *k, double *re,
                         double *im);
/* w_n^{k^2} for `count` whole numbers |k| < 2^31; n <= 2^32. */
void core_near_chirps_get(const core_near_roots *roots, int count, const double *k, double *re,
                          double *im);

/* A sum with this number has no fraction: adding and subtracting it rounds to a whole number. */
static const double core_whole = 0x1.8p52;

/* x mod n for whole numbers |x| < 2^51; by_n is 1/n. A multiple of n may give n instead of 0. */
static inline double core_near_rest(double x, double n, double by_n)
{
    return x - ((x * by_n - 0.5 + core_whole) - core_whole) * n;
}

#endif
