// SPDX-License-Identifier: BSD-3-Clause
/* The meaning of formulas as C, for stand-alone programs. */
#ifndef SPL_PRINT_C_H
#define SPL_PRINT_C_H

#include "spl/emit/c_text.h"

/* Can it be printed? */
bool spl_has_c(const spl *x);
/* y = A x in long double, by definition, as functions
 *     static bool matrix_K(const long double *x, long double *y)
 * false: out of memory. Returns K of the whole. They use sched/emit/emit_check.h. */
int spl_print_c(const spl *x, spl_c *c);

#endif
