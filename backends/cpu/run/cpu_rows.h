// SPDX-License-Identifier: BSD-3-Clause
/* Rows of adjacent elements that stay rows. */
#ifndef BACKENDS_CPU_ROWS_H
#define BACKENDS_CPU_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

/* Copies `rows` rows of `bytes`, the steps apart, of complex numbers of two scalars of `scalar`
 * bytes with the signs of im changed if that is not 0. False: vectors have no way of their own, or
 * rows are long, or may overlap. */
bool cpu_copy_rows(core_isa isa, const char *in, char *out, ptrdiff_t in_step, ptrdiff_t out_step,
                   int64_t rows, size_t bytes, size_t scalar);

#endif
