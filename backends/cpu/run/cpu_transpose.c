// SPDX-License-Identifier: BSD-3-Clause
/* Squares of numbers are transposed in registers: pairs of rows are interleaved, then pairs of
 * pairs, then halves exchanged. Eight columns at a time for all rows, so that lines on either side
 * are used up before they are evicted. */
#include "backends/cpu/run/cpu_transpose.h"

#include <string.h>

#include "backends/cpu/run/cpu_slice.h"

#ifdef __x86_64__
#include <immintrin.h>

enum { COLUMNS = 8, FOUR = 4, EIGHT = 8 };

/* A row of f32 at in + r * step, for r and r + 4 beside each other. */
CPU_USES("avx2")
static inline __m256 load_halves(const char *in, ptrdiff_t step, int r)
{
    const __m128 low = _mm_loadu_ps((const float *)(const void *)(in + r * step));
    const __m128 high = _mm_loadu_ps((const float *)(const void *)(in + (r + FOUR) * step));

    return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}

/* Four columns of eight rows: eight numbers of four rows of the result. */
CPU_USES("avx2")
static inline void transpose_f32(const char *in, char *out, ptrdiff_t in_step, ptrdiff_t out_step)
{
    const __m256 a = load_halves(in, in_step, 0), b = load_halves(in, in_step, 1);
    const __m256 c = load_halves(in, in_step, 2), d = load_halves(in, in_step, 3);
    const __m256 ab0 = _mm256_unpacklo_ps(a, b), ab1 = _mm256_unpackhi_ps(a, b);
    const __m256 cd0 = _mm256_unpacklo_ps(c, d), cd1 = _mm256_unpackhi_ps(c, d);
    const __m256d p = _mm256_castps_pd(ab0), q = _mm256_castps_pd(cd0);
    const __m256d r = _mm256_castps_pd(ab1), s = _mm256_castps_pd(cd1);

    _mm256_storeu_pd((double *)(void *)out, _mm256_unpacklo_pd(p, q));
    _mm256_storeu_pd((double *)(void *)(out + out_step), _mm256_unpackhi_pd(p, q));
    _mm256_storeu_pd((double *)(void *)(out + 2 * out_step), _mm256_unpacklo_pd(r, s));
    _mm256_storeu_pd((double *)(void *)(out + 3 * out_step), _mm256_unpackhi_pd(r, s));
}

/* A pair of f64 at in + r * step, for r and r + 2 beside each other. */
CPU_USES("avx2")
static inline __m256d load_pairs(const char *in, ptrdiff_t step, int r)
{
    const __m128d low = _mm_loadu_pd((const double *)(const void *)(in + r * step));
    const __m128d high = _mm_loadu_pd((const double *)(const void *)(in + (r + 2) * step));

    return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
}

/* Two columns of four rows. */
CPU_USES("avx2")
static inline void transpose_f64(const char *in, char *out, ptrdiff_t in_step, ptrdiff_t out_step)
{
    const __m256d a = load_pairs(in, in_step, 0), b = load_pairs(in, in_step, 1);

    _mm256_storeu_pd((double *)(void *)out, _mm256_unpacklo_pd(a, b));
    _mm256_storeu_pd((double *)(void *)(out + out_step), _mm256_unpackhi_pd(a, b));
}

/* NAME, for numbers of TYPE, by squares of HEIGHT rows and WIDTH columns. */
#define TRANSPOSER(name, type, height, width, square)                                              \
    CPU_USES("avx2")                                                                               \
    static void name(const char *in, char *out, ptrdiff_t in_step, ptrdiff_t out_step,             \
                     int64_t rows, int64_t count)                                                  \
    {                                                                                              \
        const ptrdiff_t size = sizeof(type);                                                       \
        for (int64_t from = 0; from < count; from += COLUMNS) {                                    \
            const int64_t end = from + COLUMNS < count ? from + COLUMNS : count;                   \
            int64_t r = 0;                                                                         \
            for (; r + (height) <= rows; r += (height)) {                                          \
                int64_t k = from;                                                                  \
                for (; k + (width) <= end; k += (width))                                           \
                    square(in + r * in_step + k * size, out + k * out_step + r * size, in_step,    \
                           out_step);                                                              \
                for (; k < end; k++)                                                               \
                    for (int64_t i = r; i < r + (height); i++)                                     \
                        memcpy(out + k * out_step + i * size, in + i * in_step + k * size,         \
                               sizeof(type));                                                      \
            }                                                                                      \
            for (; r < rows; r++)                                                                  \
                for (int64_t k = from; k < end; k++)                                               \
                    memcpy(out + k * out_step + r * size, in + r * in_step + k * size,             \
                           sizeof(type));                                                          \
        }                                                                                          \
    }

TRANSPOSER(rows_f32, float, EIGHT, FOUR, transpose_f32)
TRANSPOSER(rows_f64, double, FOUR, 2, transpose_f64)
#endif

cpu_transpose_fn *cpu_transposer(core_isa isa, size_t bytes)
{
#ifdef __x86_64__
    if (isa >= CORE_ISA_AVX2)
        return bytes == sizeof(float) ? rows_f32 : bytes == sizeof(double) ? rows_f64 : NULL;
#endif
    (void)isa;
    (void)bytes;
    return NULL;
}
