// SPDX-License-Identifier: BSD-3-Clause
/* Elements of a matrix, some of its columns and rows, that are moved at strides. */
#ifndef BACKENDS_CPU_BLOCK_H
#define BACKENDS_CPU_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

/* In bytes but for the columns and rows. */
typedef struct cpu_block {
    const char *in;
    char *out;
    ptrdiff_t in_column, out_column, in_row, out_row;
    int64_t lo, hi, first, last; /* columns, rows */
} cpu_block;

/* From the other end, so that what was backwards goes on. */
static inline void cpu_turn(const char **in, char **out, ptrdiff_t *in_step, ptrdiff_t *out_step,
                            int64_t first, int64_t last)
{
    *in += (first + last - 1) * *in_step;
    *out += (first + last - 1) * *out_step;
    *in_step = -*in_step;
    *out_step = -*out_step;
}

/* Rows are columns, and columns rows. */
static inline cpu_block cpu_block_transposed(cpu_block b)
{
    return (cpu_block){.in = b.in,
                       .out = b.out,
                       .in_column = b.in_row,
                       .out_column = b.out_row,
                       .in_row = b.in_column,
                       .out_row = b.out_column,
                       .lo = b.first,
                       .hi = b.last,
                       .first = b.lo,
                       .last = b.hi};
}

/* Moves elements of `bytes` by vectors; false: vectors have no way. Rows of adjacent elements, of
 * which each second of two scalars of `scalar` bytes has its sign changed if that is not 0. */
bool cpu_block_copy(core_isa isa, const cpu_block *b, size_t bytes, size_t scalar);
/* Two rows that are zipped, rows that become columns, or back. */
bool cpu_block_transpose(core_isa isa, const cpu_block *b, size_t bytes);
/* Rows that become columns, with their signs changed. */
bool cpu_block_negate(core_isa isa, const cpu_block *b, size_t bytes);

#endif
