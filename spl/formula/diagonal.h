// SPDX-License-Identifier: BSD-3-Clause
/* The numbers on diagonals (spl_values) for whoever runs programs: roots exact to the last bits of
 * long double, so that they round well to double; B and R as a transform in double precision gives
 * them. The oracle of spl/oracle/apply.c has its own. */
#ifndef SPL_DIAGONAL_H
#define SPL_DIAGONAL_H

#include "spl/formula/spl.h"

/* T(n,m), C(n) (m = 1), B(n,m), R(n,g) (m = g) or K(n) (m = 1). Planning B and R takes a transform
 * of m and of n-1 points. */
typedef struct spl_diagonal spl_diagonal;
spl_diagonal *spl_diagonal_open(spl_values values, int64_t n, int64_t m); /* NULL: out of memory */
/* The same with the roots of core/near_roots.h in runs, for entries that become floats; chirps have
 * no others. */
spl_diagonal *spl_diagonal_open_near(spl_values values, int64_t n, int64_t m);
void spl_diagonal_close(spl_diagonal *d); /* NULL allowed */
/* Entry t. Read-only, any number of threads. */
void spl_diagonal_get(const spl_diagonal *d, int64_t t, long double *re, long double *im);
/* Entries t, t + step, .., rounded to double. */
void spl_diagonal_run(const spl_diagonal *d, int64_t t, int64_t step, int count, double *re,
                      double *im);

#endif
