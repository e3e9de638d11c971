// SPDX-License-Identifier: BSD-3-Clause
/* The vector vocabulary of generated codelets on AVX-512: f32x16, the f64x8 of vec_f64_avx512.h and
 * the shorter ones of vec_avx2.h, which also describes the vocabulary. Merging masks are two-input
 * permutations without an index register. */
#ifndef CPU_VEC_AVX512_H
#define CPU_VEC_AVX512_H

#include "backends/cpu/isa/vec_f64_avx512.h"

typedef __m512 f32x16;
typedef struct f32x16_index {
    __m512i lane;
    ptrdiff_t stride;
} f32x16_index;

/* Loads a line of 64 bytes into L1; harmless after the end of an array. */
VEC_FN void prefetch(const char *p)
{
    _mm_prefetch(p, _MM_HINT_T0);
}

/* ---- f32x16 ---- */
VEC_FN f32x16 f32x16_load(const void *p)
{
    return _mm512_loadu_ps(p);
}
VEC_FN void f32x16_store(void *p, f32x16 a)
{
    _mm512_storeu_ps(p, a);
}
VEC_FN void f32x16_stream(void *p, f32x16 a)
{
    _mm512_stream_ps((float *)p, a);
}
VEC_FN f32x16 f32x16_set1(float a)
{
    return _mm512_set1_ps(a);
}
VEC_FN f32x16 f32x16_dup(const void *p)
{
    return _mm512_set1_ps(*(const float *)p);
}
VEC_FN f32x16 f32x16_even(const void *p)
{
    return _mm512_moveldup_ps(_mm512_loadu_ps(p));
}
VEC_FN f32x16 f32x16_odd(const void *p)
{
    return _mm512_movehdup_ps(_mm512_loadu_ps(p));
}
VEC_FN f32x16 f32x16_add(f32x16 a, f32x16 b)
{
    return _mm512_add_ps(a, b);
}
VEC_FN f32x16 f32x16_sub(f32x16 a, f32x16 b)
{
    return _mm512_sub_ps(a, b);
}
VEC_FN f32x16 f32x16_mul(f32x16 a, f32x16 b)
{
    return _mm512_mul_ps(a, b);
}
VEC_FN f32x16 f32x16_fma(f32x16 a, f32x16 b, f32x16 c)
{
    return _mm512_fmadd_ps(a, b, c);
}
VEC_FN f32x16 f32x16_fnma(f32x16 a, f32x16 b, f32x16 c)
{
    return _mm512_fnmadd_ps(a, b, c);
}
VEC_FN f32x16 f32x16_fms(f32x16 a, f32x16 b, f32x16 c)
{
    return _mm512_fmsub_ps(a, b, c);
}
VEC_FN f32x16 f32x16_fnms(f32x16 a, f32x16 b, f32x16 c)
{
    return _mm512_fnmsub_ps(a, b, c);
}
VEC_FN f32x16 f32x16_fmaddsub(f32x16 a, f32x16 b, f32x16 c)
{
    return _mm512_fmaddsub_ps(a, b, c);
}
VEC_FN f32x16 f32x16_swap(f32x16 a)
{
    return _mm512_permute_ps(a, 0xB1);
}
VEC_FN f32x16 f32x16_lo32(f32x16 a, f32x16 b)
{
    return _mm512_mask_moveldup_ps(a, 0xAAAA, b);
}
VEC_FN f32x16 f32x16_hi32(f32x16 a, f32x16 b)
{
    return _mm512_mask_movehdup_ps(b, 0x5555, a);
}
VEC_FN f32x16 f32x16_lo64(f32x16 a, f32x16 b)
{
    return _mm512_shuffle_ps(a, b, 0x44);
}
VEC_FN f32x16 f32x16_hi64(f32x16 a, f32x16 b)
{
    return _mm512_shuffle_ps(a, b, 0xEE);
}
VEC_FN f32x16 f32x16_lo128(f32x16 a, f32x16 b)
{
    return _mm512_castpd_ps(f64x8_lo128(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}
VEC_FN f32x16 f32x16_hi128(f32x16 a, f32x16 b)
{
    return _mm512_castpd_ps(f64x8_hi128(_mm512_castps_pd(a), _mm512_castps_pd(b)));
}
VEC_FN f32x16 f32x16_lo256(f32x16 a, f32x16 b)
{
    return _mm512_shuffle_f32x4(a, b, 0x44);
}
VEC_FN f32x16 f32x16_hi256(f32x16 a, f32x16 b)
{
    return _mm512_shuffle_f32x4(a, b, 0xEE);
}
VEC_FN f32x16 f32x16_blend(f32x16 a, f32x16 b, unsigned doubles)
{
    return _mm512_castpd_ps(f64x8_blend(_mm512_castps_pd(a), _mm512_castps_pd(b), doubles));
}
VEC_FN f32x16 f32x16_rotate1(f32x16 a)
{
    const __m512i x = _mm512_castps_si512(a);
    return _mm512_castsi512_ps(_mm512_alignr_epi64(x, x, 1));
}
VEC_FN f32x16 f32x16_rotate2(f32x16 a)
{
    const __m512i x = _mm512_castps_si512(a);
    return _mm512_castsi512_ps(_mm512_alignr_epi64(x, x, 2));
}
VEC_FN f32x16 f32x16_rotate3(f32x16 a)
{
    const __m512i x = _mm512_castps_si512(a);
    return _mm512_castsi512_ps(_mm512_alignr_epi64(x, x, 3));
}
VEC_FN f32x16 f32x16_zip_lo(f32x16 a, f32x16 b)
{
    const __m512i order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    return _mm512_permutex2var_ps(a, order, b);
}
VEC_FN f32x16 f32x16_zip_hi(f32x16 a, f32x16 b)
{
    const __m512i order =
        _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    return _mm512_permutex2var_ps(a, order, b);
}
VEC_FN f32x16 f32x16_unzip_even(f32x16 a, f32x16 b)
{
    const __m512i order =
        _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_ps(a, order, b);
}
VEC_FN f32x16 f32x16_unzip_odd(f32x16 a, f32x16 b)
{
    const __m512i order =
        _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    return _mm512_permutex2var_ps(a, order, b);
}
VEC_FN f32x16 f32x16_unzip_even_back(f32x16 a, f32x16 b)
{
    const __m512i order =
        _mm512_setr_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    return _mm512_permutex2var_ps(a, order, b);
}
VEC_FN f32x16 f32x16_unzip_odd_back(f32x16 a, f32x16 b)
{
    const __m512i order =
        _mm512_setr_epi32(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
    return _mm512_permutex2var_ps(a, order, b);
}
VEC_FN f32x16 f32x16_zip_lo_back(f32x16 a, f32x16 b)
{
    const __m512i order =
        _mm512_setr_epi32(15, 31, 14, 30, 13, 29, 12, 28, 11, 27, 10, 26, 9, 25, 8, 24);
    return _mm512_permutex2var_ps(a, order, b);
}
VEC_FN f32x16 f32x16_zip_hi_back(f32x16 a, f32x16 b)
{
    const __m512i order = _mm512_setr_epi32(7, 23, 6, 22, 5, 21, 4, 20, 3, 19, 2, 18, 1, 17, 0, 16);
    return _mm512_permutex2var_ps(a, order, b);
}
VEC_FN f32x16 f32x16_weave_lo(f32x16 a, f32x16 b)
{
    const __m512i order = _mm512_setr_epi32(0, 31, 1, 30, 2, 29, 3, 28, 4, 27, 5, 26, 6, 25, 7, 24);
    return _mm512_permutex2var_ps(a, order, b);
}
VEC_FN f32x16 f32x16_weave_hi(f32x16 a, f32x16 b)
{
    const __m512i order =
        _mm512_setr_epi32(8, 23, 9, 22, 10, 21, 11, 20, 12, 19, 13, 18, 14, 17, 15, 16);
    return _mm512_permutex2var_ps(a, order, b);
}
VEC_FN f32x16 f32x16_backwards(f32x16 a)
{
    const __m512i order = _mm512_setr_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    return _mm512_permutexvar_ps(order, a);
}
VEC_FN f32x16 f32x16_load_join(const void *p, int lanes, const void *q)
{
    const __mmask16 mask = (__mmask16)((1u << lanes) - 1);
    return _mm512_mask_loadu_ps(_mm512_loadu_ps(q), mask, p);
}
VEC_FN f32x16 f32x16_reverse(f32x16 a)
{
    const __m512i order = _mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    return _mm512_castpd_ps(_mm512_permutexvar_pd(order, _mm512_castps_pd(a)));
}
VEC_FN f32x16 f32x16_mirror(f32x16 a, f32x16 b)
{
    const __m512i order = _mm512_setr_epi64(8, 7, 6, 5, 4, 3, 2, 1);
    return _mm512_castpd_ps(
        _mm512_permutex2var_pd(_mm512_castps_pd(a), order, _mm512_castps_pd(b)));
}
VEC_FN f32x16 f32x16_real_first(f32x16 a)
{
    return _mm512_maskz_mov_ps(0xFFFD, a);
}
VEC_FN f32x16 f32x16_rotate4(f32x16 a)
{
    const __m512i x = _mm512_castps_si512(a);
    return _mm512_castsi512_ps(_mm512_alignr_epi64(x, x, 4));
}
VEC_FN f32x16 f32x16_rotate5(f32x16 a)
{
    const __m512i x = _mm512_castps_si512(a);
    return _mm512_castsi512_ps(_mm512_alignr_epi64(x, x, 5));
}
VEC_FN f32x16 f32x16_rotate6(f32x16 a)
{
    const __m512i x = _mm512_castps_si512(a);
    return _mm512_castsi512_ps(_mm512_alignr_epi64(x, x, 6));
}
VEC_FN f32x16 f32x16_rotate7(f32x16 a)
{
    const __m512i x = _mm512_castps_si512(a);
    return _mm512_castsi512_ps(_mm512_alignr_epi64(x, x, 7));
}
VEC_FN f32x16 f32x16_flip64(f32x16 a)
{
    return _mm512_castpd_ps(f64x8_flip64(_mm512_castps_pd(a)));
}
VEC_FN f32x16 f32x16_flip128(f32x16 a)
{
    return _mm512_castpd_ps(f64x8_flip128(_mm512_castps_pd(a)));
}
VEC_FN f32x16 f32x16_even4(f32x16 a)
{
    return _mm512_castpd_ps(_mm512_permutex_pd(_mm512_castps_pd(a), 0x88));
}
VEC_FN f32x16 f32x16_odd4(f32x16 a)
{
    const __m512i order = _mm512_setr_epi32(2, 3, 7, 6, 2, 3, 7, 6, 10, 11, 15, 14, 10, 11, 15, 14);
    return _mm512_permutexvar_ps(order, a);
}
VEC_FN f32x16 f32x16_join(f32x8 low, f32x8 high)
{
    return _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
}
VEC_FN f32x8 f32x8_low_half(f32x16 a)
{
    return _mm512_castps512_ps256(a);
}
VEC_FN f32x8 f32x8_high_half(f32x16 a)
{
    return _mm512_extractf32x8_ps(a, 1);
}
VEC_FN f32x16 f32x16_load_segments2(const void *p, const void *q)
{
    return f32x16_join(f32x8_load(p), f32x8_load(q));
}
VEC_FN void f32x16_store_segments2(f32x16 a, void *p, void *q)
{
    f32x8_store(p, _mm512_castps512_ps256(a));
    f32x8_store(q, _mm512_extractf32x8_ps(a, 1));
}
VEC_FN f32x16 f32x16_load_segments4(const void *p, const void *q, const void *r, const void *s)
{
    return f32x16_join(f32x8_load_segments2(p, q), f32x8_load_segments2(r, s));
}
VEC_FN void f32x16_store_segments4(f32x16 a, void *p, void *q, void *r, void *s)
{
    _mm_storeu_ps((float *)p, _mm512_castps512_ps128(a));
    _mm_storeu_ps((float *)q, _mm512_extractf32x4_ps(a, 1));
    _mm_storeu_ps((float *)r, _mm512_extractf32x4_ps(a, 2));
    _mm_storeu_ps((float *)s, _mm512_extractf32x4_ps(a, 3));
}
VEC_FN f32x16 f32x16_load_segments8(const void *p, const void *q, const void *r, const void *s,
                                    const void *t, const void *u, const void *v, const void *w)
{
    return f32x16_join(f32x8_load_segments4(p, q, r, s), f32x8_load_segments4(t, u, v, w));
}
VEC_FN void f32x16_store_segments8(f32x16 a, void *p, void *q, void *r, void *s, void *t, void *u,
                                   void *v, void *w)
{
    f32x8_store_segments4(_mm512_castps512_ps256(a), p, q, r, s);
    f32x8_store_segments4(_mm512_extractf32x8_ps(a, 1), t, u, v, w);
}
VEC_FN f32x16 f32x16_load_part(const void *p, int lanes)
{
    return _mm512_maskz_loadu_ps((__mmask16)((1u << 2 * lanes) - 1), p);
}
VEC_FN void f32x16_store_part(void *p, int lanes, f32x16 a)
{
    _mm512_mask_storeu_ps(p, (__mmask16)((1u << 2 * lanes) - 1), a);
}
VEC_FN void f32x16_store_end(void *p, int lanes, f32x16 a)
{
    const f32x8 low = _mm512_castps512_ps256(a);
    if (lanes < 4)
        f32x8_store_part(p, lanes, low);
    else
        f32x8_store(p, low);
    if (lanes > 4)
        f32x8_store_part((float *)p + 8, lanes - 4, _mm512_extractf32x8_ps(a, 1));
}
VEC_FN f32x16 f32x16_load_split(const void *re, const void *im)
{
    const __m512i order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    return _mm512_permutex2var_ps(_mm512_castps256_ps512(f32x8_load(re)), order,
                                  _mm512_castps256_ps512(f32x8_load(im)));
}
VEC_FN void f32x16_store_split(void *re, void *im, f32x16 a)
{
    const __m512i order = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15);
    f32x16_store_segments2(_mm512_permutexvar_ps(order, a), re, im);
}
VEC_FN f32x16 f32x16_load_split_part(const void *re, const void *im, int lanes)
{
    const __m512i order = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const __mmask8 mask = (__mmask8)((1u << lanes) - 1);
    return _mm512_permutex2var_ps(_mm512_castps256_ps512(_mm256_maskz_loadu_ps(mask, re)), order,
                                  _mm512_castps256_ps512(_mm256_maskz_loadu_ps(mask, im)));
}
VEC_FN void f32x16_store_split_part(void *re, void *im, int lanes, f32x16 a)
{
    const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 0, 2, 4, 6, 8, 10, 12, 14);
    const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 1, 3, 5, 7, 9, 11, 13, 15);
    const __mmask16 mask = (__mmask16)((1u << lanes) - 1);
    if (lanes == 4) {
        f32x8_store_split(re, im, _mm512_castps512_ps256(a));
    } else if (lanes < 4 && lanes != 3) {
        f32x8_store_split_part(re, im, lanes, _mm512_castps512_ps256(a));
    } else {
        _mm512_mask_storeu_ps(re, mask, _mm512_permutexvar_ps(even, a));
        _mm512_mask_storeu_ps(im, mask, _mm512_permutexvar_ps(odd, a));
    }
}
VEC_FN f32x16_index f32x16_lanes(ptrdiff_t s)
{
    return (f32x16_index){f64x8_lanes(s).lane, s};
}
VEC_FN f32x16 f32x16_gather(const void *p, f32x16_index at)
{
    const float *low = (const float *)p, *high = low + 8 * at.stride;
    return f32x16_join(_mm512_i64gather_ps(at.lane, low, 4), _mm512_i64gather_ps(at.lane, high, 4));
}
VEC_FN void f32x16_scatter(void *p, f32x16_index at, f32x16 a)
{
    float *low = (float *)p, *high = low + 8 * at.stride;
    _mm512_i64scatter_ps(low, at.lane, _mm512_castps512_ps256(a), 4);
    _mm512_i64scatter_ps(high, at.lane, _mm512_extractf32x8_ps(a, 1), 4);
}

#endif
