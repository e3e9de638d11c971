// SPDX-License-Identifier: BSD-3-Clause
/* Roots of unity, accurate to 0.51 ulp.
 *
 * w_n^k = exp(-2 pi i k/n). Angles are reduced to the first octant in integers before any
 * floating-point operation, so w^0, w^(n/4), w^(n/8) and all symmetries hold exactly. */
#ifndef CORE_TRIG_H
#define CORE_TRIG_H

#include <stddef.h>

/* One root in long double; k may exceed n. Here and below 0 < n <= SIZE_MAX/8. */
void core_root(size_t k, size_t n, long double *re, long double *im);

/* Many roots of one n, from two tables of about sqrt(n) long double entries: w^k = w^hi * w^lo
 * (Bailey 1990), so that a table of millions takes milliseconds. All but a few results in a
 * thousand are the double nearest to the exact value; the error never exceeds 0.51 ulp. */
typedef struct core_roots core_roots;
core_roots *core_roots_open(size_t n); /* NULL: out of memory */
void core_roots_close(core_roots *roots);
/* w_n^k, k < n. Read-only, any number of threads. */
void core_roots_get(const core_roots *roots, size_t k, double *re, double *im);
/* The same before rounding to double, for products of roots. */
void core_roots_get_wide(const core_roots *roots, size_t k, long double *re, long double *im);

#endif
