// SPDX-License-Identifier: BSD-3-Clause
/* The spectra that convolutions multiply by, transformed once in double precision: that of a chirp,
 * B(n,m), and that of the powers of a primitive root, R(p,g). They are divided by their length. */
#ifndef SPL_FOUR_STEP_H
#define SPL_FOUR_STEP_H

#include <stdint.h>

typedef struct spl_sums spl_sums;
/* Of the conjugated chirp of n points, wrapped around at m. NULL: out of memory. */
spl_sums *spl_sums_of_chirp(int64_t n, int64_t m);
/* Of w_p^{g^-t}, t < p-1. NULL: out of memory. */
spl_sums *spl_sums_of_powers(int64_t p, int64_t g);
void spl_sums_close(spl_sums *s); /* NULL allowed */
/* Entries t, t + step, .. Read-only, any number of threads. */
void spl_sums_run(const spl_sums *s, int64_t t, int64_t step, int count, double *re, double *im);

#endif
