// SPDX-License-Identifier: BSD-3-Clause
/* Double precision on AVX-512: f64x8. vec_avx2.h describes the vocabulary. */
#ifndef CPU_VEC_F64_AVX512_H
#define CPU_VEC_F64_AVX512_H

#include "backends/cpu/isa/vec_avx2.h"

typedef __m512d f64x8;
typedef struct f64x8_index {
    __m512i lane;
    ptrdiff_t stride;
} f64x8_index;

VEC_FN f64x8 f64x8_load(const void *p)
{
    return _mm512_loadu_pd(p);
}
VEC_FN void f64x8_store(void *p, f64x8 a)
{
    _mm512_storeu_pd(p, a);
}
VEC_FN void f64x8_stream(void *p, f64x8 a)
{
    _mm512_stream_pd((double *)p, a);
}
VEC_FN f64x8 f64x8_set1(double a)
{
    return _mm512_set1_pd(a);
}
VEC_FN f64x8 f64x8_dup(const void *p)
{
    return _mm512_set1_pd(*(const double *)p);
}
VEC_FN f64x8 f64x8_even(const void *p)
{
    return _mm512_movedup_pd(_mm512_loadu_pd(p));
}
VEC_FN f64x8 f64x8_odd(const void *p)
{
    return _mm512_permute_pd(_mm512_loadu_pd(p), 0xFF);
}
VEC_FN f64x8 f64x8_add(f64x8 a, f64x8 b)
{
    return _mm512_add_pd(a, b);
}
VEC_FN f64x8 f64x8_sub(f64x8 a, f64x8 b)
{
    return _mm512_sub_pd(a, b);
}
VEC_FN f64x8 f64x8_mul(f64x8 a, f64x8 b)
{
    return _mm512_mul_pd(a, b);
}
VEC_FN f64x8 f64x8_fma(f64x8 a, f64x8 b, f64x8 c)
{
    return _mm512_fmadd_pd(a, b, c);
}
VEC_FN f64x8 f64x8_fnma(f64x8 a, f64x8 b, f64x8 c)
{
    return _mm512_fnmadd_pd(a, b, c);
}
VEC_FN f64x8 f64x8_fms(f64x8 a, f64x8 b, f64x8 c)
{
    return _mm512_fmsub_pd(a, b, c);
}
VEC_FN f64x8 f64x8_fnms(f64x8 a, f64x8 b, f64x8 c)
{
    return _mm512_fnmsub_pd(a, b, c);
}
VEC_FN f64x8 f64x8_fmaddsub(f64x8 a, f64x8 b, f64x8 c)
{
    return _mm512_fmaddsub_pd(a, b, c);
}
VEC_FN f64x8 f64x8_swap(f64x8 a)
{
    return _mm512_permute_pd(a, 0x55);
}
VEC_FN f64x8 f64x8_lo64(f64x8 a, f64x8 b)
{
    return _mm512_unpacklo_pd(a, b);
}
VEC_FN f64x8 f64x8_hi64(f64x8 a, f64x8 b)
{
    return _mm512_unpackhi_pd(a, b);
}
VEC_FN f64x8 f64x8_lo128(f64x8 a, f64x8 b)
{
    return _mm512_mask_permutex_pd(a, 0xCC, b, 0x40);
}
VEC_FN f64x8 f64x8_hi128(f64x8 a, f64x8 b)
{
    return _mm512_mask_permutex_pd(b, 0x33, a, 0x0E);
}
VEC_FN f64x8 f64x8_lo256(f64x8 a, f64x8 b)
{
    return _mm512_shuffle_f64x2(a, b, 0x44);
}
VEC_FN f64x8 f64x8_hi256(f64x8 a, f64x8 b)
{
    return _mm512_shuffle_f64x2(a, b, 0xEE);
}
VEC_FN f64x8 f64x8_blend(f64x8 a, f64x8 b, unsigned doubles)
{
    return _mm512_mask_blend_pd((__mmask8)doubles, a, b);
}
VEC_FN f64x8 f64x8_rotate1(f64x8 a)
{
    return _mm512_shuffle_f64x2(a, a, 0x39);
}
VEC_FN f64x8 f64x8_rotate2(f64x8 a)
{
    return _mm512_shuffle_f64x2(a, a, 0x4E);
}
VEC_FN f64x8 f64x8_rotate3(f64x8 a)
{
    return _mm512_shuffle_f64x2(a, a, 0x93);
}
VEC_FN f64x8 f64x8_zip_lo(f64x8 a, f64x8 b)
{
    const __m512i order = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    return _mm512_permutex2var_pd(a, order, b);
}
VEC_FN f64x8 f64x8_zip_hi(f64x8 a, f64x8 b)
{
    const __m512i order = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    return _mm512_permutex2var_pd(a, order, b);
}
VEC_FN f64x8 f64x8_unzip_even(f64x8 a, f64x8 b)
{
    const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
    return _mm512_permutex2var_pd(a, order, b);
}
VEC_FN f64x8 f64x8_unzip_odd(f64x8 a, f64x8 b)
{
    const __m512i order = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
    return _mm512_permutex2var_pd(a, order, b);
}
VEC_FN f64x8 f64x8_unzip_even_back(f64x8 a, f64x8 b)
{
    const __m512i order = _mm512_setr_epi64(14, 12, 10, 8, 6, 4, 2, 0);
    return _mm512_permutex2var_pd(a, order, b);
}
VEC_FN f64x8 f64x8_unzip_odd_back(f64x8 a, f64x8 b)
{
    const __m512i order = _mm512_setr_epi64(15, 13, 11, 9, 7, 5, 3, 1);
    return _mm512_permutex2var_pd(a, order, b);
}
VEC_FN f64x8 f64x8_zip_lo_back(f64x8 a, f64x8 b)
{
    const __m512i order = _mm512_setr_epi64(7, 15, 6, 14, 5, 13, 4, 12);
    return _mm512_permutex2var_pd(a, order, b);
}
VEC_FN f64x8 f64x8_zip_hi_back(f64x8 a, f64x8 b)
{
    const __m512i order = _mm512_setr_epi64(3, 11, 2, 10, 1, 9, 0, 8);
    return _mm512_permutex2var_pd(a, order, b);
}
VEC_FN f64x8 f64x8_weave_lo(f64x8 a, f64x8 b)
{
    const __m512i order = _mm512_setr_epi64(0, 15, 1, 14, 2, 13, 3, 12);
    return _mm512_permutex2var_pd(a, order, b);
}
VEC_FN f64x8 f64x8_weave_hi(f64x8 a, f64x8 b)
{
    const __m512i order = _mm512_setr_epi64(4, 11, 5, 10, 6, 9, 7, 8);
    return _mm512_permutex2var_pd(a, order, b);
}
VEC_FN f64x8 f64x8_backwards(f64x8 a)
{
    const __m512i order = _mm512_setr_epi64(7, 6, 5, 4, 3, 2, 1, 0);
    return _mm512_permutexvar_pd(order, a);
}
VEC_FN f64x8 f64x8_load_join(const void *p, int lanes, const void *q)
{
    const __mmask8 mask = (__mmask8)((1u << lanes) - 1);
    return _mm512_mask_loadu_pd(_mm512_loadu_pd(q), mask, p);
}
VEC_FN f64x8 f64x8_reverse(f64x8 a)
{
    return _mm512_shuffle_f64x2(a, a, 0x1B);
}
VEC_FN f64x8 f64x8_mirror(f64x8 a, f64x8 b)
{
    const __m512i order = _mm512_setr_epi64(8, 9, 6, 7, 4, 5, 2, 3);
    return _mm512_permutex2var_pd(a, order, b);
}
VEC_FN f64x8 f64x8_real_first(f64x8 a)
{
    return _mm512_maskz_mov_pd(0xFD, a);
}
VEC_FN f64x8 f64x8_flip64(f64x8 a)
{
    return _mm512_permute_pd(a, 0x55);
}
VEC_FN f64x8 f64x8_flip128(f64x8 a)
{
    return _mm512_permutex_pd(a, 0x4E);
}
VEC_FN f64x8 f64x8_flip256(f64x8 a)
{
    return _mm512_shuffle_f64x2(a, a, 0x4E);
}
VEC_FN f64x8 f64x8_even4(f64x8 a)
{
    return _mm512_shuffle_f64x2(a, a, 0x88);
}
VEC_FN f64x8 f64x8_odd4(f64x8 a)
{
    return _mm512_permutexvar_pd(_mm512_setr_epi64(2, 3, 7, 6, 2, 3, 7, 6), a);
}
VEC_FN f64x8 f64x8_load_segments2(const void *p, const void *q)
{
    return _mm512_insertf64x4(_mm512_castpd256_pd512(f64x4_load(p)), f64x4_load(q), 1);
}
VEC_FN void f64x8_store_segments2(f64x8 a, void *p, void *q)
{
    f64x4_store(p, _mm512_castpd512_pd256(a));
    f64x4_store(q, _mm512_extractf64x4_pd(a, 1));
}
VEC_FN f64x8 f64x8_load_segments4(const void *p, const void *q, const void *r, const void *s)
{
    return _mm512_insertf64x4(_mm512_castpd256_pd512(f64x4_load_segments2(p, q)),
                              f64x4_load_segments2(r, s), 1);
}
VEC_FN void f64x8_store_segments4(f64x8 a, void *p, void *q, void *r, void *s)
{
    _mm_storeu_pd((double *)p, _mm512_castpd512_pd128(a));
    _mm_storeu_pd((double *)q, _mm512_extractf64x2_pd(a, 1));
    _mm_storeu_pd((double *)r, _mm512_extractf64x2_pd(a, 2));
    _mm_storeu_pd((double *)s, _mm512_extractf64x2_pd(a, 3));
}
VEC_FN f64x8 f64x8_load_part(const void *p, int lanes)
{
    return _mm512_maskz_loadu_pd((__mmask8)((1u << 2 * lanes) - 1), p);
}
VEC_FN void f64x8_store_part(void *p, int lanes, f64x8 a)
{
    _mm512_mask_storeu_pd(p, (__mmask8)((1u << 2 * lanes) - 1), a);
}
VEC_FN void f64x8_store_end(void *p, int lanes, f64x8 a)
{
    const f64x4 low = _mm512_castpd512_pd256(a);
    if (lanes == 1)
        f64x2_store(p, _mm256_castpd256_pd128(low));
    else
        f64x4_store(p, low);
    if (lanes == 3)
        f64x2_store((double *)p + 4, _mm512_extractf64x2_pd(a, 2));
}
VEC_FN f64x8 f64x8_load_split(const void *re, const void *im)
{
    const __m512i order = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    return _mm512_permutex2var_pd(_mm512_castpd256_pd512(f64x4_load(re)), order,
                                  _mm512_castpd256_pd512(f64x4_load(im)));
}
VEC_FN void f64x8_store_split(void *re, void *im, f64x8 a)
{
    const __m512i order = _mm512_setr_epi64(0, 2, 4, 6, 1, 3, 5, 7);
    f64x8_store_segments2(_mm512_permutexvar_pd(order, a), re, im);
}
VEC_FN f64x8 f64x8_load_split_part(const void *re, const void *im, int lanes)
{
    const __m512i order = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    const __mmask8 mask = (__mmask8)((1u << lanes) - 1);
    return _mm512_permutex2var_pd(_mm512_castpd256_pd512(_mm256_maskz_loadu_pd(mask, re)), order,
                                  _mm512_castpd256_pd512(_mm256_maskz_loadu_pd(mask, im)));
}
/* Lanes that fill a shorter vector are stored as one. Otherwise re and im are two permutations, not
 * halves of one: the compiler would merge a half and its masked store into one instruction, which
 * faults on inaccessible memory even if its lanes are masked out. */
