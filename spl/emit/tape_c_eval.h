// SPDX-License-Identifier: BSD-3-Clause
/* Kernels with evaluated addresses as C: what prints them. */
#ifndef SPL_TAPE_C_EVAL_H
#define SPL_TAPE_C_EVAL_H

#include "spl/emit/tape_c.h"

/* One side of a kernel: index function, bytes from address to address, and which parts of an
 * element there are. */
typedef struct tape_c_side {
    const ix *f;
    ptrdiff_t unit;
    bool in_reals; /* re and im are two elements of a buffer of reals */
    bool im;       /* the kernel reads or writes imaginary parts there */
} tape_c_side;

/* const ptrdiff_t NAME = f(INDEX) * unit; in bytes. */
void tape_c_offset(tape_c *e, int depth, const char *name, const ix *f, const char *index,
                   ptrdiff_t unit);
/* wr and wi, the product of the twiddles of element i. */
void tape_c_factors(tape_c *e, const bind_op *op, const char *i, int depth);
/* These rounded to the data's precision: cr, and ci where a side has imaginary parts. */
void tape_c_rounded_factors(tape_c *e, bool im, int depth);
/* The function that multiplies and adds with one rounding. */
const char *tape_c_fma(const tape_c *e);
/* These as the codelet of a transform reads them, in row i of tw. */
void tape_c_row_factors(tape_c *e, const prog_stmt *s, int depth);
/* A kernel of rows of reals, op->columns > 0. */
void tape_c_reals(tape_c *e, const bind_op *op, const tape_c_side side[2], int depth);

#endif
