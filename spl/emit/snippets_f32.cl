// SPDX-License-Identifier: BSD-3-Clause
/* Single precision of the vocabulary of codelets in OpenCL C, for devices that are processors:
 * what backends/cpu/isa/vec_*.h are in C, with the same bits. vec_avx2.h describes the words.
 * Memory is all __global (snippets_device.cl). Printed into programs, never compiled with the
 * library. */

VEC_FN float2 f32_load_parts(__global const void *re, __global const void *im, int lane)
{
    return (float2)(((__global const float *)re)[lane], ((__global const float *)im)[lane]);
}
VEC_FN void f32_store_parts(__global void *re, __global void *im, int lane, float2 a)
{
    ((__global float *)re)[lane] = a.s0;
    ((__global float *)im)[lane] = a.s1;
}

/* ---- f32x2 ---- */
typedef float2 f32x2;
typedef ANY_FLOAT float2 f32x2_any;
/* Several pairs as whole numbers: of floats LLVM 14 makes three times as many permutations. */
typedef ANY_FLOAT __attribute__((may_alias)) long f32x2_bits_any;
#define f32x2_bits(p) (*(volatile __global const f32x2_bits_any *)(p))
#define f32x2_load(p) (*(volatile __global const f32x2_any *)(p))
#define f32x2_store(p, a) (void)(*(__global f32x2_any *)(p) = (a))
#define f32x2_set1(a) ((float2)(a))
#define f32x2_add(a, b) ((a) + (b))
#define f32x2_sub(a, b) ((a) - (b))
#define f32x2_mul(a, b) ((a) * (b))
#define f32x2_fma(a, b, c) fma(a, b, c)
#define f32x2_fnma(a, b, c) fma(-(a), b, c)
VEC_FN f32x2 f32x2_fmaddsub(f32x2 x, f32x2 y, f32x2 z)
{
    return (float2)(fma(x.s0, y.s0, -z.s0), fma(x.s1, y.s1, z.s1));
}
#define f32x2_swap(a) ((a).s10)
#define f32x2_reverse(a) (a)
#define f32x2_mirror(a, b) (b)
#define f32x2_real_first(a) ((float2)((a).s0, 0))
#define f32x2_load_split(re, im) f32_load_parts(re, im, 0)
#define f32x2_store_split(re, im, a) f32_store_parts(re, im, 0, a)

/* ---- f32x4 ---- */
typedef float4 f32x4;
typedef ANY_FLOAT float4 f32x4_any;
#define f32x4_load(p) (*(volatile __global const f32x4_any *)(p))
#define f32x4_store(p, a) (void)(*(__global f32x4_any *)(p) = (a))
#define f32x4_load_aligned(p) f32x4_load(p)
#define f32x4_set1(a) ((float4)(a))
#define f32x4_dup(p) ((float4)(*(__global const float *)(p)))
#define f32x4_even(p) (f32x4_load(p).s0022)
#define f32x4_odd(p) (f32x4_load(p).s1133)
#define f32x4_add(a, b) ((a) + (b))
#define f32x4_sub(a, b) ((a) - (b))
#define f32x4_mul(a, b) ((a) * (b))
#define f32x4_fma(a, b, c) fma(a, b, c)
#define f32x4_fnma(a, b, c) fma(-(a), b, c)
#define f32x4_fms(a, b, c) fma(a, b, -(c))
#define f32x4_fnms(a, b, c) fma(-(a), b, -(c))
VEC_FN f32x4 f32x4_fmaddsub(f32x4 x, f32x4 y, f32x4 z)
{
    const f32x4 a = fma(x, y, -z), b = fma(x, y, z);
    return __builtin_shufflevector(a, b, 0, 5, 2, 7);
}
#define f32x4_swap(a) ((a).s1032)
#define f32x4_lo32(a, b) __builtin_shufflevector(a, b, 0, 4, 2, 6)
#define f32x4_hi32(a, b) __builtin_shufflevector(a, b, 1, 5, 3, 7)
#define f32x4_lo64(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define f32x4_hi64(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)
#define f32x4_zip_lo(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define f32x4_zip_hi(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define f32x4_unzip_even(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6)
#define f32x4_unzip_odd(a, b) __builtin_shufflevector(a, b, 1, 3, 5, 7)
#define f32x4_reverse(a) ((a).s2301)
#define f32x4_mirror(a, b) __builtin_shufflevector(a, b, 4, 5, 2, 3)
VEC_FN f32x4 f32x4_real_first(f32x4 a)
{
    a.s1 = 0;
    return a;
}
VEC_FN f32x4 f32x4_load_segments2(__global const void *p, __global const void *q)
{
    return (float4)(f32x2_load(p), f32x2_load(q));
}
VEC_FN void f32x4_store_segments2(f32x4 a, __global void *p, __global void *q)
{
    f32x2_store(p, a.lo);
    f32x2_store(q, a.hi);
}
VEC_FN f32x4 f32x4_load_part(__global const void *p, int lanes)
{
    __global const float *const at = (__global const float *)p;
    f32x4 a = 0;
    a.s01 = f32x2_load(at);
    return a;
}
VEC_FN void f32x4_store_part(__global void *p, int lanes, f32x4 a)
{
    __global float *const at = (__global float *)p;
    f32x2_store(at, a.s01);
}
VEC_FN f32x4 f32x4_load_split(__global const void *re, __global const void *im)
{
    const f32x2 a = f32x2_load(re), b = f32x2_load(im);
    return __builtin_shufflevector(a, b, 0, 2, 1, 3);
}
VEC_FN void f32x4_store_split(__global void *re, __global void *im, f32x4 a)
{
    f32x2_store(re, a.even);
    f32x2_store(im, a.odd);
}
VEC_FN f32x4 f32x4_load_split_part(__global const void *re, __global const void *im,
                                   int lanes)
{
    f32x4 a = 0;
    a.s01 = f32_load_parts(re, im, 0);
    return a;
}
VEC_FN void f32x4_store_split_part(__global void *re, __global void *im, int lanes, f32x4 a)
{
    f32_store_parts(re, im, 0, a.s01);
}

