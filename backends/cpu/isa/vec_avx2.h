// SPDX-License-Identifier: BSD-3-Clause
/* The vector vocabulary of generated codelets on AVX2 and FMA: f32x8, the f64x4 of vec_f64_avx2.h
 * and the short ones of vec_short_avx2.h.
 *
 *   load, store           any alignment; dup loads one scalar into every lane
 *   even, odd             load pairs and double the first (second) of each
 *   fma, fnma, fmaddsub   a*b + c, c - a*b, a*b -+ c (minus in even lanes)
 *   fms, fnms             a*b - c, -a*b - c
 *   swap                  exchanges the two scalars of every pair: re and im of interleaved data
 *   loB, hiB              of every group of 2B bits: the low (high) B bits of a, then those of b;
 *                         the steps of a transpose of B-bit blocks
 *   flipB                 exchanges the two halves of B bits of every group of 2B bits
 *   even4, odd4           of four complex numbers: 0 2 0 2, and 1 S3 1 S3, S a swap of re and im
 *   zip_lo, zip_hi        a0 b0 a1 b1 ..: the first and the second vector
 *   unzip_even, unzip_odd the reverse: scalars 0 2 4 .., 1 3 5 .. of a, then of b
 *   backwards             reverses the order of scalars; zip_lo_back, zip_hi_back are the zips of a
 *                         and b, each reversed; unzip_even_back, unzip_odd_back are the results of
 *                         unzip, reversed
 *   weave_lo, weave_hi    the zips of a and of b reversed
 *   load_join             the first `lanes` scalars of the first vector, then those of the second
 *   reverse               complex lane l of the result is lane nu-1-l
 *   mirror                lane 0 is that of b, lane l > 0 is lane nu-l of a: the vectors a b as one
 *                         sequence, reversed, from lane 0 of b on
 *   slide                 the vectors a b as one sequence, from complex lane `lanes` on
 *   real_first            a with imaginary part 0 in lane 0
 *   blend                 64-bit lanes of b if their mask bit is set, else of a (AVX-512)
 *   rotateK               complex lane l of the result is lane l + K, cyclically (AVX-512)
 *   load_segmentsN        N segments of a vector from N addresses, N = 2, 4, (8); store_segmentsN
 *                         the reverse
 *   load_part, store_part only the first `lanes` complex lanes; store_end without masks (AVX-512)
 *   load_split            interleaves re and im to a whole vector; store_split the reverse; with
 *                         _part only the first `lanes` complex lanes
 *   lanes, gather, scatter  lane l at p + l*stride scalars */
#ifndef CPU_VEC_AVX2_H
#define CPU_VEC_AVX2_H

#include <stddef.h>

#include "backends/cpu/isa/vec_f64_avx2.h"

typedef __m256 f32x8;
typedef struct f32x8_index {
    __m256i lane;
    ptrdiff_t stride;
} f32x8_index;

