// SPDX-License-Identifier: BSD-3-Clause
/* Squares of numbers are transposed in registers: pairs of rows are interleaved, then pairs of
 * pairs, then halves exchanged. Eight columns are done at a time for all rows, so that all of a
 * line is used before it is evicted, on both sides. Rows and columns left over by whole squares are
 * in one that begins earlier. Every second number is picked from two vectors on the input; on the
 * output numbers are spread and stored under a mask. */
#include "backends/cpu/run/cpu_transpose.h"

#include <string.h>

#include "backends/cpu/run/cpu_slice.h"

#ifdef __x86_64__
#include <immintrin.h>

enum { COLUMNS = 8, FOUR = 4, EIGHT = 8 };

/* Loads four f32 of row r and, into the upper half, four of row r + 4. */
CPU_USES("avx2")
static inline __m256 load_halves(const char *in, ptrdiff_t step, int r)
{
    const __m128 low = _mm_loadu_ps((const float *)(const void *)(in + r * step));
    const __m128 high = _mm_loadu_ps((const float *)(const void *)(in + (r + FOUR) * step));

    return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1);
}

/* The same for every second number; reads seven of a row. */
CPU_USES("avx2")
static inline __m256 pick_halves(const char *in, ptrdiff_t step, int r)
{
    const __m256 low = load_halves(in, step, r);
    const __m256 high = load_halves(in + 3 * (ptrdiff_t)sizeof(float), step, r);

    return _mm256_shuffle_ps(low, high, _MM_SHUFFLE(3, 1, 2, 0));
}

/* Makes vectors of eight numbers for four rows of the result. */
CPU_USES("avx2")
static inline void transpose_f32(const __m256 x[FOUR], __m256 y[FOUR])
{
    const __m256 ab0 = _mm256_unpacklo_ps(x[0], x[1]), ab1 = _mm256_unpackhi_ps(x[0], x[1]);
    const __m256 cd0 = _mm256_unpacklo_ps(x[2], x[3]), cd1 = _mm256_unpackhi_ps(x[2], x[3]);
    const __m256d p = _mm256_castps_pd(ab0), q = _mm256_castps_pd(cd0);
    const __m256d r = _mm256_castps_pd(ab1), s = _mm256_castps_pd(cd1);

    y[0] = _mm256_castpd_ps(_mm256_unpacklo_pd(p, q));
    y[1] = _mm256_castpd_ps(_mm256_unpackhi_pd(p, q));
    y[2] = _mm256_castpd_ps(_mm256_unpacklo_pd(r, s));
    y[3] = _mm256_castpd_ps(_mm256_unpackhi_pd(r, s));
}

CPU_USES("avx2")
static inline void store_f32(char *out, __m256 x)
{
    _mm256_storeu_ps((float *)(void *)out, x);
}

CPU_USES("avx512f")
static inline void spread_f32(char *out, __m256 x)
{
    const __m512i places = _mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
    const __m512 both = _mm512_permutexvar_ps(places, _mm512_castps256_ps512(x));

    _mm512_mask_storeu_ps(out, 0x5555, both);
}

/* Loads two f64 of row r and, into the upper half, two of row r + 2. */
CPU_USES("avx2")
static inline __m256d load_pairs(const char *in, ptrdiff_t step, int r)
{
    const __m128d low = _mm_loadu_pd((const double *)(const void *)(in + r * step));
    const __m128d high = _mm_loadu_pd((const double *)(const void *)(in + (r + 2) * step));

    return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
}

/* The same for every second number; reads three of a row. */
CPU_USES("avx2")
static inline __m256d pick_pairs(const char *in, ptrdiff_t step, int r)
{
    const __m256d low = load_pairs(in, step, r);
    const __m256d high = load_pairs(in + (ptrdiff_t)sizeof(double), step, r);

    return _mm256_shuffle_pd(low, high, 10);
}

CPU_USES("avx2")
static inline void transpose_f64(const __m256d x[2], __m256d y[2])
{
    y[0] = _mm256_unpacklo_pd(x[0], x[1]);
    y[1] = _mm256_unpackhi_pd(x[0], x[1]);
}

CPU_USES("avx2")
static inline void store_f64(char *out, __m256d x)
{
    _mm256_storeu_pd((double *)(void *)out, x);
}

CPU_USES("avx512f")
static inline void spread_f64(char *out, __m256d x)
{
    const __m512i places = _mm512_setr_epi64(0, 0, 1, 1, 2, 2, 3, 3);
    const __m512d both = _mm512_permutexvar_pd(places, _mm512_castpd256_pd512(x));

    _mm512_mask_storeu_pd(out, 0x55, both);
}

