// SPDX-License-Identifier: BSD-3-Clause
/* Moves single elements: between places of tables (spl/bind/bind_permute.c), or, rows and columns of
 * a matrix, at strides. */
#include <stdint.h>
#include <string.h>

#include "backends/cpu/run/cpu_state.h"

/* Columns that are moved together, a row at a time: lines on either side are used up before they
 * are evicted. */
enum { TILE = 8 };

/* What is moved, in bytes but for the columns and rows. */
typedef struct block {
    const char *in;
    char *out;
    ptrdiff_t in_column, out_column, in_row, out_row;
    int64_t lo, hi, first, last; /* columns, rows */
} block;

/* Elements of `bytes`, which is constant where this is inlined. */
static inline void move_rows(const block *b, size_t bytes)
{
    for (int64_t lo = b->lo; lo < b->hi; lo += TILE) {
        const int64_t left = b->hi - lo, columns = left < TILE ? left : TILE;
        const char *in = b->in + lo * b->in_column + b->first * b->in_row;
        char *out = b->out + lo * b->out_column + b->first * b->out_row;
        for (int64_t r = b->first; r < b->last; r++, in += b->in_row, out += b->out_row) {
            if (columns == TILE)
                for (int c = 0; c < TILE; c++)
                    memcpy(out + c * b->out_column, in + c * b->in_column, bytes);
            else
                for (int64_t c = 0; c < columns; c++)
                    memcpy(out + c * b->out_column, in + c * b->in_column, bytes);
        }
    }
}

/* By tables; a side without one is in order. */
static inline void move_places(const bind_op *op, const block *b, size_t bytes)
{
    const int32_t *from = op->element_offsets[0], *to = op->element_offsets[1];

    for (int64_t k = b->lo; k < b->hi; k++)
        memcpy(b->out + (to ? to[k] : k) * b->out_column,
               b->in + (from ? from[k] : k) * b->in_column, bytes);
}

static void move_elements(const bind_op *op, const block *b, size_t bytes)
{
    const bool places = op->element_offsets[0] || op->element_offsets[1];
    const ptrdiff_t adjacent = (ptrdiff_t)bytes;

    if (!places && b->in_column == adjacent && b->out_column == adjacent) {
        for (int64_t r = b->first; r < b->last; r++)
            memcpy(b->out + b->lo * adjacent + r * b->out_row,
                   b->in + b->lo * adjacent + r * b->in_row, (size_t)(b->hi - b->lo) * bytes);
        return;
    }
    switch (bytes) {
    case 4: places ? move_places(op, b, 4) : move_rows(b, 4); break;
    case 8: places ? move_places(op, b, 8) : move_rows(b, 8); break;
    default: places ? move_places(op, b, 16) : move_rows(b, 16); break;
    }
}

void cpu_move(const bind_tape *p, const bind_op *op, const spl_call *call, const int64_t columns[2],
              const int64_t rows[2])
{
    const bool split = p->buf[op->in].format == SPL_SPLIT || p->buf[op->out].format == SPL_SPLIT;
    const ptrdiff_t scalar = (ptrdiff_t)p->scalar;
    block b = {.in = call->in_re,
               .out = call->out_re,
               .in_column = call->ics * scalar,
               .out_column = call->ocs * scalar,
               .in_row = call->iouter * scalar,
               .out_row = call->oouter * scalar,
               .lo = columns[0],
               .hi = columns[1],
               .first = rows[0],
               .last = rows[1]};

    move_elements(op, &b, split ? p->scalar : 2 * p->scalar);
    if (split) { /* re, then im */
        b.in = call->in_im;
        b.out = call->out_im;
        move_elements(op, &b, p->scalar);
    }
}
