// SPDX-License-Identifier: BSD-3-Clause
/* Factors of kernels whose addresses are evaluated; also printed into programs
 * (spl/emit/snippets.h). */
#ifndef SPL_BIND_COMPLEX_H
#define SPL_BIND_COMPLEX_H

#include <stdbool.h>

/* re, im times c, or its conjugate. */
static inline void bind_complex_multiply(long double cr, long double ci, bool conjugate,
                                         long double *re, long double *im)
{
    const long double wr = *re, wi = *im, si = conjugate ? -ci : ci;

    *re = wr * cr - wi * si;
    *im = wr * si + wi * cr;
}

#endif
