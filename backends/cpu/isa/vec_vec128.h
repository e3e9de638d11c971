// SPDX-License-Identifier: BSD-3-Clause
/* The vector vocabulary of generated codelets on any processor with vectors of 128 bits, by the
 * vector types of the compiler: f32x4; f32x2, the lower half of a vector; and the f64x2 of
 * vec_f64_vec128.h. vec_avx2.h describes the vocabulary. An fma is fused where every processor has
 * one (aarch64), else a product and a sum.
 *
 *   load_aligned          a row of a codelet's table, which is an operand of SSE2's instructions */
#ifndef CPU_VEC_VEC128_H
#define CPU_VEC_VEC128_H

#include "backends/cpu/isa/vec_f64_vec128.h"

typedef VEC_128 float f32x4;
typedef f32x4 f32x2; /* the upper half is unused */
typedef VEC_128 VEC_F32 float f32x4_memory;
typedef VEC_128 VEC_ROW float f32x4_row;
typedef VEC_F32 float f32_memory;
typedef VEC_F32 double f32_pair; /* two floats that are moved together */
typedef VEC_128 int i32x4;       /* the bits of an f32x4 */
typedef struct f32x4_index {
    ptrdiff_t stride;
} f32x4_index;

/* ---- f32x4 ---- */
VEC_FN f32x4 f32x4_load(const void *p)
{
    return *(const f32x4_memory *)p;
}
VEC_FN f32x4 f32x4_load_aligned(const void *p)
{
    return *(const f32x4_row *)p;
}
VEC_FN void f32x4_store(void *p, f32x4 a)
{
    *(f32x4_memory *)p = a;
}
VEC_FN f32x4 f32x4_set1(float a)
{
    return (f32x4){a, a, a, a};
}
VEC_FN f32x4 f32x4_dup(const void *p)
{
    return f32x4_set1(*(const f32_memory *)p);
}
VEC_FN f32x4 f32x4_even(const void *p)
{
    const f32x4 a = f32x4_load(p);
    return __builtin_shufflevector(a, a, 0, 0, 2, 2);
}
VEC_FN f32x4 f32x4_odd(const void *p)
{
    const f32x4 a = f32x4_load(p);
    return __builtin_shufflevector(a, a, 1, 1, 3, 3);
}
VEC_FN f32x4 f32x4_add(f32x4 a, f32x4 b)
{
    return a + b;
}
VEC_FN f32x4 f32x4_sub(f32x4 a, f32x4 b)
{
    return a - b;
}
VEC_FN f32x4 f32x4_mul(f32x4 a, f32x4 b)
{
    return a * b;
}
#ifdef __aarch64__
VEC_FN f32x4 f32x4_fma(f32x4 a, f32x4 b, f32x4 c)
{
    return vfmaq_f32(c, a, b);
}
VEC_FN f32x4 f32x4_fnma(f32x4 a, f32x4 b, f32x4 c)
{
    return vfmsq_f32(c, a, b);
}
#else
VEC_FN f32x4 f32x4_fma(f32x4 a, f32x4 b, f32x4 c)
{
    return a * b + c;
}
VEC_FN f32x4 f32x4_fnma(f32x4 a, f32x4 b, f32x4 c)
{
    return c - a * b;
}
#endif
VEC_FN f32x4 f32x4_fms(f32x4 a, f32x4 b, f32x4 c)
{
    return f32x4_fma(a, b, -c);
}
VEC_FN f32x4 f32x4_fnms(f32x4 a, f32x4 b, f32x4 c)
{
    return f32x4_fnma(a, b, -c);
}
VEC_FN f32x4 f32x4_fmaddsub(f32x4 a, f32x4 b, f32x4 c)
{
    const i32x4 minus = {(int)0x80000000, 0, (int)0x80000000, 0};
    return f32x4_fma(a, b, (f32x4)((i32x4)c ^ minus));
}
VEC_FN f32x4 f32x4_swap(f32x4 a)
{
    return __builtin_shufflevector(a, a, 1, 0, 3, 2);
}
VEC_FN f32x4 f32x4_lo32(f32x4 a, f32x4 b)
{
    return __builtin_shufflevector(a, b, 0, 4, 2, 6);
}
VEC_FN f32x4 f32x4_hi32(f32x4 a, f32x4 b)
{
    return __builtin_shufflevector(a, b, 1, 5, 3, 7);
}
VEC_FN f32x4 f32x4_lo64(f32x4 a, f32x4 b)
{
    return __builtin_shufflevector(a, b, 0, 1, 4, 5);
}
VEC_FN f32x4 f32x4_hi64(f32x4 a, f32x4 b)
{
    return __builtin_shufflevector(a, b, 2, 3, 6, 7);
}
VEC_FN f32x4 f32x4_zip_lo(f32x4 a, f32x4 b)
{
    return __builtin_shufflevector(a, b, 0, 4, 1, 5);
}
VEC_FN f32x4 f32x4_zip_hi(f32x4 a, f32x4 b)
{
    return __builtin_shufflevector(a, b, 2, 6, 3, 7);
}
VEC_FN f32x4 f32x4_unzip_even(f32x4 a, f32x4 b)
{
    return __builtin_shufflevector(a, b, 0, 2, 4, 6);
}
VEC_FN f32x4 f32x4_unzip_odd(f32x4 a, f32x4 b)
{
    return __builtin_shufflevector(a, b, 1, 3, 5, 7);
}
VEC_FN f32x4 f32x4_unzip_even_back(f32x4 a, f32x4 b)
{
    return __builtin_shufflevector(a, b, 6, 4, 2, 0);
}
VEC_FN f32x4 f32x4_unzip_odd_back(f32x4 a, f32x4 b)
{
    return __builtin_shufflevector(a, b, 7, 5, 3, 1);
}
VEC_FN f32x4 f32x4_zip_lo_back(f32x4 a, f32x4 b)
{
    return __builtin_shufflevector(a, b, 3, 7, 2, 6);
}
VEC_FN f32x4 f32x4_zip_hi_back(f32x4 a, f32x4 b)
{
    return __builtin_shufflevector(a, b, 1, 5, 0, 4);
}
VEC_FN f32x4 f32x4_backwards(f32x4 a)
{
    return __builtin_shufflevector(a, a, 3, 2, 1, 0);
}
VEC_FN f32x4 f32x4_weave_lo(f32x4 a, f32x4 b)
{
    return __builtin_shufflevector(a, b, 0, 7, 1, 6);
}
VEC_FN f32x4 f32x4_weave_hi(f32x4 a, f32x4 b)
{
    return __builtin_shufflevector(a, b, 2, 5, 3, 4);
}
VEC_FN f32x4 f32x4_load_join(const void *p, int lanes, const void *q)
{
    const i32x4 lane = {0, 1, 2, 3}, first = lane < lanes;
    return (f32x4)(((i32x4)f32x4_load(p) & first) | ((i32x4)f32x4_load(q) & ~first));
}
VEC_FN f32x4 f32x4_reverse(f32x4 a)
{
    return __builtin_shufflevector(a, a, 2, 3, 0, 1);
}
VEC_FN f32x4 f32x4_mirror(f32x4 a, f32x4 b)
{
    return __builtin_shufflevector(a, b, 4, 5, 2, 3);
}
VEC_FN f32x4 f32x4_real_first(f32x4 a)
{
    const i32x4 kept = {-1, 0, -1, -1};
    return (f32x4)((i32x4)a & kept);
}
VEC_FN f32x4 f32x4_load_part(const void *p, int lanes)
{
    (void)lanes; /* 1 */
    return (f32x4)(f64x2){*(const f32_pair *)p, 0};
}
VEC_FN void f32x4_store_part(void *p, int lanes, f32x4 a)
{
    (void)lanes; /* 1 */
    *(f32_pair *)p = ((f64x2)a)[0];
}
VEC_FN f32x4 f32x4_load_segments2(const void *p, const void *q)
{
    return (f32x4)(f64x2){*(const f32_pair *)p, *(const f32_pair *)q};
}
VEC_FN void f32x4_store_segments2(f32x4 a, void *p, void *q)
{
    *(f32_pair *)p = ((f64x2)a)[0];
    *(f32_pair *)q = ((f64x2)a)[1];
}
VEC_FN f32x4 f32x4_load_segments4(const void *p, const void *q, const void *r, const void *s)
{
    return (f32x4){*(const f32_memory *)p, *(const f32_memory *)q, *(const f32_memory *)r,
                   *(const f32_memory *)s};
}
VEC_FN void f32x4_store_segments4(f32x4 a, void *p, void *q, void *r, void *s)
{
    *(f32_memory *)p = a[0];
    *(f32_memory *)q = a[1];
    *(f32_memory *)r = a[2];
    *(f32_memory *)s = a[3];
}
VEC_FN f32x4 f32x4_load_split(const void *re, const void *im)
{
    return f32x4_zip_lo(f32x4_load_part(re, 1), f32x4_load_part(im, 1));
}
VEC_FN void f32x4_store_split(void *re, void *im, f32x4 a)
{
    f32x4_store_segments2(__builtin_shufflevector(a, a, 0, 2, 1, 3), re, im);
}
VEC_FN f32x4 f32x4_load_split_part(const void *re, const void *im, int lanes)
{
    (void)lanes; /* 1 */
    return (f32x4){*(const f32_memory *)re, *(const f32_memory *)im, 0, 0};
}
VEC_FN void f32x4_store_split_part(void *re, void *im, int lanes, f32x4 a)
{
    (void)lanes; /* 1 */
    *(f32_memory *)re = a[0];
    *(f32_memory *)im = a[1];
}
VEC_FN f32x4_index f32x4_lanes(ptrdiff_t stride)
{
    return (f32x4_index){stride};
}
VEC_FN f32x4 f32x4_gather(const void *p, f32x4_index at)
{
    const f32_memory *x = (const f32_memory *)p;
    return (f32x4){x[0], x[at.stride], x[2 * at.stride], x[3 * at.stride]};
}
VEC_FN void f32x4_scatter(void *p, f32x4_index at, f32x4 a)
{
    f32_memory *x = (f32_memory *)p;
    for (int l = 0; l < 4; l++)
        x[l * at.stride] = a[l];
}

