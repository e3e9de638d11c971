// SPDX-License-Identifier: BSD-3-Clause
/* The vector vocabulary of generated codelets, without vectors: one complex number at a time.
 *
 * fNNx2 is a complex number (interleaved compute), fNNx1 one of its parts (split compute). fma
 * means a*b + c; it is fused only if the compiler reports that a fused one is fast. See
 * vec_avx2.h for the vocabulary. */
#ifndef CPU_VEC_SCALAR_H
#define CPU_VEC_SCALAR_H

#include <stddef.h>

#define VEC_FN static inline __attribute__((always_inline, unused))

typedef float f32x1;
typedef double f64x1;
typedef struct f32x2 {
    float re, im;
} f32x2;
typedef struct f64x2 {
    double re, im;
} f64x2;
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

/* ---- f32x2 ---- */
VEC_FN f32x2 f32x2_load(const void *p)
{
    const float *at = (const float *)p;
    return (f32x2){at[0], at[1]};
}
VEC_FN void f32x2_store(void *p, f32x2 a)
{
    float *at = (float *)p;
    at[0] = a.re;
    at[1] = a.im;
}
VEC_FN f32x2 f32x2_load_split(const void *re, const void *im)
{
    return (f32x2){f32x1_load(re), f32x1_load(im)};
}
VEC_FN void f32x2_store_split(void *re, void *im, f32x2 a)
{
    f32x1_store(re, a.re);
    f32x1_store(im, a.im);
}
VEC_FN f32x2 f32x2_set1(float a)
{
    return (f32x2){a, a};
}
VEC_FN f32x2 f32x2_dup(const void *p)
{
    return f32x2_set1(*(const float *)p);
}
VEC_FN f32x2 f32x2_even(const void *p)
{
    return f32x2_set1(((const float *)p)[0]);
}
VEC_FN f32x2 f32x2_odd(const void *p)
{
    return f32x2_set1(((const float *)p)[1]);
}
VEC_FN f32x2 f32x2_swap(f32x2 a)
{
    return (f32x2){a.im, a.re};
}
VEC_FN f32x2 f32x2_add(f32x2 a, f32x2 b)
{
    return (f32x2){a.re + b.re, a.im + b.im};
}
VEC_FN f32x2 f32x2_sub(f32x2 a, f32x2 b)
{
    return (f32x2){a.re - b.re, a.im - b.im};
}
VEC_FN f32x2 f32x2_mul(f32x2 a, f32x2 b)
{
    return (f32x2){a.re * b.re, a.im * b.im};
}
VEC_FN f32x2 f32x2_fma(f32x2 a, f32x2 b, f32x2 c)
{
    return (f32x2){f32x1_fma(a.re, b.re, c.re), f32x1_fma(a.im, b.im, c.im)};
}
VEC_FN f32x2 f32x2_fnma(f32x2 a, f32x2 b, f32x2 c)
{
    return (f32x2){f32x1_fnma(a.re, b.re, c.re), f32x1_fnma(a.im, b.im, c.im)};
}
VEC_FN f32x2 f32x2_fmaddsub(f32x2 a, f32x2 b, f32x2 c)
{
    return (f32x2){f32x1_fma(a.re, b.re, -c.re), f32x1_fma(a.im, b.im, c.im)};
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
    return (f32x2){a.re, 0};
}

/* ---- f64x2 ---- */
VEC_FN f64x2 f64x2_load(const void *p)
{
    const double *at = (const double *)p;
    return (f64x2){at[0], at[1]};
}
VEC_FN void f64x2_store(void *p, f64x2 a)
{
    double *at = (double *)p;
    at[0] = a.re;
    at[1] = a.im;
}
VEC_FN f64x2 f64x2_load_split(const void *re, const void *im)
{
    return (f64x2){f64x1_load(re), f64x1_load(im)};
}
VEC_FN void f64x2_store_split(void *re, void *im, f64x2 a)
{
    f64x1_store(re, a.re);
    f64x1_store(im, a.im);
}
VEC_FN f64x2 f64x2_set1(double a)
{
    return (f64x2){a, a};
}
VEC_FN f64x2 f64x2_dup(const void *p)
{
    return f64x2_set1(*(const double *)p);
}
VEC_FN f64x2 f64x2_even(const void *p)
{
    return f64x2_set1(((const double *)p)[0]);
}
VEC_FN f64x2 f64x2_odd(const void *p)
{
    return f64x2_set1(((const double *)p)[1]);
}
VEC_FN f64x2 f64x2_swap(f64x2 a)
{
    return (f64x2){a.im, a.re};
}
VEC_FN f64x2 f64x2_add(f64x2 a, f64x2 b)
{
    return (f64x2){a.re + b.re, a.im + b.im};
}
VEC_FN f64x2 f64x2_sub(f64x2 a, f64x2 b)
{
    return (f64x2){a.re - b.re, a.im - b.im};
}
VEC_FN f64x2 f64x2_mul(f64x2 a, f64x2 b)
{
    return (f64x2){a.re * b.re, a.im * b.im};
}
VEC_FN f64x2 f64x2_fma(f64x2 a, f64x2 b, f64x2 c)
{
    return (f64x2){f64x1_fma(a.re, b.re, c.re), f64x1_fma(a.im, b.im, c.im)};
}
VEC_FN f64x2 f64x2_fnma(f64x2 a, f64x2 b, f64x2 c)
{
    return (f64x2){f64x1_fnma(a.re, b.re, c.re), f64x1_fnma(a.im, b.im, c.im)};
}
VEC_FN f64x2 f64x2_fmaddsub(f64x2 a, f64x2 b, f64x2 c)
{
    return (f64x2){f64x1_fma(a.re, b.re, -c.re), f64x1_fma(a.im, b.im, c.im)};
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
    return (f64x2){a.re, 0};
}

#endif
