// SPDX-License-Identifier: BSD-3-Clause
/* Transforms beside each other in double precision, for plans: Stockham FFTs of radix 4 and of
 * prime factors by definition. */
#ifndef SPL_BESIDE_H
#define SPL_BESIDE_H

#include <stdint.h>

typedef struct spl_narrow {
    double re, im;
} spl_narrow;

/* A point of two transforms, in a vector of any machine. SPL_BESIDE transforms run together: a
 * cache line of the array. */
typedef double spl_two __attribute__((vector_size(16)));
typedef struct spl_point {
    spl_two re, im;
} spl_point;
enum { SPL_POINTS = 2, SPL_BESIDE = 2 * SPL_POINTS };

/* DFT_n of SPL_BESIDE transforms, point i of which are x[i SPL_POINTS ..]: of *x, which changes
 * places with *y. The roots are w_n^k. */
void spl_transform_beside(const spl_narrow *root, int64_t n, spl_point **x, spl_point **y);

#endif
