// SPDX-License-Identifier: BSD-3-Clause
#include "backends/cpu/run/cpu_weigh.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

static inline void rest_of_f32(float *to, const float *from, const float *weight, size_t i,
                               size_t count)
{
    for (; i < count; i++)
        to[i] = from[i] * weight[i];
}

static inline void rest_of_f64(double *to, const double *from, const double *weight, size_t i,
                               size_t count)
{
    for (; i < count; i++)
        to[i] = from[i] * weight[i];
}

void cpu_weigh_scalar_f32(const cpu_weighed *x)
{
    for (size_t r = 0; r < x->rows; r++) {
        const float *const f = (const float *)x->from + (ptrdiff_t)r * x->from_row;
        const float *const w = (const float *)x->weight + (ptrdiff_t)r * x->weight_row;
        float *const t = (float *)x->to + (ptrdiff_t)r * x->to_row;
        size_t i = 0;
        rest_of_f32(t, f, w, i, x->count);
    }
}

void cpu_weigh_scalar_f64(const cpu_weighed *x)
{
    for (size_t r = 0; r < x->rows; r++) {
        const double *const f = (const double *)x->from + (ptrdiff_t)r * x->from_row;
        const double *const w = (const double *)x->weight + (ptrdiff_t)r * x->weight_row;
        double *const t = (double *)x->to + (ptrdiff_t)r * x->to_row;
        size_t i = 0;
        rest_of_f64(t, f, w, i, x->count);
    }
}

void cpu_weigh_avx2_f32(const cpu_weighed *x)
{
    for (size_t r = 0; r < x->rows; r++) {
        const float *const f = (const float *)x->from + (ptrdiff_t)r * x->from_row;
        const float *const w = (const float *)x->weight + (ptrdiff_t)r * x->weight_row;
        float *const t = (float *)x->to + (ptrdiff_t)r * x->to_row;
        size_t i = 0;
#ifdef __x86_64__
        for (; i + 8 <= x->count; i += 8)
            _mm256_storeu_ps(t + i, _mm256_mul_ps(_mm256_loadu_ps(w + i), _mm256_loadu_ps(f + i)));
#endif
        rest_of_f32(t, f, w, i, x->count);
    }
}

void cpu_weigh_avx2_f64(const cpu_weighed *x)
{
    for (size_t r = 0; r < x->rows; r++) {
        const double *const f = (const double *)x->from + (ptrdiff_t)r * x->from_row;
        const double *const w = (const double *)x->weight + (ptrdiff_t)r * x->weight_row;
        double *const t = (double *)x->to + (ptrdiff_t)r * x->to_row;
        size_t i = 0;
#ifdef __x86_64__
        for (; i + 4 <= x->count; i += 4)
            _mm256_storeu_pd(t + i, _mm256_mul_pd(_mm256_loadu_pd(w + i), _mm256_loadu_pd(f + i)));
#endif
        rest_of_f64(t, f, w, i, x->count);
    }
}

void cpu_weigh_avx512_f32(const cpu_weighed *x)
{
    for (size_t r = 0; r < x->rows; r++) {
        const float *const f = (const float *)x->from + (ptrdiff_t)r * x->from_row;
        const float *const w = (const float *)x->weight + (ptrdiff_t)r * x->weight_row;
        float *const t = (float *)x->to + (ptrdiff_t)r * x->to_row;
        size_t i = 0;
#ifdef __x86_64__
        for (; i + 16 <= x->count; i += 16)
            _mm512_storeu_ps(t + i, _mm512_mul_ps(_mm512_loadu_ps(w + i), _mm512_loadu_ps(f + i)));
#endif
        rest_of_f32(t, f, w, i, x->count);
    }
}

void cpu_weigh_avx512_f64(const cpu_weighed *x)
{
    for (size_t r = 0; r < x->rows; r++) {
        const double *const f = (const double *)x->from + (ptrdiff_t)r * x->from_row;
        const double *const w = (const double *)x->weight + (ptrdiff_t)r * x->weight_row;
        double *const t = (double *)x->to + (ptrdiff_t)r * x->to_row;
        size_t i = 0;
#ifdef __x86_64__
        for (; i + 8 <= x->count; i += 8)
            _mm512_storeu_pd(t + i, _mm512_mul_pd(_mm512_loadu_pd(w + i), _mm512_loadu_pd(f + i)));
#endif
        rest_of_f64(t, f, w, i, x->count);
    }
}

cpu_weigh_fn *cpu_weigher(core_isa isa, int precision)
{
    static cpu_weigh_fn *const plain[2] = {cpu_weigh_scalar_f32, cpu_weigh_scalar_f64};
    static cpu_weigh_fn *const own[CORE_ISA_COUNT][2] = {
        [CORE_ISA_AVX2] = {cpu_weigh_avx2_f32, cpu_weigh_avx2_f64},
        [CORE_ISA_AVX512] = {cpu_weigh_avx512_f32, cpu_weigh_avx512_f64},
    };

    return own[isa][precision] ? own[isa][precision] : plain[precision];
}
