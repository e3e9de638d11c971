// SPDX-License-Identifier: BSD-3-Clause
/* Squares of numbers are transposed in registers: pairs of rows are interleaved, then pairs of
 * pairs, then halves exchanged. Eight columns at a time for all rows, so that lines on either side
 * are used up before they are evicted. Rows and columns that squares leave over are the last of a
 * square that begins earlier. */
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

/* Four columns of four rows. */
CPU_USES("avx2")
static inline void transpose_four_f32(const char *in, char *out, ptrdiff_t in_step,
                                      ptrdiff_t out_step)
{
    __m128 row[FOUR];

    for (int r = 0; r < FOUR; r++)
        row[r] = _mm_loadu_ps((const float *)(const void *)(in + r * in_step));
    _MM_TRANSPOSE4_PS(row[0], row[1], row[2], row[3]);
    for (int r = 0; r < FOUR; r++)
        _mm_storeu_ps((float *)(void *)(out + r * out_step), row[r]);
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

/* A column of two rows of complex f64. */
CPU_USES("avx2")
static inline void transpose_complex(const char *in, char *out, ptrdiff_t in_step,
                                     ptrdiff_t out_step)
{
    const __m128d low = _mm_loadu_pd((const double *)(const void *)in);
    const __m128d high = _mm_loadu_pd((const double *)(const void *)(in + in_step));

    (void)out_step;
    _mm256_storeu_pd((double *)(void *)out,
                     _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1));
}

/* Number by number. */
static inline void move_singly(const char *in, char *out, ptrdiff_t in_step, ptrdiff_t out_step,
                               int64_t rows, int64_t count, size_t size)
{
    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < count; k++)
            memcpy(out + k * out_step + r * (ptrdiff_t)size, in + r * in_step + k * (ptrdiff_t)size,
                   size);
}

#define SINGLY(name, size)                                                                         \
    static void name(const char *in, char *out, ptrdiff_t in_step, ptrdiff_t out_step,             \
                     int64_t rows, int64_t count)                                                  \
    {                                                                                              \
        move_singly(in, out, in_step, out_step, rows, count, size);                                \
    }

/* NAME, for numbers of `size` bytes, by squares of HEIGHT rows and WIDTH columns; FEWER, where
 * there are not so many. */
#define TRANSPOSER(name, size, height, width, square, fewer)                                       \
    CPU_USES("avx2")                                                                               \
    static void name(const char *in, char *out, ptrdiff_t in_step, ptrdiff_t out_step,             \
                     int64_t rows, int64_t count)                                                  \
    {                                                                                              \
        if (rows < (height) || count < (width)) {                                                  \
            fewer(in, out, in_step, out_step, rows, count);                                        \
            return;                                                                                \
        }                                                                                          \
        for (int64_t from = 0; from < count; from += COLUMNS) {                                    \
            const int64_t end = from + COLUMNS < count ? from + COLUMNS : count;                   \
            for (int64_t i = 0; i < rows; i += (height)) {                                         \
                const int64_t r = i + (height) <= rows ? i : rows - (height);                      \
                for (int64_t j = from; j < end; j += (width)) {                                    \
                    const int64_t k = j + (width) <= count ? j : count - (width);                  \
                    square(in + r * in_step + k * (size), out + k * out_step + r * (size),         \
                           in_step, out_step);                                                     \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

enum { F32 = sizeof(float), F64 = sizeof(double), COMPLEX = 2 * sizeof(double) };

SINGLY(few_f32, F32)
SINGLY(few_f64, F64)
SINGLY(few_complex, COMPLEX)
TRANSPOSER(fours_f32, F32, FOUR, FOUR, transpose_four_f32, few_f32)
TRANSPOSER(rows_f32, F32, EIGHT, FOUR, transpose_f32, fours_f32)
TRANSPOSER(rows_f64, F64, FOUR, 2, transpose_f64, few_f64)
TRANSPOSER(rows_complex, COMPLEX, 2, 1, transpose_complex, few_complex)
#endif

cpu_transpose_fn *cpu_transposer(core_isa isa, size_t bytes)
{
#ifdef __x86_64__
    if (isa >= CORE_ISA_AVX2)
        return bytes == F32 ? rows_f32 : bytes == F64 ? rows_f64 : rows_complex;
#endif
    (void)isa;
    (void)bytes;
    return NULL;
}