VEC_FN void f64x8_store_split_part(void *re, void *im, int lanes, f64x8 a)
{
    const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 0, 2, 4, 6);
    const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 1, 3, 5, 7);
    const __mmask8 mask = (__mmask8)((1u << lanes) - 1);
    if (lanes == 1) {
        f64x2_store_split(re, im, _mm512_castpd512_pd128(a));
    } else if (lanes == 2) {
        f64x4_store_split(re, im, _mm512_castpd512_pd256(a));
    } else {
        _mm512_mask_storeu_pd(re, mask, _mm512_permutexvar_pd(even, a));
        _mm512_mask_storeu_pd(im, mask, _mm512_permutexvar_pd(odd, a));
    }
}
VEC_FN f64x8_index f64x8_lanes(ptrdiff_t s)
{
    return (f64x8_index){_mm512_setr_epi64(0, s, 2 * s, 3 * s, 4 * s, 5 * s, 6 * s, 7 * s), s};
}
VEC_FN f64x8 f64x8_gather(const void *p, f64x8_index at)
{
    return _mm512_i64gather_pd(at.lane, p, 8);
}
VEC_FN void f64x8_scatter(void *p, f64x8_index at, f64x8 a)
{
    _mm512_i64scatter_pd(p, at.lane, a, 8);
}

#endif