/* Squares of half the height, for few rows. */
CPU_USES("avx2")
static inline __m128 load_four(const char *in, ptrdiff_t step, int r)
{
    return _mm_loadu_ps((const float *)(const void *)(in + r * step));
}

CPU_USES("avx2")
static inline void transpose_four(const __m128 x[FOUR], __m128 y[FOUR])
{
    for (int r = 0; r < FOUR; r++)
        y[r] = x[r];
    _MM_TRANSPOSE4_PS(y[0], y[1], y[2], y[3]);
}

CPU_USES("avx2")
static inline void store_four(char *out, __m128 x)
{
    _mm_storeu_ps((float *)(void *)out, x);
}

CPU_USES("avx2")
static inline __m128d load_two(const char *in, ptrdiff_t step, int r)
{
    return _mm_loadu_pd((const double *)(const void *)(in + r * step));
}

CPU_USES("avx2")
static inline void transpose_two(const __m128d x[2], __m128d y[2])
{
    y[0] = _mm_unpacklo_pd(x[0], x[1]);
    y[1] = _mm_unpackhi_pd(x[0], x[1]);
}

CPU_USES("avx2")
static inline void store_two(char *out, __m128d x)
{
    _mm_storeu_pd((double *)(void *)out, x);
}

/* Complex f64: one number of two rows at a time. */
typedef __m128d complex_f64;

CPU_USES("avx2")
static inline __m256d load_complex(const char *in, ptrdiff_t step, int r)
{
    const __m128d low = _mm_loadu_pd((const double *)(const void *)(in + r * step));
    const __m128d high = _mm_loadu_pd((const double *)(const void *)(in + (r + 1) * step));

    return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), high, 1);
}

CPU_USES("avx2")
static inline void transpose_complex(const __m256d x[1], __m256d y[1])
{
    y[0] = x[0];
}

/* Single numbers. */
static inline void one_float(const char *in, char *out, bool negate)
{
    float x;

    memcpy(&x, in, sizeof x);
    x = negate ? -x : x;
    memcpy(out, &x, sizeof x);
}

static inline void one_double(const char *in, char *out, bool negate)
{
    double x;

    memcpy(&x, in, sizeof x);
    x = negate ? -x : x;
    memcpy(out, &x, sizeof x);
}

static inline void one_complex_f64(const char *in, char *out, bool negate)
{
    one_double(in, out, negate);
    one_double(in + sizeof(double), out + sizeof(double), negate);
}

/* Defines SQUARE, which transposes WIDTH vectors VECTOR. */
#define SQUARE(uses, square, vector, width, sign, xor, load, transpose, store)                     \
    CPU_USES(uses)                                                                                 \
    static inline void square(const char *in, char *out, ptrdiff_t in_step, ptrdiff_t out_step,    \
                              bool negate)                                                         \
    {                                                                                              \
        const vector signs = sign(negate ? -0.0 : 0.0);                                            \
        vector x[width], y[width];                                                                 \
        for (int r = 0; r < (width); r++)                                                          \
            x[r] = load(in, in_step, r);                                                           \
        transpose(x, y);                                                                           \
        for (int k = 0; k < (width); k++)                                                          \
            store(out + k * out_step, xor(y[k], signs));                                           \
    }

/* Defines NAME, for numbers of TYPE, which transposes in squares of HEIGHT rows and WIDTH columns.
 * The distances of adjacent numbers are IN_APART and OUT_APART numbers. FEWER handles fewer rows or
 * columns. */
