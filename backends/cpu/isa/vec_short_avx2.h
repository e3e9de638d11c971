// SPDX-License-Identifier: BSD-3-Clause
/* Short vectors of AVX2 and FMA: f32x2, f32x4 and f64x2. vec_avx2.h describes the vocabulary. */
#ifndef CPU_VEC_SHORT_AVX2_H
#define CPU_VEC_SHORT_AVX2_H

#include <immintrin.h>

#define VEC_FN static inline __attribute__((always_inline, unused))

typedef __m128 f32x4;
typedef __m128 f32x2; /* the upper half is unused */
typedef __m128d f64x2;

/* ---- f32x2 ---- */
VEC_FN f32x2 f32x2_add(f32x2 a, f32x2 b)
{
    return _mm_add_ps(a, b);
}
VEC_FN f32x2 f32x2_sub(f32x2 a, f32x2 b)
{
    return _mm_sub_ps(a, b);
}
VEC_FN f32x2 f32x2_mul(f32x2 a, f32x2 b)
{
    return _mm_mul_ps(a, b);
}
VEC_FN f32x2 f32x2_fma(f32x2 a, f32x2 b, f32x2 c)
{
    return _mm_fmadd_ps(a, b, c);
}
VEC_FN f32x2 f32x2_fnma(f32x2 a, f32x2 b, f32x2 c)
{
    return _mm_fnmadd_ps(a, b, c);
}
VEC_FN f32x2 f32x2_fmaddsub(f32x2 a, f32x2 b, f32x2 c)
{
    return _mm_fmaddsub_ps(a, b, c);
}
VEC_FN f32x2 f32x2_set1(float a)
{
    return _mm_set1_ps(a);
}
VEC_FN f32x2 f32x2_swap(f32x2 a)
{
    return _mm_permute_ps(a, 0xB1);
}
VEC_FN f32x2 f32x2_reverse(f32x2 a)
{
    return a;
}
VEC_FN f32x2 f32x2_mirror(f32x2 a, f32x2 b)
{
    (void)a;
    return b;
}
VEC_FN f32x2 f32x2_real_first(f32x2 a)
{
    return _mm_blend_ps(a, _mm_setzero_ps(), 0x02);
}
VEC_FN f32x2 f32x2_load(const void *p)
{
    return _mm_castpd_ps(_mm_load_sd((const double *)p));
}
VEC_FN void f32x2_store(void *p, f32x2 a)
{
    _mm_storel_pi((__m64 *)p, a);
}

VEC_FN f32x2 f32x2_load_split(const void *re, const void *im)
{
    return _mm_unpacklo_ps(_mm_load_ss((const float *)re), _mm_load_ss((const float *)im));
}
VEC_FN void f32x2_store_split(void *re, void *im, f32x2 a)
{
    _mm_store_ss((float *)re, a);
    _mm_store_ss((float *)im, _mm_movehdup_ps(a));
}

