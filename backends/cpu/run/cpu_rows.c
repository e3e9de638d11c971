// SPDX-License-Identifier: BSD-3-Clause
/* Rows are often short: a call of memmove for each would take longer than the copying. */
#include "backends/cpu/run/cpu_rows.h"

#include "backends/cpu/run/cpu_slice.h"

/* Longer rows gain nothing from a loop of their own. Rows are multiples of PIECE bytes. */
enum { LONGEST = 4096, PIECE = 16 };

#ifdef __x86_64__
#include <immintrin.h>

/* The sign bits of the second of every two scalars. */
static inline __m128i signs_of(size_t scalar)
{
    return scalar == sizeof(float)    ? _mm_setr_epi32(0, INT32_MIN, 0, INT32_MIN)
           : scalar == sizeof(double) ? _mm_setr_epi32(0, 0, 0, INT32_MIN)
                                      : _mm_setzero_si128();
}

/* Defines NAME, a copy in vectors VECTOR of WIDTH bytes. */
#define COPIER(uses, name, vector, width, spread, load, xor, store)                                \
    CPU_USES(uses)                                                                                 \
    static void name(const char *in, char *out, ptrdiff_t in_step, ptrdiff_t out_step,             \
                     int64_t rows, size_t bytes, size_t scalar)                                    \
    {                                                                                              \
        const __m128i piece = signs_of(scalar);                                                    \
        const vector signs = spread(piece);                                                        \
        for (int64_t r = 0; r < rows; r++, in += in_step, out += out_step) {                       \
            size_t k = 0;                                                                          \
            for (; k + (width) <= bytes; k += (width))                                             \
                store((void *)(out + k), xor(load((const void *)(in + k)), signs));                \
            for (; k < bytes; k += PIECE) {                                                        \
                const __m128i x = _mm_loadu_si128((const void *)(in + k));                         \
                _mm_storeu_si128((void *)(out + k), _mm_xor_si128(x, piece));                      \
            }                                                                                      \
        }                                                                                          \
    }

COPIER("avx2", copy_avx2, __m256i, 32, _mm256_broadcastsi128_si256, _mm256_loadu_si256,
       _mm256_xor_si256, _mm256_storeu_si256)
COPIER("avx512f", copy_avx512, __m512i, 64, _mm512_broadcast_i32x4, _mm512_loadu_si512,
       _mm512_xor_si512, _mm512_storeu_si512)
#endif

/* The first of the bytes that rows span, and the byte after the last. */
static uintptr_t begin_of(const char *at, ptrdiff_t step, int64_t rows)
{
    return (uintptr_t)(step < 0 ? at + (rows - 1) * step : at);
}

static uintptr_t end_of(const char *at, ptrdiff_t step, int64_t rows, size_t bytes)
{
    return (uintptr_t)(step < 0 ? at : at + (rows - 1) * step) + bytes;
}

bool cpu_copy_rows(core_isa isa, const char *in, char *out, ptrdiff_t in_step, ptrdiff_t out_step,
                   int64_t rows, size_t bytes, size_t scalar)
{
    const bool apart = end_of(in, in_step, rows, bytes) <= begin_of(out, out_step, rows)
                       || end_of(out, out_step, rows, bytes) <= begin_of(in, in_step, rows);

    if (rows < 1 || bytes % PIECE != 0 || bytes > LONGEST || !apart)
        return false;
#ifdef __x86_64__
    if (isa >= CORE_ISA_AVX2) {
        (isa == CORE_ISA_AVX512 ? copy_avx512 : copy_avx2)(in, out, in_step, out_step, rows, bytes,
                                                           scalar);
        return true;
    }
#endif
    (void)isa;
    (void)scalar;
    return false;
}
