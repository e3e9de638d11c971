// SPDX-License-Identifier: BSD-3-Clause
/* Rows of numbers that become columns. */
#ifndef BACKENDS_CPU_TRANSPOSE_H
#define BACKENDS_CPU_TRANSPOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

/* Of `rows` rows of `count` numbers, `in_step` bytes apart, number k of row r becomes number r of
 * row k, `out_step` bytes apart, with its sign changed if `negate`. */
typedef void cpu_transpose_fn(const char *in, char *out, ptrdiff_t in_step, ptrdiff_t out_step,
                              int64_t rows, int64_t count, bool negate);

/* How the numbers of a row lie. */
typedef enum cpu_transposed {
    CPU_ADJACENT = 0,    /* on both sides                                */
    CPU_EVERY_OTHER_IN,  /* every second number is theirs, on one side, .. */
    CPU_EVERY_OTHER_OUT, /* .. as are parts of complex numbers            */
    CPU_TRANSPOSED
} cpu_transposed;

/* For numbers of so many bytes; NULL: vectors have no way of their own. */
cpu_transpose_fn *cpu_transposer(core_isa isa, size_t bytes, cpu_transposed how);

#endif