/* ---- f32x4 ---- */
VEC_FN f32x4 f32x4_add(f32x4 a, f32x4 b)
{
    return _mm_add_ps(a, b);
}
VEC_FN f32x4 f32x4_sub(f32x4 a, f32x4 b)
{
    return _mm_sub_ps(a, b);
}
VEC_FN f32x4 f32x4_mul(f32x4 a, f32x4 b)
{
    return _mm_mul_ps(a, b);
}
VEC_FN f32x4 f32x4_fma(f32x4 a, f32x4 b, f32x4 c)
{
    return _mm_fmadd_ps(a, b, c);
}
VEC_FN f32x4 f32x4_fnma(f32x4 a, f32x4 b, f32x4 c)
{
    return _mm_fnmadd_ps(a, b, c);
}
VEC_FN f32x4 f32x4_fmaddsub(f32x4 a, f32x4 b, f32x4 c)
{
    return _mm_fmaddsub_ps(a, b, c);
}
VEC_FN f32x4 f32x4_set1(float a)
{
    return _mm_set1_ps(a);
}
VEC_FN f32x4 f32x4_swap(f32x4 a)
{
    return _mm_permute_ps(a, 0xB1);
}
VEC_FN f32x4 f32x4_load(const void *p)
{
    return _mm_loadu_ps((const float *)p);
}
VEC_FN void f32x4_store(void *p, f32x4 a)
{
    _mm_storeu_ps((float *)p, a);
}
VEC_FN f32x4 f32x4_load_part(const void *p, int lanes)
{
    (void)lanes; /* 1 */
    return f32x2_load(p);
}
VEC_FN void f32x4_store_part(void *p, int lanes, f32x4 a)
{
    (void)lanes; /* 1 */
    f32x2_store(p, a);
}
VEC_FN f32x4 f32x4_load_split(const void *re, const void *im)
{
    return _mm_unpacklo_ps(f32x2_load(re), f32x2_load(im));
}
VEC_FN void f32x4_store_split(void *re, void *im, f32x4 a)
{
    const f32x4 apart = _mm_permute_ps(a, 0xD8);
    _mm_storel_pi((__m64 *)re, apart);
    _mm_storeh_pi((__m64 *)im, apart);
}
VEC_FN f32x4 f32x4_load_split_part(const void *re, const void *im, int lanes)
{
    (void)lanes; /* 1 */
    return f32x2_load_split(re, im);
}
VEC_FN void f32x4_store_split_part(void *re, void *im, int lanes, f32x4 a)
{
    (void)lanes; /* 1 */
    f32x2_store_split(re, im, a);
}
VEC_FN f32x4 f32x4_lo64(f32x4 a, f32x4 b)
{
    return _mm_movelh_ps(a, b);
}
VEC_FN f32x4 f32x4_hi64(f32x4 a, f32x4 b)
{
    return _mm_movehl_ps(b, a);
}
VEC_FN f32x4 f32x4_reverse(f32x4 a)
{
    return _mm_shuffle_ps(a, a, 0x4E);
}
VEC_FN f32x4 f32x4_mirror(f32x4 a, f32x4 b)
{
    return _mm_blend_ps(a, b, 0x03);
}
VEC_FN f32x4 f32x4_real_first(f32x4 a)
{
    return _mm_blend_ps(a, _mm_setzero_ps(), 0x02);
}
VEC_FN f32x4 f32x4_load_segments2(const void *p, const void *q)
{
    return _mm_loadh_pi(_mm_loadl_pi(_mm_setzero_ps(), (const __m64 *)p), (const __m64 *)q);
}
VEC_FN void f32x4_store_segments2(f32x4 a, void *p, void *q)
{
    _mm_storel_pi((__m64 *)p, a);
    _mm_storeh_pi((__m64 *)q, a);
}

/* ---- f64x2 ---- */
VEC_FN f64x2 f64x2_add(f64x2 a, f64x2 b)
{
    return _mm_add_pd(a, b);
}
VEC_FN f64x2 f64x2_sub(f64x2 a, f64x2 b)
{
    return _mm_sub_pd(a, b);
}
VEC_FN f64x2 f64x2_mul(f64x2 a, f64x2 b)
{
    return _mm_mul_pd(a, b);
}
VEC_FN f64x2 f64x2_fma(f64x2 a, f64x2 b, f64x2 c)
{
    return _mm_fmadd_pd(a, b, c);
}
VEC_FN f64x2 f64x2_fnma(f64x2 a, f64x2 b, f64x2 c)
{
    return _mm_fnmadd_pd(a, b, c);
}
VEC_FN f64x2 f64x2_fmaddsub(f64x2 a, f64x2 b, f64x2 c)
{
    return _mm_fmaddsub_pd(a, b, c);
}
VEC_FN f64x2 f64x2_set1(double a)
{
    return _mm_set1_pd(a);
}
VEC_FN f64x2 f64x2_swap(f64x2 a)
{
    return _mm_permute_pd(a, 0x1);
}
VEC_FN f64x2 f64x2_reverse(f64x2 a)
{
    return a;
}
VEC_FN f64x2 f64x2_mirror(f64x2 a, f64x2 b)
{
    (void)a;
    return b;
}
VEC_FN f64x2 f64x2_real_first(f64x2 a)
{
    return _mm_blend_pd(a, _mm_setzero_pd(), 0x02);
}
VEC_FN f64x2 f64x2_load(const void *p)
{
    return _mm_loadu_pd((const double *)p);
}
VEC_FN void f64x2_store(void *p, f64x2 a)
{
    _mm_storeu_pd((double *)p, a);
}
VEC_FN f64x2 f64x2_load_split(const void *re, const void *im)
{
    return _mm_loadh_pd(_mm_load_sd((const double *)re), (const double *)im);
}
VEC_FN void f64x2_store_split(void *re, void *im, f64x2 a)
{
    _mm_storel_pd((double *)re, a);
    _mm_storeh_pd((double *)im, a);
}

#endif
