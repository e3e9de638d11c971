// SPDX-License-Identifier: BSD-3-Clause
/* The product of all factors of a statement, for code that multiplies by all of them at once. It is
 * rounded once, so that it is the same number in every table. */
#ifndef SPL_BIND_FACTORS_H
#define SPL_BIND_FACTORS_H

#include "spl/formula/diagonal.h"
#include "spl/program/program.h"

/* Opens the diagonals of the statement's factors; false: out of memory. */
bool bind_factors_open(const prog_stmt *s, spl_diagonal *diagonal[PROG_MAX_TWIDDLES]);
void bind_factors_close(spl_diagonal *diagonal[PROG_MAX_TWIDDLES]); /* NULLs allowed */
/* The product for element i. Constants are multiplied in last, as in twiddle tables
 * (spl/bind/bind_table_fill.c). */
void bind_factors_get(const prog_stmt *s, spl_diagonal *const *diagonal, int64_t i,
                      const int64_t *vars, double *re, double *im);

/* These products as a table: elements vary fastest, then the last of the loop variables that the
 * factors depend on. */
typedef struct bind_factor_table {
    const prog_stmt *stmt;
    int64_t elements;
    /* entries from one iteration to the next; 0: factors do not depend on the variable */
    int64_t step[IX_MAX_VARS];
    int64_t range[IX_MAX_VARS];
    int64_t entries;
} bind_factor_table;

/* range: iterations of the loops around the statement. */
void bind_factor_table_of(const prog_stmt *s, int64_t elements, const int64_t *range,
                          bind_factor_table *out);
/* Stores re and im of each entry side by side, in the precision; false: out of memory. */
bool bind_factor_table_fill(const bind_factor_table *t, sluice_precision precision, void *data);

#endif
