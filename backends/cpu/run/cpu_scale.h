// SPDX-License-Identifier: BSD-3-Clause
/* Codelets whose results are scaled in place afterwards (bind_scaling). */
#ifndef BACKENDS_CPU_SCALE_H
#define BACKENDS_CPU_SCALE_H

#include "backends/cpu/run/cpu_slice.h"

/* Multiplies adjacent scalars, in place or not. */
typedef void cpu_scale_fn(void *to, const void *from, size_t count, double by);
void cpu_scale_scalar_f32(void *to, const void *from, size_t count, double by);
void cpu_scale_scalar_f64(void *to, const void *from, size_t count, double by);
void cpu_scale_vec128_f32(void *to, const void *from, size_t count, double by);
void cpu_scale_vec128_f64(void *to, const void *from, size_t count, double by);
void cpu_scale_avx2_f32(void *to, const void *from, size_t count, double by) CPU_USES("avx2");
void cpu_scale_avx2_f64(void *to, const void *from, size_t count, double by) CPU_USES("avx2");
void cpu_scale_avx512_f32(void *to, const void *from, size_t count, double by) CPU_USES("avx512f");
void cpu_scale_avx512_f64(void *to, const void *from, size_t count, double by) CPU_USES("avx512f");
static inline void cpu_scale_run(cpu_scale_fn *scale, void *to, const void *from, size_t count,
                                 double by)
{
    scale(to, from, count, by);
}
extern cpu_scale_fn *const cpu_scale[CORE_ISA_COUNT][2]; /* [ISA][precision] */

/* The number of scalars of so many rows and columns of results if they are one array without a gap;
 * else 0. */
size_t cpu_adjacent_results(const bind_tail *tail, const spl_call *call, int rows, size_t columns);
/* Scales columns lo .. hi-1 of `count` sets of twiddles from `first` on. */
void cpu_scale_results(const bind_tail *tail, const bind_scaling *s, cpu_scale_fn *scale,
                       const spl_call *call, size_t lo, size_t hi, size_t first, size_t count);
/* cpu_columns in pieces, each of which is scaled before the next one is computed. */
void cpu_scaled_columns(const bind_tail *tail, const bind_scaling *s, cpu_scale_fn *scale,
                        spl_codelet_fn *run, spl_call *call, size_t lo, size_t hi, size_t first,
                        size_t count);
/* The same for adjacent interleaved transforms whose codelet stores non-temporally: their input is
 * scaled into a small buffer, which the codelet reads. */
void cpu_scaled_lines(const bind_tail *tail, const bind_scaling *s, cpu_scale_fn *scale,
                      spl_codelet_fn *run, spl_call *call, size_t lo, size_t hi);

#endif
