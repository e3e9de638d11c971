// SPDX-License-Identifier: BSD-3-Clause
/* Regions of memory that an access covers. */
#ifndef SPL_REGION_H
#define SPL_REGION_H

#include "spl/price/price.h"

/* extent[1 + v]: how many values of variable v; extent[0]: of the index. */
typedef struct price_span {
    int64_t extent[IX_MAX_VARS + 1];
} price_span;

typedef struct price_region {
    double lines, pieces, run; /* run: bytes of one piece */
} price_region;

/* The digit form that stands for f; what a table permutes counts as in order. */
const ix *price_digits_of(const ix *f);
/* What an access i -> f covers while the index and the variables run as in s, others at rest;
 * `unit` bytes an element. */
price_region price_region_of(const ix *f, const price_span *s, size_t unit);

/* How many elements values 0 and i of a function lie apart, with all loop variables at 0. */
int64_t price_distance(const ix *f, int64_t i);

#endif
