// SPDX-License-Identifier: BSD-3-Clause
/* Copies rows of adjacent elements to rows. */
#ifndef BACKENDS_CPU_ROWS_H
#define BACKENDS_CPU_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/cpu.h"

/* Copies `rows` rows of `bytes`; the steps from row to row are in bytes. If `scalar` is not 0, rows
 * are complex numbers of two scalars of so many bytes, which are conjugated. False: the ISA has no
 * code for it, or rows are long, or the sides may overlap. */
bool cpu_copy_rows(core_isa isa, const char *in, char *out, ptrdiff_t in_step, ptrdiff_t out_step,
                   int64_t rows, size_t bytes, size_t scalar);

#endif