/* ---- f32x8 ---- */
typedef float8 f32x8;
typedef ANY_FLOAT float8 f32x8_any;
#define f32x8_load(p) (*(volatile __global const f32x8_any *)(p))
#define f32x8_store(p, a) (void)(*(__global f32x8_any *)(p) = (a))
#define f32x8_set1(a) ((float8)(a))
#define f32x8_dup(p) ((float8)(*(__global const float *)(p)))
#define f32x8_even(p) (f32x8_load(p).s00224466)
#define f32x8_odd(p) (f32x8_load(p).s11335577)
#define f32x8_add(a, b) ((a) + (b))
#define f32x8_sub(a, b) ((a) - (b))
#define f32x8_mul(a, b) ((a) * (b))
#define f32x8_fma(a, b, c) fma(a, b, c)
#define f32x8_fnma(a, b, c) fma(-(a), b, c)
#define f32x8_fms(a, b, c) fma(a, b, -(c))
#define f32x8_fnms(a, b, c) fma(-(a), b, -(c))
VEC_FN f32x8 f32x8_fmaddsub(f32x8 x, f32x8 y, f32x8 z)
{
    const f32x8 a = fma(x, y, -z), b = fma(x, y, z);
    return __builtin_shufflevector(a, b, 0, 9, 2, 11, 4, 13, 6, 15);
}
#define f32x8_swap(a) ((a).s10325476)
#define f32x8_lo32(a, b) __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define f32x8_hi32(a, b) __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define f32x8_lo64(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define f32x8_hi64(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define f32x8_flip64(a) ((a).s23016745)
#define f32x8_lo128(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define f32x8_hi128(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
#define f32x8_flip128(a) ((a).s45670123)
#define f32x8_even4(a) ((a).s01450145)
#define f32x8_odd4(a) ((a).s23762376)
#define f32x8_zip_lo(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define f32x8_zip_hi(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define f32x8_weave_lo(a, b) __builtin_shufflevector(a, b, 0, 15, 1, 14, 2, 13, 3, 12)
#define f32x8_weave_hi(a, b) __builtin_shufflevector(a, b, 4, 11, 5, 10, 6, 9, 7, 8)
#define f32x8_zip_lo_back(a, b) __builtin_shufflevector(a, b, 7, 15, 6, 14, 5, 13, 4, 12)
#define f32x8_zip_hi_back(a, b) __builtin_shufflevector(a, b, 3, 11, 2, 10, 1, 9, 0, 8)
#define f32x8_unzip_even(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define f32x8_unzip_odd(a, b) __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#define f32x8_unzip_even_back(a, b) __builtin_shufflevector(a, b, 14, 12, 10, 8, 6, 4, 2, 0)
#define f32x8_unzip_odd_back(a, b) __builtin_shufflevector(a, b, 15, 13, 11, 9, 7, 5, 3, 1)
#define f32x8_backwards(a) ((a).s76543210)
VEC_FN f32x8 f32x8_load_join(__global const void *p, int lanes, __global const void *q)
{
    const int8 lane = (int8)(0, 1, 2, 3, 4, 5, 6, 7);
    return select(f32x8_load(q), f32x8_load(p), lane < (int8)(lanes));
}
#define f32x8_reverse(a) ((a).s67452301)
#define slid8(a, b, n) __builtin_shufflevector(a, b, n, n+1, n+2, n+3, n+4, n+5, n+6, n+7)
#define f32x8_slide(a, b, lanes) slid8(a, b, 2 * lanes)
#define f32x8_mirror(a, b) __builtin_shufflevector(a, b, 8, 9, 6, 7, 4, 5, 2, 3)
VEC_FN f32x8 f32x8_real_first(f32x8 a)
{
    a.s1 = 0;
    return a;
}
VEC_FN f32x8 f32x8_load_segments2(__global const void *p, __global const void *q)
{
    return (float8)(f32x4_load(p), f32x4_load(q));
}
VEC_FN void f32x8_store_segments2(f32x8 a, __global void *p, __global void *q)
{
    f32x4_store(p, a.lo);
    f32x4_store(q, a.hi);
}
VEC_FN f32x8 f32x8_load_segments4(__global const void *p, __global const void *q,
                                  __global const void *r, __global const void *s)
{
    return as_float8((long4)(f32x2_bits(p), f32x2_bits(q), f32x2_bits(r), f32x2_bits(s)));
}
VEC_FN void f32x8_store_segments4(f32x8 a, __global void *p, __global void *q, __global void *r,
                                  __global void *s)
{
    f32x2_store(p, a.lo.lo);
    f32x2_store(q, a.lo.hi);
    f32x2_store(r, a.hi.lo);
    f32x2_store(s, a.hi.hi);
}
VEC_FN f32x8 f32x8_load_part(__global const void *p, int lanes)
{
    __global const float *const at = (__global const float *)p;
    f32x8 a = 0;
    a.s01 = f32x2_load(at);
    if (lanes > 1)
        a.s23 = f32x2_load(at + 2);
    if (lanes > 2)
        a.s45 = f32x2_load(at + 4);
    return a;
}
VEC_FN void f32x8_store_part(__global void *p, int lanes, f32x8 a)
{
    __global float *const at = (__global float *)p;
    f32x2_store(at, a.s01);
    if (lanes > 1)
        f32x2_store(at + 2, a.s23);
    if (lanes > 2)
        f32x2_store(at + 4, a.s45);
}
VEC_FN f32x8 f32x8_load_split(__global const void *re, __global const void *im)
{
    const f32x4 a = f32x4_load(re), b = f32x4_load(im);
    return __builtin_shufflevector(a, b, 0, 4, 1, 5, 2, 6, 3, 7);
}
VEC_FN void f32x8_store_split(__global void *re, __global void *im, f32x8 a)
{
    f32x4_store(re, a.even);
    f32x4_store(im, a.odd);
}
VEC_FN f32x8 f32x8_load_split_part(__global const void *re, __global const void *im,
                                   int lanes)
{
    f32x8 a = 0;
    a.s01 = f32_load_parts(re, im, 0);
    if (lanes > 1)
        a.s23 = f32_load_parts(re, im, 1);
    if (lanes > 2)
        a.s45 = f32_load_parts(re, im, 2);
    return a;
}
VEC_FN void f32x8_store_split_part(__global void *re, __global void *im, int lanes, f32x8 a)
{
    f32_store_parts(re, im, 0, a.s01);
    if (lanes > 1)
        f32_store_parts(re, im, 1, a.s23);
    if (lanes > 2)
        f32_store_parts(re, im, 2, a.s45);
}
typedef ptrdiff_t f32x8_index;
#define f32x8_lanes(stride) (stride)
VEC_FN f32x8 f32x8_gather(__global const void *p, f32x8_index stride)
{
    __global const float *const at = (__global const float *)p;
    return (float8)(at[0], at[stride], at[2 * stride], at[3 * stride], at[4 * stride],
                   at[5 * stride], at[6 * stride], at[7 * stride]);
}
VEC_FN void f32x8_scatter(__global void *p, f32x8_index stride, f32x8 a)
{
    __global float *const at = (__global float *)p;
    float lane[8];
    vstore8(a, 0, lane);
    for (int l = 0; l < 8; l++)
        at[l * stride] = lane[l];
}
