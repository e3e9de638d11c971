// SPDX-License-Identifier: BSD-3-Clause
/* Codelets of 128 bits next to longer vectors. Adds to f32x4 and f64x2 of vec_short_avx2.h, which
 * serve as parts of longer vectors, what vectors of their own need. vec_avx2.h and vec_vec128.h
 * describe the vocabulary. */
#ifndef CPU_VEC_FMA128_H
#define CPU_VEC_FMA128_H

#include <stddef.h>

#include "backends/cpu/isa/vec_short_avx2.h"

/* ---- f32x4 ---- */
VEC_FN f32x4 f32x4_load_aligned(const void *p)
{
    return _mm_load_ps((const float *)p);
}
VEC_FN f32x4 f32x4_dup(const void *p)
{
    return _mm_broadcast_ss((const float *)p);
}
VEC_FN f32x4 f32x4_even(const void *p)
{
    return _mm_moveldup_ps(f32x4_load(p));
}
VEC_FN f32x4 f32x4_odd(const void *p)
{
    return _mm_movehdup_ps(f32x4_load(p));
}
VEC_FN f32x4 f32x4_fms(f32x4 a, f32x4 b, f32x4 c)
{
    return _mm_fmsub_ps(a, b, c);
}
VEC_FN f32x4 f32x4_fnms(f32x4 a, f32x4 b, f32x4 c)
{
    return _mm_fnmsub_ps(a, b, c);
}
VEC_FN f32x4 f32x4_lo32(f32x4 a, f32x4 b)
{
    return _mm_blend_ps(a, _mm_moveldup_ps(b), 0xA);
}
VEC_FN f32x4 f32x4_hi32(f32x4 a, f32x4 b)
{
    return _mm_blend_ps(_mm_movehdup_ps(a), b, 0xA);
}
VEC_FN f32x4 f32x4_zip_lo(f32x4 a, f32x4 b)
{
    return _mm_unpacklo_ps(a, b);
}
VEC_FN f32x4 f32x4_zip_hi(f32x4 a, f32x4 b)
{
    return _mm_unpackhi_ps(a, b);
}
VEC_FN f32x4 f32x4_unzip_even(f32x4 a, f32x4 b)
{
    return _mm_shuffle_ps(a, b, 0x88);
}
VEC_FN f32x4 f32x4_unzip_odd(f32x4 a, f32x4 b)
{
    return _mm_shuffle_ps(a, b, 0xDD);
}

/* ---- f64x2 ---- */
VEC_FN f64x2 f64x2_load_aligned(const void *p)
{
    return _mm_load_pd((const double *)p);
}
VEC_FN f64x2 f64x2_dup(const void *p)
{
    return _mm_loaddup_pd((const double *)p);
}
VEC_FN f64x2 f64x2_even(const void *p)
{
    return f64x2_dup(p);
}
VEC_FN f64x2 f64x2_odd(const void *p)
{
    return f64x2_dup((const double *)p + 1);
}
VEC_FN f64x2 f64x2_fms(f64x2 a, f64x2 b, f64x2 c)
{
    return _mm_fmsub_pd(a, b, c);
}
VEC_FN f64x2 f64x2_fnms(f64x2 a, f64x2 b, f64x2 c)
{
    return _mm_fnmsub_pd(a, b, c);
}
VEC_FN f64x2 f64x2_zip_lo(f64x2 a, f64x2 b)
{
    return _mm_unpacklo_pd(a, b);
}
VEC_FN f64x2 f64x2_zip_hi(f64x2 a, f64x2 b)
{
    return _mm_unpackhi_pd(a, b);
}
VEC_FN f64x2 f64x2_unzip_even(f64x2 a, f64x2 b)
{
    return f64x2_zip_lo(a, b);
}
VEC_FN f64x2 f64x2_unzip_odd(f64x2 a, f64x2 b)
{
    return f64x2_zip_hi(a, b);
}
VEC_FN f64x2 f64x2_load_segments2(const void *p, const void *q)
{
    return _mm_loadh_pd(_mm_load_sd((const double *)p), (const double *)q);
}
VEC_FN void f64x2_store_segments2(f64x2 a, void *p, void *q)
{
    _mm_storel_pd((double *)p, a);
    _mm_storeh_pd((double *)q, a);
}

#endif
