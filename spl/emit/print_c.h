// SPDX-License-Identifier: BSD-3-Clause
/* Index functions and the meaning of formulas as C, for stand-alone programs. */
#ifndef SPL_PRINT_C_H
#define SPL_PRINT_C_H

#include "spl/formula/spl.h"

/* A text under construction, in C or one of its dialects. Start from {.prefix = .., .storage = ..}.
 */
typedef struct spl_c {
    const char *prefix;   /* of the names of tables */
    const char *storage;  /* what they are declared as: SPL_C_STORAGE in C */
    const int64_t *range; /* what loop variables run to, where digits are to be no longer than
                             needed; NULL: in full */
    int tables, functions;
    core_text data; /* tables that expressions mention */
    core_text text;
} spl_c;

#define SPL_C_STORAGE "static const int64_t"

/* As in C. */
const char *spl_values_name(spl_values values);
const char *spl_truth(bool b);
/* f(index) as an expression of `index` and the loop variables k0, k1 .. */
void ix_print_c(const ix *f, const char *index, spl_c *c, core_text *out);
/* y = A x in long double, by definition, as functions
 *     static bool matrix_K(const long double *x, long double *y)
 * false: out of memory. Returns K of the whole. They use sched/emit/emit_check.h. */
int spl_print_c(const spl *x, spl_c *c);

#endif
