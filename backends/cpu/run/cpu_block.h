// SPDX-License-Identifier: BSD-3-Clause
/* Moves elements of a matrix with strides: a range of its columns and of its rows. */
#ifndef BACKENDS_CPU_BLOCK_H
#define BACKENDS_CPU_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

/* Strides in bytes; ranges of columns and of rows. */
typedef struct cpu_block {
    const char *in;
    char *out;
    ptrdiff_t in_column, out_column, in_row, out_row;
    int64_t lo, hi, first, last; /* columns, rows */
} cpu_block;

/* Starts from the other end, so that a negative step becomes positive. */
static inline void cpu_turn(const char **in, char **out, ptrdiff_t *in_step, ptrdiff_t *out_step,
                            int64_t first, int64_t last)
{
    *in += (first + last - 1) * *in_step;
    *out += (first + last - 1) * *out_step;
    *in_step = -*in_step;
    *out_step = -*out_step;
}

/* Exchanges rows and columns. */
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

/* The following move elements of `bytes` with vectors; false: the ISA has no code for this case.
 * Copies rows of adjacent elements; if `scalar` is not 0 they are conjugated: the second of every
 * two scalars of so many bytes changes sign. */
bool cpu_block_copy(core_isa isa, const cpu_block *b, size_t bytes, size_t scalar);
/* Interleaves two rows, or the reverse; or transposes rows to columns. */
bool cpu_block_transpose(core_isa isa, const cpu_block *b, size_t bytes);
/* Transposes real numbers and changes their signs. */
bool cpu_block_negate(core_isa isa, const cpu_block *b, size_t bytes);

#endif
