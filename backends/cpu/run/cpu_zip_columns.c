// SPDX-License-Identifier: BSD-3-Clause
/* Rows of re and im become rows of complex numbers in a buffer, and these become columns; or the
 * reverse. Only so many rows are done at a time that the buffer stays in L1. Rows that each begin
 * where the one before ends are joined. */
#include "backends/cpu/run/cpu_zip_columns.h"

#include <stdalign.h>

#include "backends/cpu/run/cpu_zip.h"

enum { BUFFER = 4096, LEAST_ROWS = 8 };

/* Converts between rows of separate re and im and the buffer. */
static void zip_rows(const cpu_zipped_rows *x, char *buffer, bool back, size_t scalar)
{
    const bool joined = x->row == (ptrdiff_t)scalar * x->n;
    const int64_t n = joined ? x->n * x->rows : x->n;
    const ptrdiff_t step = 2 * (ptrdiff_t)scalar * x->n;

    for (int64_t r = 0; r < (joined ? 1 : x->rows); r++) {
        const char *in = x->in + r * x->row;
        char *out = x->out + r * x->row;
        if (back)
            cpu_unzip(buffer + r * step, out, out + x->im, n, scalar);
        else
            cpu_zip(in, in + x->im, buffer + r * step, n, scalar);
    }
}

/* Converts as many rows as the buffer holds. */
static void zip_some(cpu_transpose_fn *transpose, const cpu_zipped_rows *x, bool back,
                     size_t scalar)
{
    alignas(64) char buffer[BUFFER];
    const ptrdiff_t step = 2 * (ptrdiff_t)scalar * x->n;

    if (back)
        transpose(x->in, buffer, x->column, step, x->n, x->rows, false);
    zip_rows(x, buffer, back, scalar);
    if (!back)
        transpose(buffer, x->out, step, x->column, x->rows, x->n, false);
}

void cpu_zip_columns(cpu_transpose_fn *transpose, const cpu_zipped_rows *all, bool back,
                     size_t scalar)
{
    const ptrdiff_t part = (ptrdiff_t)scalar, number = 2 * part;
    const int64_t widest = BUFFER / (LEAST_ROWS * number);
    const int64_t width = all->n < widest ? all->n : widest;
    const int64_t most = width > 0 ? BUFFER / (width * number) : 0; /* no columns: nothing to do */

    for (int64_t k = 0; k < all->n; k += width)
        for (int64_t r = 0; r < all->rows; r += most) {
            const ptrdiff_t split = r * all->row + k * part, whole = r * number + k * all->column;
            cpu_zipped_rows x = *all;
            x.in += back ? whole : split;
            x.out += back ? split : whole;
            x.n = all->n - k < width ? all->n - k : width;
            x.rows = all->rows - r < most ? all->rows - r : most;
            zip_some(transpose, &x, back, scalar);
        }
}
