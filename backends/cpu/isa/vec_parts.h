// SPDX-License-Identifier: BSD-3-Clause
/* One part (re or im) of complex numbers as a vector of one scalar, in plain C. fma means a*b + c;
 * it is fused only if the compiler reports that fused ones are fast. The functions of reproducible
 * plans (fused_) round once on any processor, as those of vectors do: without an instruction for it
 * the C library computes them. vec_avx2.h describes the vocabulary. */
#ifndef CPU_VEC_PARTS_H
#define CPU_VEC_PARTS_H

#include <stddef.h>

#define VEC_FN static inline __attribute__((always_inline, unused))

typedef float f32x1;
typedef double f64x1;
typedef struct f32x1_index {
    ptrdiff_t stride;
} f32x1_index;
typedef struct f64x1_index {
    ptrdiff_t stride;
} f64x1_index;

/* ---- f32x1 ---- */
VEC_FN f32x1 f32x1_load(const void *p)
{
    return *(const float *)p;
}
VEC_FN void f32x1_store(void *p, f32x1 a)
{
    *(float *)p = a;
}
VEC_FN f32x1 f32x1_set1(float a)
{
    return a;
}
VEC_FN f32x1 f32x1_dup(const void *p)
{
    return *(const float *)p;
}
VEC_FN f32x1 f32x1_add(f32x1 a, f32x1 b)
{
    return a + b;
}
VEC_FN f32x1 f32x1_sub(f32x1 a, f32x1 b)
{
    return a - b;
}
VEC_FN f32x1 f32x1_mul(f32x1 a, f32x1 b)
{
    return a * b;
}
#ifdef __FP_FAST_FMAF
VEC_FN f32x1 f32x1_fma(f32x1 a, f32x1 b, f32x1 c)
{
    return __builtin_fmaf(a, b, c);
}
VEC_FN f32x1 f32x1_fnma(f32x1 a, f32x1 b, f32x1 c)
{
    return __builtin_fmaf(-a, b, c);
}
#else
VEC_FN f32x1 f32x1_fma(f32x1 a, f32x1 b, f32x1 c)
{
    return a * b + c;
}
VEC_FN f32x1 f32x1_fnma(f32x1 a, f32x1 b, f32x1 c)
{
    return c - a * b;
}
#endif
VEC_FN f32x1 f32x1_fms(f32x1 a, f32x1 b, f32x1 c)
{
    return f32x1_fma(a, b, -c);
}
VEC_FN f32x1 f32x1_fnms(f32x1 a, f32x1 b, f32x1 c)
{
    return f32x1_fnma(a, b, -c);
}
VEC_FN f32x1 f32x1_zip_lo(f32x1 a, f32x1 b)
{
    (void)b;
    return a;
}
VEC_FN f32x1 f32x1_zip_hi(f32x1 a, f32x1 b)
{
    (void)a;
    return b;
}
VEC_FN f32x1 f32x1_zip_lo_back(f32x1 a, f32x1 b)
{
    (void)b;
    return a;
}
VEC_FN f32x1 f32x1_zip_hi_back(f32x1 a, f32x1 b)
{
    (void)a;
    return b;
}
VEC_FN f32x1 f32x1_unzip_even(f32x1 a, f32x1 b)
{
    (void)b;
    return a;
}
VEC_FN f32x1 f32x1_unzip_odd(f32x1 a, f32x1 b)
{
    (void)a;
    return b;
}
VEC_FN f32x1 f32x1_unzip_even_back(f32x1 a, f32x1 b)
{
    (void)b;
    return a;
}
VEC_FN f32x1 f32x1_unzip_odd_back(f32x1 a, f32x1 b)
{
    (void)a;
    return b;
}
VEC_FN f32x1 f32x1_weave_lo(f32x1 a, f32x1 b)
{
    (void)b;
    return a;
}
VEC_FN f32x1 f32x1_weave_hi(f32x1 a, f32x1 b)
{
    (void)a;
    return b;
}
VEC_FN f32x1_index f32x1_lanes(ptrdiff_t stride)
{
    return (f32x1_index){stride};
}
VEC_FN f32x1 f32x1_gather(const void *p, f32x1_index at)
{
    (void)at;
    return f32x1_load(p);
}
VEC_FN void f32x1_scatter(void *p, f32x1_index at, f32x1 a)
{
    (void)at;
    f32x1_store(p, a);
}