#define TRANSPOSER(uses, name, type, height, width, square, in_apart, out_apart, fewer)            \
    CPU_USES(uses)                                                                                 \
    static void name(const char *in, char *out, ptrdiff_t in_step, ptrdiff_t out_step,             \
                     int64_t rows, int64_t count, bool negate)                                     \
    {                                                                                              \
        const ptrdiff_t from = (in_apart) * (ptrdiff_t)sizeof(type);                               \
        const ptrdiff_t to = (out_apart) * (ptrdiff_t)sizeof(type);                                \
        if (rows < (height) || count < (width)) {                                                  \
            fewer(in, out, in_step, out_step, rows, count, negate);                                \
            return;                                                                                \
        }                                                                                          \
        for (int64_t k0 = 0; k0 < count; k0 += COLUMNS) {                                          \
            const int64_t end = k0 + COLUMNS < count ? k0 + COLUMNS : count;                       \
            for (int64_t row = 0; row < rows; row += (height)) {                                   \
                const int64_t r = row + (height) <= rows ? row : rows - (height);                  \
                for (int64_t at = k0; at < end; at += (width)) {                                   \
                    const int64_t k = at + (width) <= count ? at : count - (width);                \
                    square(in + r * in_step + k * from, out + k * out_step + r * to, in_step,      \
                           out_step, negate);                                                      \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }

/* Defines NAME, which moves number by number. */
#define SINGLE(name, type, in_apart, out_apart)                                                    \
    static void name(const char *in, char *out, ptrdiff_t in_step, ptrdiff_t out_step,             \
                     int64_t rows, int64_t count, bool negate)                                     \
    {                                                                                              \
        const ptrdiff_t size = sizeof(type);                                                       \
        for (int64_t r = 0; r < rows; r++)                                                         \
            for (int64_t k = 0; k < count; k++)                                                    \
                one_##type(in + r * in_step + k * (in_apart)*size,                                 \
                           out + k * out_step + r * (out_apart)*size, negate);                     \
    }

/* Defines all functions of a type: squares have HEIGHT rows, of few rows WIDTH, and WIDTH
 * columns. */
#define TRANSPOSERS(t, type, vector, height, width, sign, xor, load, pick)                         \
    SQUARE("avx2", square_##t, vector, width, sign, xor, load, transpose_##t, store_##t)           \
    SQUARE("avx2", picked_##t, vector, width, sign, xor, pick, transpose_##t, store_##t)           \
    SQUARE("avx512f", spread_square_##t, vector, width, sign, xor, load, transpose_##t,            \
           spread_##t)                                                                             \
    SINGLE(single_##t, type, 1, 1)                                                                 \
    SINGLE(single_of_every_other_##t, type, 2, 1)                                                  \
    SINGLE(single_to_every_other_##t, type, 1, 2)                                                  \
    TRANSPOSER("avx2", few_##t, type, width, width, small_##t, 1, 1, single_##t)                   \
    TRANSPOSER("avx2", rows_##t, type, height, width, square_##t, 1, 1, few_##t)                   \
    TRANSPOSER("avx2", rows_of_every_other_##t, type, height, width, picked_##t, 2, 1,             \
               single_of_every_other_##t)                                                          \
    TRANSPOSER("avx512f", rows_to_every_other_##t, type, height, width, spread_square_##t, 1, 2,   \
               single_to_every_other_##t)

SQUARE("avx2", small_f32, __m128, FOUR, _mm_set1_ps, _mm_xor_ps, load_four, transpose_four,
       store_four)
SQUARE("avx2", small_f64, __m128d, 2, _mm_set1_pd, _mm_xor_pd, load_two, transpose_two, store_two)
TRANSPOSERS(f32, float, __m256, EIGHT, FOUR, _mm256_set1_ps, _mm256_xor_ps, load_halves,
            pick_halves)
TRANSPOSERS(f64, double, __m256d, FOUR, 2, _mm256_set1_pd, _mm256_xor_pd, load_pairs, pick_pairs)

SQUARE("avx2", square_complex, __m256d, 1, _mm256_set1_pd, _mm256_xor_pd, load_complex,
       transpose_complex, store_f64)
SINGLE(single_complex, complex_f64, 1, 1)
TRANSPOSER("avx2", rows_complex, complex_f64, 2, 1, square_complex, 1, 1, single_complex)

/* By size: numbers of 4, 8 and 16 bytes. */
enum { SIZES = 3 };
static cpu_transpose_fn *const transposers[CPU_TRANSPOSED][SIZES] = {
    [CPU_ADJACENT] = {rows_f32, rows_f64, rows_complex},
    [CPU_EVERY_OTHER_IN] = {rows_of_every_other_f32, rows_of_every_other_f64},
    [CPU_EVERY_OTHER_OUT] = {rows_to_every_other_f32, rows_to_every_other_f64}};
#endif

cpu_transpose_fn *cpu_transposer(core_isa isa, size_t bytes, cpu_transposed how)
{
#ifdef __x86_64__
    const core_isa least = how == CPU_EVERY_OTHER_OUT ? CORE_ISA_AVX512 : CORE_ISA_AVX2;

    for (int i = 0; i < SIZES && isa >= least; i++)
        if (bytes == sizeof(float) << i)
            return transposers[how][i];
#endif
    (void)isa;
    (void)bytes;
    (void)how;
    return NULL;
}
