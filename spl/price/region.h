// SPDX-License-Identifier: BSD-3-Clause
/* The memory that an access covers. */
#ifndef SPL_REGION_H
#define SPL_REGION_H

#include "spl/price/price.h"

/* extent[1 + v]: the number of values of variable v; extent[0]: of the index. */
typedef struct price_span {
    int64_t extent[IX_MAX_VARS + 1];
} price_span;

typedef struct price_region {
    double lines, pieces, run; /* run: bytes of one piece without a gap */
} price_region;

/* The digit form that stands for f; elements permuted by a table count as in order. */
const ix *price_digits_of(const ix *f);
/* The distance in bytes between values of a digit that follow each other. */
int64_t price_stride_of(const ix_term *digit, size_t unit);
/* What an access i -> f covers while index and variables take the values of s and all others are
 * constant; `unit`: bytes of an element. */
price_region price_region_of(const ix *f, const price_span *s, size_t unit);
/* Sets fill_l1 and fill_l2 for this share of the lines that the access covers in span s. */
void price_fill_sets(price_entry *e, double share, const ix *f, const price_span *s, size_t unit,
                     const price_program *p);
/* Its lines in excess of those of aligned rows. */
double price_split_lines(const price_region *region);

/* The distance in elements between values 0 and i of a function, with all loop variables at 0. */
int64_t price_distance(const ix *f, int64_t i);

/* Finds the rows of a step from the kernel's index; with two branches, the first row and the last.
 * A digit within a line, such as re and im of columns that are views of reals, is not a row. */
void price_rows_of(price_entry *e, const ix *f, size_t unit);

#endif