/* ---- f32x2 ---- */
VEC_FN f32x2 f32x2_add(f32x2 a, f32x2 b)
{
    return f32x4_add(a, b);
}
VEC_FN f32x2 f32x2_sub(f32x2 a, f32x2 b)
{
    return f32x4_sub(a, b);
}
VEC_FN f32x2 f32x2_mul(f32x2 a, f32x2 b)
{
    return f32x4_mul(a, b);
}
VEC_FN f32x2 f32x2_fma(f32x2 a, f32x2 b, f32x2 c)
{
    return f32x4_fma(a, b, c);
}
VEC_FN f32x2 f32x2_fnma(f32x2 a, f32x2 b, f32x2 c)
{
    return f32x4_fnma(a, b, c);
}
VEC_FN f32x2 f32x2_fmaddsub(f32x2 a, f32x2 b, f32x2 c)
{
    return f32x4_fmaddsub(a, b, c);
}
VEC_FN f32x2 f32x2_set1(float a)
{
    return f32x4_set1(a);
}
VEC_FN f32x2 f32x2_swap(f32x2 a)
{
    return f32x4_swap(a);
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
    return f32x4_real_first(a);
}
VEC_FN f32x2 f32x2_load(const void *p)
{
    return f32x4_load_part(p, 1);
}
VEC_FN void f32x2_store(void *p, f32x2 a)
{
    f32x4_store_part(p, 1, a);
}
VEC_FN f32x2 f32x2_load_split(const void *re, const void *im)
{
    return f32x4_load_split_part(re, im, 1);
}
VEC_FN void f32x2_store_split(void *re, void *im, f32x2 a)
{
    f32x4_store_split_part(re, im, 1, a);
}

#endif