/* ---- f32x8 ---- */
VEC_FN f32x8 f32x8_load(const void *p)
{
    return _mm256_loadu_ps((const float *)p);
}
VEC_FN void f32x8_store(void *p, f32x8 a)
{
    _mm256_storeu_ps((float *)p, a);
}
VEC_FN f32x8 f32x8_set1(float a)
{
    return _mm256_set1_ps(a);
}
VEC_FN f32x8 f32x8_dup(const void *p)
{
    return _mm256_broadcast_ss((const float *)p);
}
VEC_FN f32x8 f32x8_even(const void *p)
{
    return _mm256_moveldup_ps(_mm256_loadu_ps((const float *)p));
}
VEC_FN f32x8 f32x8_odd(const void *p)
{
    return _mm256_movehdup_ps(_mm256_loadu_ps((const float *)p));
}
VEC_FN f32x8 f32x8_add(f32x8 a, f32x8 b)
{
    return _mm256_add_ps(a, b);
}
VEC_FN f32x8 f32x8_sub(f32x8 a, f32x8 b)
{
    return _mm256_sub_ps(a, b);
}
VEC_FN f32x8 f32x8_mul(f32x8 a, f32x8 b)
{
    return _mm256_mul_ps(a, b);
}
VEC_FN f32x8 f32x8_fma(f32x8 a, f32x8 b, f32x8 c)
{
    return _mm256_fmadd_ps(a, b, c);
}
VEC_FN f32x8 f32x8_fnma(f32x8 a, f32x8 b, f32x8 c)
{
    return _mm256_fnmadd_ps(a, b, c);
}
VEC_FN f32x8 f32x8_fms(f32x8 a, f32x8 b, f32x8 c)
{
    return _mm256_fmsub_ps(a, b, c);
}
VEC_FN f32x8 f32x8_fnms(f32x8 a, f32x8 b, f32x8 c)
{
    return _mm256_fnmsub_ps(a, b, c);
}
VEC_FN f32x8 f32x8_fmaddsub(f32x8 a, f32x8 b, f32x8 c)
{
    return _mm256_fmaddsub_ps(a, b, c);
}
VEC_FN f32x8 f32x8_swap(f32x8 a)
{
    return _mm256_permute_ps(a, 0xB1);
}
VEC_FN f32x8 f32x8_lo32(f32x8 a, f32x8 b)
{
    return _mm256_blend_ps(a, _mm256_moveldup_ps(b), 0xAA);
}
VEC_FN f32x8 f32x8_hi32(f32x8 a, f32x8 b)
{
    return _mm256_blend_ps(_mm256_movehdup_ps(a), b, 0xAA);
}
VEC_FN f32x8 f32x8_lo64(f32x8 a, f32x8 b)
{
    return _mm256_shuffle_ps(a, b, 0x44);
}
VEC_FN f32x8 f32x8_hi64(f32x8 a, f32x8 b)
{
    return _mm256_shuffle_ps(a, b, 0xEE);
}
VEC_FN f32x8 f32x8_lo128(f32x8 a, f32x8 b)
{
    return _mm256_permute2f128_ps(a, b, 0x20);
}
VEC_FN f32x8 f32x8_hi128(f32x8 a, f32x8 b)
{
    return _mm256_permute2f128_ps(a, b, 0x31);
}
VEC_FN f32x8 f32x8_flip64(f32x8 a)
{
    return _mm256_permute_ps(a, 0x4E);
}
VEC_FN f32x8 f32x8_flip128(f32x8 a)
{
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(a), 0x4E));
}
VEC_FN f32x8 f32x8_even4(f32x8 a)
{
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(a), 0x88));
}
VEC_FN f32x8 f32x8_odd4(f32x8 a)
{
    return _mm256_permutevar8x32_ps(a, _mm256_setr_epi32(2, 3, 7, 6, 2, 3, 7, 6));
}
VEC_FN f32x8 f32x8_zip_lo(f32x8 a, f32x8 b)
{
    return _mm256_permute2f128_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b), 0x20);
}
VEC_FN f32x8 f32x8_zip_hi(f32x8 a, f32x8 b)
{
    return _mm256_permute2f128_ps(_mm256_unpacklo_ps(a, b), _mm256_unpackhi_ps(a, b), 0x31);
}
VEC_FN f32x8 f32x8_unzip_even(f32x8 a, f32x8 b)
{
    return _mm256_castpd_ps(
        _mm256_permute4x64_pd(_mm256_castps_pd(_mm256_shuffle_ps(a, b, 0x88)), 0xD8));
}
VEC_FN f32x8 f32x8_unzip_odd(f32x8 a, f32x8 b)
{
    return _mm256_castpd_ps(
        _mm256_permute4x64_pd(_mm256_castps_pd(_mm256_shuffle_ps(a, b, 0xDD)), 0xD8));
}
VEC_FN f32x8 f32x8_unzip_even_back(f32x8 a, f32x8 b)
{
    return _mm256_castpd_ps(
        _mm256_permute4x64_pd(_mm256_castps_pd(_mm256_shuffle_ps(b, a, 0x22)), 0x72));
}
VEC_FN f32x8 f32x8_unzip_odd_back(f32x8 a, f32x8 b)
{
    return _mm256_castpd_ps(
        _mm256_permute4x64_pd(_mm256_castps_pd(_mm256_shuffle_ps(b, a, 0x77)), 0x72));
}
VEC_FN f32x8 f32x8_zip_lo_back(f32x8 a, f32x8 b)
{
    const __m256 x = _mm256_permute_ps(a, 0x1B), y = _mm256_permute_ps(b, 0x1B);
    return _mm256_permute2f128_ps(_mm256_unpacklo_ps(x, y), _mm256_unpackhi_ps(x, y), 0x31);
}
VEC_FN f32x8 f32x8_zip_hi_back(f32x8 a, f32x8 b)
{
    const __m256 x = _mm256_permute_ps(a, 0x1B), y = _mm256_permute_ps(b, 0x1B);
    return _mm256_permute2f128_ps(_mm256_unpacklo_ps(x, y), _mm256_unpackhi_ps(x, y), 0x20);
}
VEC_FN f32x8 f32x8_backwards(f32x8 a)
{
    return _mm256_permutevar8x32_ps(a, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
}
VEC_FN f32x8 f32x8_weave_lo(f32x8 a, f32x8 b)
{
    return f32x8_zip_lo(a, f32x8_backwards(b));
}
VEC_FN f32x8 f32x8_weave_hi(f32x8 a, f32x8 b)
{
    return f32x8_zip_hi(a, f32x8_backwards(b));
}
VEC_FN f32x8 f32x8_load_join(const void *p, int lanes, const void *q)
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    const __m256i first = _mm256_cmpgt_epi32(_mm256_set1_epi32(lanes), lane);
    return _mm256_blendv_ps(f32x8_load(q), f32x8_load(p), _mm256_castsi256_ps(first));
}
VEC_FN f32x8 f32x8_reverse(f32x8 a)
{
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(a), 0x1B));
}
VEC_FN f32x8 f32x8_mirror(f32x8 a, f32x8 b)
{
    return _mm256_castpd_ps(
        _mm256_permute4x64_pd(_mm256_castps_pd(_mm256_blend_ps(a, b, 0x03)), 0x6C));
}
VEC_FN f32x8 f32x8_slide(f32x8 a, f32x8 b, int lanes)
{
    const __m256d x = _mm256_castps_pd(a), y = _mm256_castps_pd(b);
    const __m256d middle = _mm256_permute2f128_pd(x, y, 0x21);
    return _mm256_castpd_ps(lanes == 1   ? _mm256_shuffle_pd(x, middle, 0x5)
                            : lanes == 2 ? middle
                                         : _mm256_shuffle_pd(middle, y, 0x5));
}
VEC_FN f32x8 f32x8_real_first(f32x8 a)
{
    return _mm256_blend_ps(a, _mm256_setzero_ps(), 0x02);
}
VEC_FN f32x8 f32x8_load_segments2(const void *p, const void *q)
{
    const __m128 low = _mm_loadu_ps((const float *)p);
    return _mm256_insertf128_ps(_mm256_castps128_ps256(low), _mm_loadu_ps((const float *)q), 1);
}
VEC_FN void f32x8_store_segments2(f32x8 a, void *p, void *q)
{
    _mm_storeu_ps((float *)p, _mm256_castps256_ps128(a));
    _mm_storeu_ps((float *)q, _mm256_extractf128_ps(a, 1));
}
VEC_FN f32x8 f32x8_load_segments4(const void *p, const void *q, const void *r, const void *s)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(f32x4_load_segments2(p, q)),
                                f32x4_load_segments2(r, s), 1);
}
VEC_FN void f32x8_store_segments4(f32x8 a, void *p, void *q, void *r, void *s)
{
    f32x4_store_segments2(_mm256_castps256_ps128(a), p, q);
    f32x4_store_segments2(_mm256_extractf128_ps(a, 1), r, s);
}
VEC_FN f32x8 f32x8_load_part(const void *p, int lanes)
{
    const __m256i mask = _mm256_setr_epi64x(-1, lanes > 1 ? -1 : 0, lanes > 2 ? -1 : 0, 0);
    return _mm256_maskload_ps((const float *)p, mask);
}
VEC_FN void f32x8_store_part(void *p, int lanes, f32x8 a)
{
    const __m128 low = _mm256_castps256_ps128(a);
    if (lanes == 1)
        f32x2_store(p, low);
    else
        f32x4_store(p, low);
    if (lanes == 3)
        f32x2_store((float *)p + 4, _mm256_extractf128_ps(a, 1));
}
#ifdef __AVX512VL__
VEC_FN f32x8 f32x8_load_split(const void *re, const void *im)
{
    const __m256i order = _mm256_setr_epi32(0, 8, 1, 9, 2, 10, 3, 11);
    return _mm256_permutex2var_ps(_mm256_castps128_ps256(f32x4_load(re)), order,
                                  _mm256_castps128_ps256(f32x4_load(im)));
}
#else
VEC_FN f32x8 f32x8_load_split(const void *re, const void *im)
{
    const __m256i twice = _mm256_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3);
    const __m256 a = _mm256_broadcast_ps((const __m128 *)re);
    const __m256 b = _mm256_broadcast_ps((const __m128 *)im);
    return _mm256_blend_ps(_mm256_permutevar_ps(a, twice), _mm256_permutevar_ps(b, twice), 0xAA);
}
#endif
VEC_FN void f32x8_store_split(void *re, void *im, f32x8 a)
{
    const __m256i order = _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7);
    f32x8_store_segments2(_mm256_permutevar8x32_ps(a, order), re, im);
}
VEC_FN f32x8 f32x8_load_split_part(const void *re, const void *im, int lanes)
{
    const __m128i mask = _mm_setr_epi32(-1, lanes > 1 ? -1 : 0, lanes > 2 ? -1 : 0, 0);
    const __m128 a = _mm_maskload_ps((const float *)re, mask);
    const __m128 b = _mm_maskload_ps((const float *)im, mask);
    const __m256 low = _mm256_castps128_ps256(_mm_unpacklo_ps(a, b));
    return lanes > 2 ? _mm256_insertf128_ps(low, _mm_unpackhi_ps(a, b), 1) : low;
}
VEC_FN void f32x8_store_split_part(void *re, void *im, int lanes, f32x8 a)
{
    const __m128 low = _mm256_castps256_ps128(a);
    if (lanes == 1)
        f32x2_store_split(re, im, low);
    else
        f32x4_store_split(re, im, low);
    if (lanes == 3)
        f32x2_store_split((float *)re + 2, (float *)im + 2, _mm256_extractf128_ps(a, 1));
}
VEC_FN f32x8_index f32x8_lanes(ptrdiff_t s)
{
    return (f32x8_index){_mm256_setr_epi64x(0, s, 2 * s, 3 * s), s};
}
VEC_FN f32x8 f32x8_gather(const void *p, f32x8_index at)
{
    const float *low = (const float *)p, *high = low + 4 * at.stride;
    const __m128 a = _mm256_i64gather_ps(low, at.lane, 4);
    return _mm256_insertf128_ps(_mm256_castps128_ps256(a), _mm256_i64gather_ps(high, at.lane, 4),
                                1);
}
VEC_FN void f32x8_scatter(void *p, f32x8_index at, f32x8 a)
{
    float lane[8], *out = (float *)p;
    _mm256_storeu_ps(lane, a);
    for (int l = 0; l < 8; l++)
        out[l * at.stride] = lane[l];
}

#endif
