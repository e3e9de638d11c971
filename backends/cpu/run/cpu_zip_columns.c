// SPDX-License-Identifier: BSD-3-Clause
/* Rows of re and of im become rows of numbers in a buffer, and these columns; or the reverse. So
 * many rows at a time that the buffer stays in L1; rows that go on where those before them end are
 * one. */
#include "backends/cpu/run/cpu_zip_columns.h"

#include <stdalign.h>

#include "backends/cpu/run/cpu_zip.h"

enum { BUFFER = 4096, LEAST_ROWS = 4 };

/* Rows of a side and a buffer of their numbers. */
static void zip_rows(const cpu_zipped_rows *x, int64_t first, int64_t rows, char *buffer, bool back,
                     size_t scalar)
{
    const bool joined = x->row == (ptrdiff_t)scalar * x->n;
    const int64_t n = joined ? x->n * rows : x->n;
    const ptrdiff_t step = 2 * (ptrdiff_t)scalar * x->n;

    for (int64_t r = 0; r < (joined ? 1 : rows); r++) {
        const ptrdiff_t at = (first + r) * x->row;
        if (back)
            cpu_unzip(buffer + r * step, x->out + at, x->out + at + x->im, n, scalar);
        else
            cpu_zip(x->in + at, x->in + at + x->im, buffer + r * step, n, scalar);
    }
}

bool cpu_zip_columns(cpu_transpose_fn *transpose, const cpu_zipped_rows *x, bool back,
                     size_t scalar)
{
    alignas(64) char buffer[BUFFER];
    const ptrdiff_t number = 2 * (ptrdiff_t)scalar, row = number * x->n;
    const int64_t most = BUFFER / row;

    if (!transpose || most < LEAST_ROWS)
        return false;
    for (int64_t first = 0; first < x->rows; first += most) {
        const int64_t rows = x->rows - first < most ? x->rows - first : most;
        if (back) {
            transpose(x->in + first * number, buffer, x->column, row, x->n, rows);
            zip_rows(x, first, rows, buffer, true, scalar);
        } else {
            zip_rows(x, first, rows, buffer, false, scalar);
            transpose(buffer, x->out + first * number, row, x->column, rows, x->n);
        }
    }
    return true;
}
