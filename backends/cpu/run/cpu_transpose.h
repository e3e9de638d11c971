// SPDX-License-Identifier: BSD-3-Clause
/* Rows of adjacent numbers that become columns. */
#ifndef BACKENDS_CPU_TRANSPOSE_H
#define BACKENDS_CPU_TRANSPOSE_H

#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

/* Of `rows` rows of `count` adjacent numbers, `in_step` bytes apart, number k of row r becomes
 * number r of row k, `out_step` bytes apart. */
typedef void cpu_transpose_fn(const char *in, char *out, ptrdiff_t in_step, ptrdiff_t out_step,
                              int64_t rows, int64_t count);
/* For numbers of so many bytes; NULL: vectors have no way of their own. */
cpu_transpose_fn *cpu_transposer(core_isa isa, size_t bytes);

#endif
