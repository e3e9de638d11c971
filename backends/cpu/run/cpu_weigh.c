// SPDX-License-Identifier: BSD-3-Clause
#include "backends/cpu/run/cpu_weigh.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

/* Elements i .. count-1 of a row. */
static inline void rest_of_reals_f32(float *to, const float *from, const float *weight, size_t i,
                                     size_t count)
{
    for (i *= 1; i < count; i++)
        to[i] = from[i] * weight[i];
}

static inline void rest_of_pairs_f32(float *to, const float *from, const float *weight, size_t i,
                                     size_t count)
{
    for (i *= 2; i < 2 * count; i++)
        to[i] = from[i] * weight[i / 2];
}

static inline void rest_of_reals_f64(double *to, const double *from, const double *weight, size_t i,
                                     size_t count)
{
    for (i *= 1; i < count; i++)
        to[i] = from[i] * weight[i];
}

static inline void rest_of_pairs_f64(double *to, const double *from, const double *weight, size_t i,
                                     size_t count)
{
    for (i *= 2; i < 2 * count; i++)
        to[i] = from[i] * weight[i / 2];
}

void cpu_weigh_reals_scalar_f32(const cpu_weighed *x)
{
    for (size_t r = 0; r < x->rows; r++) {
        const float *const f = (const float *)x->from + (ptrdiff_t)r * x->from_row;
        const float *const w = (const float *)x->weight + (ptrdiff_t)r * x->weight_row;
        float *const t = (float *)x->to + (ptrdiff_t)r * x->to_row;
        size_t i = 0;
        rest_of_reals_f32(t, f, w, i, x->count);
    }
}

void cpu_weigh_pairs_scalar_f32(const cpu_weighed *x)
{
    for (size_t r = 0; r < x->rows; r++) {
        const float *const f = (const float *)x->from + (ptrdiff_t)r * x->from_row;
        const float *const w = (const float *)x->weight + (ptrdiff_t)r * x->weight_row;
        float *const t = (float *)x->to + (ptrdiff_t)r * x->to_row;
        size_t i = 0;
        rest_of_pairs_f32(t, f, w, i, x->count);
    }
}

void cpu_weigh_reals_scalar_f64(const cpu_weighed *x)
{
    for (size_t r = 0; r < x->rows; r++) {
        const double *const f = (const double *)x->from + (ptrdiff_t)r * x->from_row;
        const double *const w = (const double *)x->weight + (ptrdiff_t)r * x->weight_row;
        double *const t = (double *)x->to + (ptrdiff_t)r * x->to_row;
        size_t i = 0;
        rest_of_reals_f64(t, f, w, i, x->count);
    }
}

void cpu_weigh_pairs_scalar_f64(const cpu_weighed *x)
{
    for (size_t r = 0; r < x->rows; r++) {
        const double *const f = (const double *)x->from + (ptrdiff_t)r * x->from_row;
        const double *const w = (const double *)x->weight + (ptrdiff_t)r * x->weight_row;
        double *const t = (double *)x->to + (ptrdiff_t)r * x->to_row;
        size_t i = 0;
        rest_of_pairs_f64(t, f, w, i, x->count);
    }
}

void cpu_weigh_reals_avx2_f32(const cpu_weighed *x)
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
        rest_of_reals_f32(t, f, w, i, x->count);
    }
}

void cpu_weigh_pairs_avx2_f32(const cpu_weighed *x)
{
#ifdef __x86_64__
    const __m256i twice = _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3);
#endif
    for (size_t r = 0; r < x->rows; r++) {
        const float *const f = (const float *)x->from + (ptrdiff_t)r * x->from_row;
        const float *const w = (const float *)x->weight + (ptrdiff_t)r * x->weight_row;
        float *const t = (float *)x->to + (ptrdiff_t)r * x->to_row;
        size_t i = 0;
#ifdef __x86_64__
        for (; i + 4 <= x->count; i += 4)
            _mm256_storeu_ps(t + 2 * i,
                             _mm256_mul_ps(_mm256_permutevar8x32_ps(
                                               _mm256_castps128_ps256(_mm_loadu_ps(w + i)), twice),
                                           _mm256_loadu_ps(f + 2 * i)));
#endif
        rest_of_pairs_f32(t, f, w, i, x->count);
    }
}

