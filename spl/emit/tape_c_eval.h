// SPDX-License-Identifier: BSD-3-Clause
/* Kernels with evaluated addresses as C: shared by the files that print them. */
#ifndef SPL_TAPE_C_EVAL_H
#define SPL_TAPE_C_EVAL_H

#include "spl/emit/tape_c.h"

/* One side of a kernel: index function, bytes between neighbouring indices, and which parts of an
 * element it has. */
typedef struct tape_c_side {
    const ix *f;
    ptrdiff_t unit;
    bool in_reals; /* re and im are two elements of a buffer of reals */
    bool im;       /* the kernel reads or writes imaginary parts */
} tape_c_side;

/* Prints const ptrdiff_t NAME = f(INDEX) * unit; an offset in bytes. */
void tape_c_offset(tape_c *e, int depth, const char *name, const ix *f, const char *index,
                   ptrdiff_t unit);
/* Declares wr and wi, the product of the twiddles of element i. */
void tape_c_factors(tape_c *e, const bind_op *op, const char *i, int depth);
/* Declares cr, and ci if `im`: wr and wi rounded to the data's precision. */
void tape_c_rounded_factors(tape_c *e, bool im, int depth);
/* The name of the function that multiplies and adds with one rounding. */
const char *tape_c_fma(const tape_c *e);
/* Stores wr and wi in row i of tw, as the codelet of a transform reads them. */
void tape_c_row_factors(tape_c *e, const prog_stmt *s, int depth);
/* Prints a kernel of rows of reals, op->columns > 0. */
void tape_c_reals(tape_c *e, const bind_op *op, const tape_c_side side[2], int depth);

#endif
