// SPDX-License-Identifier: BSD-3-Clause
/* Conversion between rows of separate re and im and columns of complex numbers. */
#ifndef BACKENDS_CPU_ZIP_COLUMNS_H
#define BACKENDS_CPU_ZIP_COLUMNS_H

#include <stdbool.h>

#include "backends/cpu/run/cpu_transpose.h"

/* `rows` rows of n numbers; steps in bytes. */
typedef struct cpu_zipped_rows {
    const char *in;
    char *out;
    ptrdiff_t im;     /* from a row of adjacent re to its adjacent im        */
    ptrdiff_t row;    /* from row to row on that side                        */
    ptrdiff_t column; /* on the other side, from a number of a row to the next; number r of each
                       * row is adjacent to that of the row before           */
    int64_t rows, n;
} cpu_zipped_rows;

/* Makes complex numbers of re and im of `scalar` bytes each or, with `back`, the reverse. The sides
 * must not overlap. */
void cpu_zip_columns(cpu_transpose_fn *transpose, const cpu_zipped_rows *x, bool back,
                     size_t scalar);

#endif
