// SPDX-License-Identifier: BSD-3-Clause
/* Multiplies rows of scalars by weights, one for each scalar. */
#ifndef BACKENDS_CPU_WEIGH_H
#define BACKENDS_CPU_WEIGH_H

#include "backends/cpu/run/cpu_slice.h"
#include "core/cpu.h"

/* `rows` rows of `count` scalars; distances of rows in scalars. `to` may be `from`. */
typedef struct cpu_weighed {
    void *to;
    const void *from, *weight;
    ptrdiff_t to_row, from_row, weight_row;
    size_t rows, count;
} cpu_weighed;

typedef void cpu_weigh_fn(const cpu_weighed *x);
/* The function for an instruction set, or the plain one. */
cpu_weigh_fn *cpu_weigher(core_isa isa, int precision);

#endif
