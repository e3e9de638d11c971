// SPDX-License-Identifier: BSD-3-Clause
/* The vector vocabulary of generated codelets, without vectors: one complex number at a time.
 *
 * fNNx2 is a complex number (interleaved compute), fNNx1 (vec_parts.h) one of its parts (split
 * compute). See vec_avx2.h for the vocabulary. */
#ifndef CPU_VEC_SCALAR_H
#define CPU_VEC_SCALAR_H

#include "backends/cpu/isa/vec_parts.h"

typedef struct f32x2 {
    float re, im;
} f32x2;
typedef struct f64x2 {
    double re, im;
} f64x2;

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