void cpu_weigh_reals_avx2_f64(const cpu_weighed *x)
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
        rest_of_reals_f64(t, f, w, i, x->count);
    }
}

void cpu_weigh_pairs_avx2_f64(const cpu_weighed *x)
{
    for (size_t r = 0; r < x->rows; r++) {
        const double *const f = (const double *)x->from + (ptrdiff_t)r * x->from_row;
        const double *const w = (const double *)x->weight + (ptrdiff_t)r * x->weight_row;
        double *const t = (double *)x->to + (ptrdiff_t)r * x->to_row;
        size_t i = 0;
#ifdef __x86_64__
        for (; i + 2 <= x->count; i += 2)
            _mm256_storeu_pd(t + 2 * i,
                             _mm256_mul_pd(_mm256_permute4x64_pd(
                                               _mm256_castpd128_pd256(_mm_loadu_pd(w + i)), 0x50),
                                           _mm256_loadu_pd(f + 2 * i)));
#endif
        rest_of_pairs_f64(t, f, w, i, x->count);
    }
}

void cpu_weigh_reals_avx512_f32(const cpu_weighed *x)
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
        rest_of_reals_f32(t, f, w, i, x->count);
    }
}

void cpu_weigh_pairs_avx512_f32(const cpu_weighed *x)
{
#ifdef __x86_64__
    const __m512i twice = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
#endif
    for (size_t r = 0; r < x->rows; r++) {
        const float *const f = (const float *)x->from + (ptrdiff_t)r * x->from_row;
        const float *const w = (const float *)x->weight + (ptrdiff_t)r * x->weight_row;
        float *const t = (float *)x->to + (ptrdiff_t)r * x->to_row;
        size_t i = 0;
#ifdef __x86_64__
        for (; i + 8 <= x->count; i += 8)
            _mm512_storeu_ps(
                t + 2 * i, _mm512_mul_ps(_mm512_permutexvar_ps(
                                             twice, _mm512_castps256_ps512(_mm256_loadu_ps(w + i))),
                                         _mm512_loadu_ps(f + 2 * i)));
#endif
        rest_of_pairs_f32(t, f, w, i, x->count);
    }
}

void cpu_weigh_reals_avx512_f64(const cpu_weighed *x)
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
        rest_of_reals_f64(t, f, w, i, x->count);
    }
}

void cpu_weigh_pairs_avx512_f64(const cpu_weighed *x)
{
#ifdef __x86_64__
    const __m512i twice = _mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3);
#endif
    for (size_t r = 0; r < x->rows; r++) {
        const double *const f = (const double *)x->from + (ptrdiff_t)r * x->from_row;
        const double *const w = (const double *)x->weight + (ptrdiff_t)r * x->weight_row;
        double *const t = (double *)x->to + (ptrdiff_t)r * x->to_row;
        size_t i = 0;
#ifdef __x86_64__
        for (; i + 4 <= x->count; i += 4)
            _mm512_storeu_pd(
                t + 2 * i, _mm512_mul_pd(_mm512_permutexvar_pd(
                                             twice, _mm512_castpd256_pd512(_mm256_loadu_pd(w + i))),
                                         _mm512_loadu_pd(f + 2 * i)));
#endif
        rest_of_pairs_f64(t, f, w, i, x->count);
    }
}

cpu_weigh_fn *cpu_weigher(core_isa isa, int precision, int scalars)
{
    static cpu_weigh_fn *const plain[2][2] = {
        {cpu_weigh_reals_scalar_f32, cpu_weigh_pairs_scalar_f32},
        {cpu_weigh_reals_scalar_f64, cpu_weigh_pairs_scalar_f64}};
    static cpu_weigh_fn *const own[CORE_ISA_COUNT][2][2] = {
        [CORE_ISA_AVX2] = {{cpu_weigh_reals_avx2_f32, cpu_weigh_pairs_avx2_f32},
                           {cpu_weigh_reals_avx2_f64, cpu_weigh_pairs_avx2_f64}},
        [CORE_ISA_AVX512] = {{cpu_weigh_reals_avx512_f32, cpu_weigh_pairs_avx512_f32},
                             {cpu_weigh_reals_avx512_f64, cpu_weigh_pairs_avx512_f64}},
    };
    cpu_weigh_fn *const fast = own[isa][precision][scalars - 1];

    return fast ? fast : plain[precision][scalars - 1];
}
