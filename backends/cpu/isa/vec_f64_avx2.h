// SPDX-License-Identifier: BSD-3-Clause
/* Double precision on AVX2 and FMA: f64x4. vec_avx2.h describes the vocabulary. */
#ifndef CPU_VEC_F64_AVX2_H
#define CPU_VEC_F64_AVX2_H

#include <stddef.h>

#include "backends/cpu/isa/vec_short_avx2.h"

typedef __m256d f64x4;
typedef struct f64x4_index {
    __m256i lane;
    ptrdiff_t stride;
} f64x4_index;

VEC_FN f64x4 f64x4_load(const void *p)
{
    return _mm256_loadu_pd((const double *)p);
}
VEC_FN void f64x4_store(void *p, f64x4 a)
{
    _mm256_storeu_pd((double *)p, a);
}
VEC_FN f64x4 f64x4_set1(double a)
{
    return _mm256_set1_pd(a);
}
VEC_FN f64x4 f64x4_dup(const void *p)
{
    return _mm256_broadcast_sd((const double *)p);
}
VEC_FN f64x4 f64x4_even(const void *p)
{
    return _mm256_movedup_pd(_mm256_loadu_pd((const double *)p));
}
VEC_FN f64x4 f64x4_odd(const void *p)
{
    return _mm256_permute_pd(_mm256_loadu_pd((const double *)p), 0xF);
}
VEC_FN f64x4 f64x4_add(f64x4 a, f64x4 b)
{
    return _mm256_add_pd(a, b);
}
VEC_FN f64x4 f64x4_sub(f64x4 a, f64x4 b)
{
    return _mm256_sub_pd(a, b);
}
VEC_FN f64x4 f64x4_mul(f64x4 a, f64x4 b)
{
    return _mm256_mul_pd(a, b);
}
VEC_FN f64x4 f64x4_fma(f64x4 a, f64x4 b, f64x4 c)
{
    return _mm256_fmadd_pd(a, b, c);
}
VEC_FN f64x4 f64x4_fnma(f64x4 a, f64x4 b, f64x4 c)
{
    return _mm256_fnmadd_pd(a, b, c);
}
VEC_FN f64x4 f64x4_fms(f64x4 a, f64x4 b, f64x4 c)
{
    return _mm256_fmsub_pd(a, b, c);
}
VEC_FN f64x4 f64x4_fnms(f64x4 a, f64x4 b, f64x4 c)
{
    return _mm256_fnmsub_pd(a, b, c);
}
VEC_FN f64x4 f64x4_fmaddsub(f64x4 a, f64x4 b, f64x4 c)
{
    return _mm256_fmaddsub_pd(a, b, c);
}
VEC_FN f64x4 f64x4_swap(f64x4 a)
{
    return _mm256_permute_pd(a, 0x5);
}
VEC_FN f64x4 f64x4_lo64(f64x4 a, f64x4 b)
{
    return _mm256_unpacklo_pd(a, b);
}
VEC_FN f64x4 f64x4_hi64(f64x4 a, f64x4 b)
{
    return _mm256_unpackhi_pd(a, b);
}
VEC_FN f64x4 f64x4_lo128(f64x4 a, f64x4 b)
{
    return _mm256_permute2f128_pd(a, b, 0x20);
}
VEC_FN f64x4 f64x4_hi128(f64x4 a, f64x4 b)
{
    return _mm256_permute2f128_pd(a, b, 0x31);
}
VEC_FN f64x4 f64x4_flip128(f64x4 a)
{
    return _mm256_permute4x64_pd(a, 0x4E);
}
VEC_FN f64x4 f64x4_zip_lo(f64x4 a, f64x4 b)
{
    return _mm256_permute2f128_pd(_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b), 0x20);
}
VEC_FN f64x4 f64x4_zip_hi(f64x4 a, f64x4 b)
{
    return _mm256_permute2f128_pd(_mm256_unpacklo_pd(a, b), _mm256_unpackhi_pd(a, b), 0x31);
}
VEC_FN f64x4 f64x4_unzip_even(f64x4 a, f64x4 b)
{
    return _mm256_permute4x64_pd(_mm256_unpacklo_pd(a, b), 0xD8);
}
VEC_FN f64x4 f64x4_unzip_odd(f64x4 a, f64x4 b)
{
    return _mm256_permute4x64_pd(_mm256_unpackhi_pd(a, b), 0xD8);
}
VEC_FN f64x4 f64x4_unzip_even_back(f64x4 a, f64x4 b)
{
    return _mm256_permute4x64_pd(_mm256_unpacklo_pd(b, a), 0x72);
}
VEC_FN f64x4 f64x4_unzip_odd_back(f64x4 a, f64x4 b)
{
    return _mm256_permute4x64_pd(_mm256_unpackhi_pd(b, a), 0x72);
}
VEC_FN f64x4 f64x4_zip_lo_back(f64x4 a, f64x4 b)
{
    return _mm256_permute2f128_pd(_mm256_unpackhi_pd(a, b), _mm256_unpacklo_pd(a, b), 0x31);
}
VEC_FN f64x4 f64x4_zip_hi_back(f64x4 a, f64x4 b)
{
    return _mm256_permute2f128_pd(_mm256_unpackhi_pd(a, b), _mm256_unpacklo_pd(a, b), 0x20);
}
VEC_FN f64x4 f64x4_backwards(f64x4 a)
{
    return _mm256_permute4x64_pd(a, 0x1B);
}
VEC_FN f64x4 f64x4_weave_lo(f64x4 a, f64x4 b)
{
    return f64x4_zip_lo(a, f64x4_backwards(b));
}
VEC_FN f64x4 f64x4_weave_hi(f64x4 a, f64x4 b)
{
    return f64x4_zip_hi(a, f64x4_backwards(b));
}
VEC_FN f64x4 f64x4_load_join(const void *p, int lanes, const void *q)
{
    const __m256i lane = _mm256_setr_epi64x(0, 1, 2, 3);
    const __m256i first = _mm256_cmpgt_epi64(_mm256_set1_epi64x(lanes), lane);
    return _mm256_blendv_pd(f64x4_load(q), f64x4_load(p), _mm256_castsi256_pd(first));
}
VEC_FN f64x4 f64x4_reverse(f64x4 a)
{
    return _mm256_permute2f128_pd(a, a, 0x01);
}
VEC_FN f64x4 f64x4_mirror(f64x4 a, f64x4 b)
{
    return _mm256_blend_pd(a, b, 0x03);
}
VEC_FN f64x4 f64x4_slide(f64x4 a, f64x4 b, int lanes)
{
    (void)lanes; /* one of two */
    return _mm256_permute2f128_pd(a, b, 0x21);
}
VEC_FN f64x4 f64x4_real_first(f64x4 a)
{
    return _mm256_blend_pd(a, _mm256_setzero_pd(), 0x02);
}
VEC_FN f64x4 f64x4_load_segments2(const void *p, const void *q)
{
    const __m128d low = _mm_loadu_pd((const double *)p);
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(low), _mm_loadu_pd((const double *)q), 1);
}
VEC_FN void f64x4_store_segments2(f64x4 a, void *p, void *q)
{
    _mm_storeu_pd((double *)p, _mm256_castpd256_pd128(a));
    _mm_storeu_pd((double *)q, _mm256_extractf128_pd(a, 1));
}
VEC_FN f64x4 f64x4_load_part(const void *p, int lanes)
{
    (void)lanes; /* 1 */
    return _mm256_castpd128_pd256(f64x2_load(p));
}
VEC_FN void f64x4_store_part(void *p, int lanes, f64x4 a)
{
    (void)lanes; /* 1 */
    f64x2_store(p, _mm256_castpd256_pd128(a));
}
VEC_FN f64x4 f64x4_load_split(const void *re, const void *im)
{
    return _mm256_shuffle_pd(_mm256_broadcast_pd((const __m128d *)re),
                             _mm256_broadcast_pd((const __m128d *)im), 0xC);
}
VEC_FN void f64x4_store_split(void *re, void *im, f64x4 a)
{
    f64x4_store_segments2(_mm256_permute4x64_pd(a, 0xD8), re, im);
}
VEC_FN f64x4 f64x4_load_split_part(const void *re, const void *im, int lanes)
{
    (void)lanes; /* 1 */
    return _mm256_castpd128_pd256(f64x2_load_split(re, im));
}
VEC_FN void f64x4_store_split_part(void *re, void *im, int lanes, f64x4 a)
{
    (void)lanes; /* 1 */
    f64x2_store_split(re, im, _mm256_castpd256_pd128(a));
}
VEC_FN f64x4_index f64x4_lanes(ptrdiff_t s)
{
    return (f64x4_index){_mm256_setr_epi64x(0, s, 2 * s, 3 * s), s};
}
VEC_FN f64x4 f64x4_gather(const void *p, f64x4_index at)
{
    return _mm256_i64gather_pd((const double *)p, at.lane, 8);
}
VEC_FN void f64x4_scatter(void *p, f64x4_index at, f64x4 a)
{
    double lane[4], *out = (double *)p;
    _mm256_storeu_pd(lane, a);
    for (int l = 0; l < 4; l++)
        out[l * at.stride] = lane[l];
}

#endif
