// SPDX-License-Identifier: BSD-3-Clause
/* FFTs of adjacent columns in double precision, for plans: Stockham FFTs of radix 4 and of prime
 * factors by definition. */
#ifndef SPL_ADJACENT_FFT_H
#define SPL_ADJACENT_FFT_H

#include <stdint.h>

typedef struct spl_narrow {
    double re, im;
} spl_narrow;

/* This many transforms run together, which fill a cache line of re and one of im: point i of
 * transform c is at i SPL_ADJACENT + c. */
enum { SPL_ADJACENT = 8 };
typedef struct spl_points {
    double *re, *im;
} spl_points;

/* DFT_n of n SPL_ADJACENT points: of *x, which changes places with *y. The roots are w_n^k. */
void spl_adjacent_fft(const spl_narrow *root, int64_t n, spl_points *x, spl_points *y);

#endif
