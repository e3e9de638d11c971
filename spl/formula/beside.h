// SPDX-License-Identifier: BSD-3-Clause
/* Transforms beside each other in double precision, for plans: Stockham FFTs of radix 4 and of
 * prime factors by definition. */
#ifndef SPL_BESIDE_H
#define SPL_BESIDE_H

#include <stdint.h>

typedef struct spl_narrow {
    double re, im;
} spl_narrow;

/* SPL_BESIDE transforms run together, which fill a cache line of re and one of im: point i of
 * transform c is at i SPL_BESIDE + c. */
enum { SPL_BESIDE = 8 };
typedef struct spl_points {
    double *re, *im;
} spl_points;

/* DFT_n of n SPL_BESIDE points: of *x, which changes places with *y. The roots are w_n^k. */
void spl_transform_beside(const spl_narrow *root, int64_t n, spl_points *x, spl_points *y);

#endif
