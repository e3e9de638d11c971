// SPDX-License-Identifier: BSD-3-Clause
/* Sixteen lanes of the vocabulary of codelets in OpenCL C, for devices that are processors:
 * what backends/cpu/isa/vec_*.h are in C, with the same bits. vec_avx2.h describes the words.
 * Memory is all __global (snippets_device.cl). Printed into programs, never compiled with the
 * library. */

/* ---- f32x16 ---- */
typedef float16 f32x16;
typedef ANY_FLOAT float16 f32x16_any;
#define f32x16_load(p) (*(volatile __global const f32x16_any *)(p))
#define f32x16_store(p, a) (void)(*(__global f32x16_any *)(p) = (a))
#define f32x16_stream(p, a) __builtin_nontemporal_store(a, (__global f32x16 *)(p))
#define f32x16_set1(a) ((float16)(a))
#define f32x16_dup(p) ((float16)(*(__global const float *)(p)))
#define f32x16_even(p) (f32x16_load(p).s0022446688aaccee)
#define f32x16_odd(p) (f32x16_load(p).s1133557799bbddff)
#define f32x16_add(a, b) ((a) + (b))
#define f32x16_sub(a, b) ((a) - (b))
#define f32x16_mul(a, b) ((a) * (b))
#define f32x16_fma(a, b, c) fma(a, b, c)
#define f32x16_fnma(a, b, c) fma(-(a), b, c)
#define f32x16_fms(a, b, c) fma(a, b, -(c))
#define f32x16_fnms(a, b, c) fma(-(a), b, -(c))
VEC_FN f32x16 f32x16_fmaddsub(f32x16 x, f32x16 y, f32x16 z)
{
    const f32x16 a = fma(x, y, -z), b = fma(x, y, z);
    return __builtin_shufflevector(a, b, 0, 17, 2, 19, 4, 21, 6, 23, 8, 25, 10, 27, 12, 29, 14, 31);
}
#define f32x16_swap(a) ((a).s1032547698badcfe)
VEC_FN f32x16 f32x16_lo32(f32x16 a, f32x16 b)
{
    return __builtin_shufflevector(a, b, 0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30);
}
VEC_FN f32x16 f32x16_hi32(f32x16 a, f32x16 b)
{
    return __builtin_shufflevector(a, b, 1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31);
}
VEC_FN f32x16 f32x16_lo64(f32x16 a, f32x16 b)
{
    return __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29);
}
VEC_FN f32x16 f32x16_hi64(f32x16 a, f32x16 b)
{
    return __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30,
                                   31);
}
#define f32x16_flip64(a) ((a).s23016745ab89efcd)
VEC_FN f32x16 f32x16_lo128(f32x16 a, f32x16 b)
{
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27);
}
VEC_FN f32x16 f32x16_hi128(f32x16 a, f32x16 b)
{
    return __builtin_shufflevector(a, b, 4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30,
                                   31);
}
#define f32x16_flip128(a) ((a).s45670123cdef89ab)
VEC_FN f32x16 f32x16_join(f32x8 low, f32x8 high)
{
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
#define f32x8_low_half(a) ((a).lo)
#define f32x8_high_half(a) ((a).hi)
VEC_FN f32x16 f32x16_lo256(f32x16 a, f32x16 b)
{
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23);
}
VEC_FN f32x16 f32x16_hi256(f32x16 a, f32x16 b)
{
    return __builtin_shufflevector(a, b, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30,
                                   31);
}
#define f32x16_even4(a) ((a).s0145014589cd89cd)
#define f32x16_odd4(a) ((a).s23762376abfeabfe)
VEC_FN f32x16 f32x16_zip_lo(f32x16 a, f32x16 b)
{
    return __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
VEC_FN f32x16 f32x16_zip_hi(f32x16 a, f32x16 b)
{
    return __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15,
                                   31);
}
VEC_FN f32x16 f32x16_weave_lo(f32x16 a, f32x16 b)
{
    return __builtin_shufflevector(a, b, 0, 31, 1, 30, 2, 29, 3, 28, 4, 27, 5, 26, 6, 25, 7, 24);
}
VEC_FN f32x16 f32x16_weave_hi(f32x16 a, f32x16 b)
{
    return __builtin_shufflevector(a, b, 8, 23, 9, 22, 10, 21, 11, 20, 12, 19, 13, 18, 14, 17, 15,
                                   16);
}
VEC_FN f32x16 f32x16_zip_lo_back(f32x16 a, f32x16 b)
{
    return __builtin_shufflevector(a, b, 15, 31, 14, 30, 13, 29, 12, 28, 11, 27, 10, 26, 9, 25, 8,
                                   24);
}
VEC_FN f32x16 f32x16_zip_hi_back(f32x16 a, f32x16 b)
{
    return __builtin_shufflevector(a, b, 7, 23, 6, 22, 5, 21, 4, 20, 3, 19, 2, 18, 1, 17, 0, 16);
}
VEC_FN f32x16 f32x16_unzip_even(f32x16 a, f32x16 b)
{
    return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
}
VEC_FN f32x16 f32x16_unzip_odd(f32x16 a, f32x16 b)
{
    return __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
}
VEC_FN f32x16 f32x16_unzip_even_back(f32x16 a, f32x16 b)
{
    return __builtin_shufflevector(a, b, 30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
}
VEC_FN f32x16 f32x16_unzip_odd_back(f32x16 a, f32x16 b)
{
    return __builtin_shufflevector(a, b, 31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1);
}
#define f32x16_backwards(a) ((a).sfedcba9876543210)
VEC_FN f32x16 f32x16_load_join(__global const void *p, int lanes, __global const void *q)
{
    const int16 lane = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    return select(f32x16_load(q), f32x16_load(p), lane < (int16)(lanes));
}
#define f32x16_reverse(a) ((a).sefcdab8967452301)
VEC_FN f32x16 f32x16_mirror(f32x16 a, f32x16 b)
{
    return __builtin_shufflevector(a, b, 16, 17, 14, 15, 12, 13, 10, 11, 8, 9, 6, 7, 4, 5, 2, 3);
}
VEC_FN f32x16 f32x16_real_first(f32x16 a)
{
    a.s1 = 0;
    return a;
}
#define f32x16_rotate1(a) ((a).s23456789abcdef01)
#define f32x16_rotate2(a) ((a).s456789abcdef0123)
#define f32x16_rotate3(a) ((a).s6789abcdef012345)
#define f32x16_rotate4(a) ((a).s89abcdef01234567)
#define f32x16_rotate5(a) ((a).sabcdef0123456789)
#define f32x16_rotate6(a) ((a).scdef0123456789ab)
#define f32x16_rotate7(a) ((a).sef0123456789abcd)
#define f32x16_blend(a, b, doubles) as_float16(f64x8_blend(as_double8(a), as_double8(b), doubles))
VEC_FN f32x16 f32x16_load_segments2(__global const void *p, __global const void *q)
{
    return (float16)(f32x8_load(p), f32x8_load(q));
}
VEC_FN void f32x16_store_segments2(f32x16 a, __global void *p, __global void *q)
{
    f32x8_store(p, a.lo);
    f32x8_store(q, a.hi);
}
VEC_FN f32x16 f32x16_load_segments4(__global const void *p, __global const void *q,
                                    __global const void *r, __global const void *s)
{
    return (float16)(f32x4_load(p), f32x4_load(q), f32x4_load(r), f32x4_load(s));
}
VEC_FN void f32x16_store_segments4(f32x16 a, __global void *p, __global void *q, __global void *r,
                                   __global void *s)
{
    f32x4_store(p, a.lo.lo);
    f32x4_store(q, a.lo.hi);
    f32x4_store(r, a.hi.lo);
    f32x4_store(s, a.hi.hi);
}
VEC_FN f32x16 f32x16_load_segments8(__global const void *p, __global const void *q,
                                    __global const void *r, __global const void *s,
                                    __global const void *t, __global const void *u,
                                    __global const void *v, __global const void *w)
{
    return as_float16((long8)(f32x2_bits(p), f32x2_bits(q), f32x2_bits(r), f32x2_bits(s),
                              f32x2_bits(t), f32x2_bits(u), f32x2_bits(v), f32x2_bits(w)));
}
VEC_FN void f32x16_store_segments8(f32x16 a, __global void *p, __global void *q, __global void *r,
                                   __global void *s, __global void *t, __global void *u,
                                   __global void *v, __global void *w)
{
    f32x2_store(p, a.lo.lo.lo);
    f32x2_store(q, a.lo.lo.hi);
    f32x2_store(r, a.lo.hi.lo);
    f32x2_store(s, a.lo.hi.hi);
    f32x2_store(t, a.hi.lo.lo);
    f32x2_store(u, a.hi.lo.hi);
    f32x2_store(v, a.hi.hi.lo);
    f32x2_store(w, a.hi.hi.hi);
}
VEC_FN f32x16 f32x16_load_part(__global const void *p, int lanes)
{
    __global const float *const at = (__global const float *)p;
    f32x16 a = 0;
    a.s01 = f32x2_load(at);
    if (lanes > 1)
        a.s23 = f32x2_load(at + 2);
    if (lanes > 2)
        a.s45 = f32x2_load(at + 4);
    if (lanes > 3)
        a.s67 = f32x2_load(at + 6);
    if (lanes > 4)
        a.s89 = f32x2_load(at + 8);
    if (lanes > 5)
        a.sab = f32x2_load(at + 10);
    if (lanes > 6)
        a.scd = f32x2_load(at + 12);
    return a;
}
VEC_FN void f32x16_store_part(__global void *p, int lanes, f32x16 a)
{
    __global float *const at = (__global float *)p;
    f32x2_store(at, a.s01);
    if (lanes > 1)
        f32x2_store(at + 2, a.s23);
    if (lanes > 2)
        f32x2_store(at + 4, a.s45);
    if (lanes > 3)
        f32x2_store(at + 6, a.s67);
    if (lanes > 4)
        f32x2_store(at + 8, a.s89);
    if (lanes > 5)
        f32x2_store(at + 10, a.sab);
    if (lanes > 6)
        f32x2_store(at + 12, a.scd);
}
#define f32x16_store_end(p, lanes, a) f32x16_store_part(p, lanes, a)
VEC_FN f32x16 f32x16_load_split(__global const void *re, __global const void *im)
{
    const f32x8 a = f32x8_load(re), b = f32x8_load(im);
    return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
}
VEC_FN void f32x16_store_split(__global void *re, __global void *im, f32x16 a)
{
    f32x8_store(re, a.even);
    f32x8_store(im, a.odd);
}
VEC_FN f32x16 f32x16_load_split_part(__global const void *re, __global const void *im,
                                     int lanes)
{
    f32x16 a = 0;
    a.s01 = f32_load_parts(re, im, 0);
    if (lanes > 1)
        a.s23 = f32_load_parts(re, im, 1);
    if (lanes > 2)
        a.s45 = f32_load_parts(re, im, 2);
    if (lanes > 3)
        a.s67 = f32_load_parts(re, im, 3);
    if (lanes > 4)
        a.s89 = f32_load_parts(re, im, 4);
    if (lanes > 5)
        a.sab = f32_load_parts(re, im, 5);
    if (lanes > 6)
        a.scd = f32_load_parts(re, im, 6);
    return a;
}
VEC_FN void f32x16_store_split_part(__global void *re, __global void *im, int lanes, f32x16 a)
{
    f32_store_parts(re, im, 0, a.s01);
    if (lanes > 1)
        f32_store_parts(re, im, 1, a.s23);
    if (lanes > 2)
        f32_store_parts(re, im, 2, a.s45);
    if (lanes > 3)
        f32_store_parts(re, im, 3, a.s67);
    if (lanes > 4)
        f32_store_parts(re, im, 4, a.s89);
    if (lanes > 5)
        f32_store_parts(re, im, 5, a.sab);
    if (lanes > 6)
        f32_store_parts(re, im, 6, a.scd);
}
typedef ptrdiff_t f32x16_index;
#define f32x16_lanes(stride) (stride)
VEC_FN f32x16 f32x16_gather(__global const void *p, f32x16_index stride)
{
    __global const float *const at = (__global const float *)p;
    return (float16)(at[0], at[stride], at[2 * stride], at[3 * stride], at[4 * stride],
                    at[5 * stride], at[6 * stride], at[7 * stride], at[8 * stride], at[9 * stride],
                    at[10 * stride], at[11 * stride], at[12 * stride], at[13 * stride],
                    at[14 * stride], at[15 * stride]);
}
VEC_FN void f32x16_scatter(__global void *p, f32x16_index stride, f32x16 a)
{
    __global float *const at = (__global float *)p;
    float lane[16];
    vstore16(a, 0, lane);
    for (int l = 0; l < 16; l++)
        at[l * stride] = lane[l];
}
