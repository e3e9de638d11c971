// SPDX-License-Identifier: BSD-3-Clause
/* Formulas as C, by definition, for the self-test of stand-alone programs. */
#ifndef SPL_PRINT_C_H
#define SPL_PRINT_C_H

#include "spl/emit/c_text.h"

/* Can the formula be printed? */
bool spl_has_c(const spl *x);
/* y = A x in long double, by definition, as functions
 *     static bool matrix_K(const long double *x, long double *y)
 * which return false if memory ran out, and use sched/emit/emit_check.h. Returns the K of the
 * whole. */
int spl_print_c(const spl *x, spl_c *c);

#endif