/* ---- f64x1 ---- */
VEC_FN f64x1 f64x1_load(const void *p)
{
    return *(const double *)p;
}
VEC_FN void f64x1_store(void *p, f64x1 a)
{
    *(double *)p = a;
}
VEC_FN f64x1 f64x1_set1(double a)
{
    return a;
}
VEC_FN f64x1 f64x1_dup(const void *p)
{
    return *(const double *)p;
}
VEC_FN f64x1 f64x1_add(f64x1 a, f64x1 b)
{
    return a + b;
}
VEC_FN f64x1 f64x1_sub(f64x1 a, f64x1 b)
{
    return a - b;
}
VEC_FN f64x1 f64x1_mul(f64x1 a, f64x1 b)
{
    return a * b;
}
#ifdef __FP_FAST_FMA
VEC_FN f64x1 f64x1_fma(f64x1 a, f64x1 b, f64x1 c)
{
    return __builtin_fma(a, b, c);
}
VEC_FN f64x1 f64x1_fnma(f64x1 a, f64x1 b, f64x1 c)
{
    return __builtin_fma(-a, b, c);
}
#else
VEC_FN f64x1 f64x1_fma(f64x1 a, f64x1 b, f64x1 c)
{
    return a * b + c;
}
VEC_FN f64x1 f64x1_fnma(f64x1 a, f64x1 b, f64x1 c)
{
    return c - a * b;
}
#endif
VEC_FN f64x1 f64x1_fms(f64x1 a, f64x1 b, f64x1 c)
{
    return f64x1_fma(a, b, -c);
}
VEC_FN f64x1 f64x1_fnms(f64x1 a, f64x1 b, f64x1 c)
{
    return f64x1_fnma(a, b, -c);
}
VEC_FN f64x1 f64x1_zip_lo(f64x1 a, f64x1 b)
{
    (void)b;
    return a;
}
VEC_FN f64x1 f64x1_zip_hi(f64x1 a, f64x1 b)
{
    (void)a;
    return b;
}
VEC_FN f64x1 f64x1_zip_lo_back(f64x1 a, f64x1 b)
{
    (void)b;
    return a;
}
VEC_FN f64x1 f64x1_zip_hi_back(f64x1 a, f64x1 b)
{
    (void)a;
    return b;
}
VEC_FN f64x1 f64x1_unzip_even(f64x1 a, f64x1 b)
{
    (void)b;
    return a;
}
VEC_FN f64x1 f64x1_unzip_odd(f64x1 a, f64x1 b)
{
    (void)a;
    return b;
}
VEC_FN f64x1 f64x1_unzip_even_back(f64x1 a, f64x1 b)
{
    (void)b;
    return a;
}
VEC_FN f64x1 f64x1_unzip_odd_back(f64x1 a, f64x1 b)
{
    (void)a;
    return b;
}
VEC_FN f64x1 f64x1_weave_lo(f64x1 a, f64x1 b)
{
    (void)b;
    return a;
}
VEC_FN f64x1 f64x1_weave_hi(f64x1 a, f64x1 b)
{
    (void)a;
    return b;
}
VEC_FN f64x1_index f64x1_lanes(ptrdiff_t stride)
{
    return (f64x1_index){stride};
}
VEC_FN f64x1 f64x1_gather(const void *p, f64x1_index at)
{
    (void)at;
    return f64x1_load(p);
}
VEC_FN void f64x1_scatter(void *p, f64x1_index at, f64x1 a)
{
    (void)at;
    f64x1_store(p, a);
}

/* ---- rounded once ---- */

#if defined(__FMA__) || defined(__FP_FAST_FMA)
#define VEC_FUSED inline __attribute__((always_inline, unused))
#else /* calls the C library from one function, not inlined in thousands of places */
#define VEC_FUSED __attribute__((noinline, unused))
#endif

static VEC_FUSED f32x1 f32x1_fused_fma(f32x1 a, f32x1 b, f32x1 c)
{
    return __builtin_fmaf(a, b, c);
}
static VEC_FUSED f32x1 f32x1_fused_fnma(f32x1 a, f32x1 b, f32x1 c)
{
    return __builtin_fmaf(-a, b, c);
}
static VEC_FUSED f32x1 f32x1_fused_fms(f32x1 a, f32x1 b, f32x1 c)
{
    return __builtin_fmaf(a, b, -c);
}
static VEC_FUSED f32x1 f32x1_fused_fnms(f32x1 a, f32x1 b, f32x1 c)
{
    return __builtin_fmaf(-a, b, -c);
}
static VEC_FUSED f64x1 f64x1_fused_fma(f64x1 a, f64x1 b, f64x1 c)
{
    return __builtin_fma(a, b, c);
}
static VEC_FUSED f64x1 f64x1_fused_fnma(f64x1 a, f64x1 b, f64x1 c)
{
    return __builtin_fma(-a, b, c);
}
static VEC_FUSED f64x1 f64x1_fused_fms(f64x1 a, f64x1 b, f64x1 c)
{
    return __builtin_fma(a, b, -c);
}
static VEC_FUSED f64x1 f64x1_fused_fnms(f64x1 a, f64x1 b, f64x1 c)
{
    return __builtin_fma(-a, b, -c);
}

#endif
