// SPDX-License-Identifier: BSD-3-Clause
/* Roots of unity as trig.h has them, in double alone and without branches: for exponents in any
 * order a third of the time. They are off by 1.5 ulp of double at most, all but a few in a hundred
 * by 0.6 or less. */
#ifndef CORE_NEAR_ROOTS_H
#define CORE_NEAR_ROOTS_H

#include <stddef.h>

typedef struct core_near_roots core_near_roots;
/* Of w_n^k, 0 < n <= 2^48. NULL: out of memory. */
core_near_roots *core_near_roots_open(size_t n);
void core_near_roots_close(core_near_roots *roots); /* NULL is allowed */
/* w_n^k of `count` exponents k < n. Read-only, any number of threads. */
void core_near_roots_get(const core_near_roots *roots, int count, const size_t *k, double *re,
                         double *im);

#endif
