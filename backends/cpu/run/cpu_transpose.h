// SPDX-License-Identifier: BSD-3-Clause
/* Transposes rows of numbers. */
#ifndef BACKENDS_CPU_TRANSPOSE_H
#define BACKENDS_CPU_TRANSPOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

/* Number k of row r, of `rows` rows of `count` numbers, becomes number r of row k, with its sign
 * changed if `negate`. Rows are in_step and out_step bytes apart. */
typedef void cpu_transpose_fn(const char *in, char *out, ptrdiff_t in_step, ptrdiff_t out_step,
                              int64_t rows, int64_t count, bool negate);

/* How the numbers of a row lie in memory. */
typedef enum cpu_transposed {
    CPU_ADJACENT = 0,    /* adjacent on both sides                        */
    CPU_EVERY_OTHER_IN,  /* every second number of the input or, below, .. */
    CPU_EVERY_OTHER_OUT, /* .. of the output, as re of complex numbers is */
    CPU_TRANSPOSED
} cpu_transposed;

/* The function for numbers of so many bytes; NULL: there are no vectors for it. */
cpu_transpose_fn *cpu_transposer(core_isa isa, size_t bytes, cpu_transposed how);

#endif
