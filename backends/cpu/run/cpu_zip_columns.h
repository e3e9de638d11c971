// SPDX-License-Identifier: BSD-3-Clause
/* Between rows of re and of im in two arrays and columns of complex numbers. */
#ifndef BACKENDS_CPU_ZIP_COLUMNS_H
#define BACKENDS_CPU_ZIP_COLUMNS_H

#include <stdbool.h>

#include "backends/cpu/run/cpu_transpose.h"

/* `rows` rows of n numbers on either side; steps in bytes. */
typedef struct cpu_zipped_rows {
    const char *in;
    char *out;
    ptrdiff_t im;     /* from adjacent re of a row to its adjacent im        */
    ptrdiff_t row;    /* from row to row of these                            */
    ptrdiff_t column; /* from a number to the next one of a row of the other side, where number r of
                       * each row is next to that of the row before          */
    int64_t rows, n;
} cpu_zipped_rows;

/* Re and im, of `scalar` bytes, become numbers, or, `back`, numbers re and im; sides do not
 * overlap. */
void cpu_zip_columns(cpu_transpose_fn *transpose, const cpu_zipped_rows *x, bool back,
                     size_t scalar);

#endif
