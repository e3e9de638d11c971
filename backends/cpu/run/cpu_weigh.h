// SPDX-License-Identifier: BSD-3-Clause
/* Rows of neighbours times one weight each. */
#ifndef BACKENDS_CPU_WEIGH_H
#define BACKENDS_CPU_WEIGH_H

#include "backends/cpu/run/cpu_slice.h"
#include "core/cpu.h"

/* `rows` of `count` elements; distances of rows in scalars. `to` may be `from`. */
typedef struct cpu_weighed {
    void *to;
    const void *from, *weight;
    ptrdiff_t to_row, from_row, weight_row;
    size_t rows, count;
} cpu_weighed;

/* Of real (reals) or complex (pairs) numbers. */
typedef void cpu_weigh_fn(const cpu_weighed *x);
void cpu_weigh_reals_scalar_f32(const cpu_weighed *x);
void cpu_weigh_pairs_scalar_f32(const cpu_weighed *x);
void cpu_weigh_reals_scalar_f64(const cpu_weighed *x);
void cpu_weigh_pairs_scalar_f64(const cpu_weighed *x);
void cpu_weigh_reals_avx2_f32(const cpu_weighed *x) CPU_USES("avx2");
void cpu_weigh_pairs_avx2_f32(const cpu_weighed *x) CPU_USES("avx2");
void cpu_weigh_reals_avx2_f64(const cpu_weighed *x) CPU_USES("avx2");
void cpu_weigh_pairs_avx2_f64(const cpu_weighed *x) CPU_USES("avx2");
void cpu_weigh_reals_avx512_f32(const cpu_weighed *x) CPU_USES("avx512f");
void cpu_weigh_pairs_avx512_f32(const cpu_weighed *x) CPU_USES("avx512f");
void cpu_weigh_reals_avx512_f64(const cpu_weighed *x) CPU_USES("avx512f");
void cpu_weigh_pairs_avx512_f64(const cpu_weighed *x) CPU_USES("avx512f");
/* The function of an instruction set, or the plain one. */
cpu_weigh_fn *cpu_weigher(core_isa isa, int precision, int scalars);

#endif
