// SPDX-License-Identifier: BSD-3-Clause
/* Double precision of the vocabulary of codelets in OpenCL C, for devices that are processors:
 * what backends/cpu/isa/vec_*.h are in C, with the same bits. vec_avx2.h describes the words.
 * Memory is all __global (snippets_device.cl). Printed into programs, never compiled with the
 * library. */

VEC_FN double2 f64_load_parts(__global const void *re, __global const void *im, int lane)
{
    return (double2)(((__global const double *)re)[lane], ((__global const double *)im)[lane]);
}
VEC_FN void f64_store_parts(__global void *re, __global void *im, int lane, double2 a)
{
    ((__global double *)re)[lane] = a.s0;
    ((__global double *)im)[lane] = a.s1;
}

/* ---- f64x2 ---- */
typedef double2 f64x2;
typedef ANY_DOUBLE double2 f64x2_any;
#define f64x2_load(p) (*(volatile __global const f64x2_any *)(p))
#define f64x2_store(p, a) (void)(*(__global f64x2_any *)(p) = (a))
#define f64x2_load_aligned(p) f64x2_load(p)
#define f64x2_set1(a) ((double2)(a))
#define f64x2_dup(p) ((double2)(*(__global const double *)(p)))
#define f64x2_even(p) (f64x2_load(p).s00)
#define f64x2_odd(p) (f64x2_load(p).s11)
#define f64x2_add(a, b) ((a) + (b))
#define f64x2_sub(a, b) ((a) - (b))
#define f64x2_mul(a, b) ((a) * (b))
#define f64x2_fma(a, b, c) fma(a, b, c)
#define f64x2_fnma(a, b, c) fma(-(a), b, c)
#define f64x2_fms(a, b, c) fma(a, b, -(c))
#define f64x2_fnms(a, b, c) fma(-(a), b, -(c))
VEC_FN f64x2 f64x2_fmaddsub(f64x2 x, f64x2 y, f64x2 z)
{
    return (double2)(fma(x, y, -z).s0, fma(x, y, z).s1);
}
#define f64x2_swap(a) ((a).s10)
#define f64x2_zip_lo(a, b) __builtin_shufflevector(a, b, 0, 2)
#define f64x2_zip_hi(a, b) __builtin_shufflevector(a, b, 1, 3)
#define f64x2_unzip_even(a, b) f64x2_zip_lo(a, b)
#define f64x2_unzip_odd(a, b) f64x2_zip_hi(a, b)
VEC_FN f64x2 f64x2_load_segments2(__global const void *p, __global const void *q)
{
    return (double2)(*(__global const double *)p, *(__global const double *)q);
}
VEC_FN void f64x2_store_segments2(f64x2 a, __global void *p, __global void *q)
{
    *(__global double *)p = a.s0;
    *(__global double *)q = a.s1;
}
#define f64x2_reverse(a) (a)
#define f64x2_mirror(a, b) (b)
#define f64x2_real_first(a) ((double2)((a).s0, 0))
#define f64x2_load_split(re, im) f64_load_parts(re, im, 0)
#define f64x2_store_split(re, im, a) f64_store_parts(re, im, 0, a)

/* ---- f64x4 ---- */
typedef double4 f64x4;
typedef ANY_DOUBLE double4 f64x4_any;
#define f64x4_load(p) (*(volatile __global const f64x4_any *)(p))
#define f64x4_store(p, a) (void)(*(__global f64x4_any *)(p) = (a))
#define f64x4_set1(a) ((double4)(a))
#define f64x4_dup(p) ((double4)(*(__global const double *)(p)))
#define f64x4_even(p) (f64x4_load(p).s0022)
#define f64x4_odd(p) (f64x4_load(p).s1133)
#define f64x4_add(a, b) ((a) + (b))
#define f64x4_sub(a, b) ((a) - (b))
#define f64x4_mul(a, b) ((a) * (b))
#define f64x4_fma(a, b, c) fma(a, b, c)
#define f64x4_fnma(a, b, c) fma(-(a), b, c)
#define f64x4_fms(a, b, c) fma(a, b, -(c))
#define f64x4_fnms(a, b, c) fma(-(a), b, -(c))
VEC_FN f64x4 f64x4_fmaddsub(f64x4 x, f64x4 y, f64x4 z)
{
    const f64x4 a = fma(x, y, -z), b = fma(x, y, z);
    return __builtin_shufflevector(a, b, 0, 5, 2, 7);
}
#define f64x4_swap(a) ((a).s1032)
#define f64x4_lo64(a, b) __builtin_shufflevector(a, b, 0, 4, 2, 6)
#define f64x4_hi64(a, b) __builtin_shufflevector(a, b, 1, 5, 3, 7)
#define f64x4_lo128(a, b) __builtin_shufflevector(a, b, 0, 1, 4, 5)
#define f64x4_hi128(a, b) __builtin_shufflevector(a, b, 2, 3, 6, 7)
#define f64x4_flip128(a) ((a).s2301)
#define f64x4_zip_lo(a, b) __builtin_shufflevector(a, b, 0, 4, 1, 5)
#define f64x4_zip_hi(a, b) __builtin_shufflevector(a, b, 2, 6, 3, 7)
#define f64x4_weave_lo(a, b) __builtin_shufflevector(a, b, 0, 7, 1, 6)
#define f64x4_weave_hi(a, b) __builtin_shufflevector(a, b, 2, 5, 3, 4)
#define f64x4_zip_lo_back(a, b) __builtin_shufflevector(a, b, 3, 7, 2, 6)
#define f64x4_zip_hi_back(a, b) __builtin_shufflevector(a, b, 1, 5, 0, 4)
#define f64x4_unzip_even(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6)
#define f64x4_unzip_odd(a, b) __builtin_shufflevector(a, b, 1, 3, 5, 7)
#define f64x4_unzip_even_back(a, b) __builtin_shufflevector(a, b, 6, 4, 2, 0)
#define f64x4_unzip_odd_back(a, b) __builtin_shufflevector(a, b, 7, 5, 3, 1)
#define f64x4_backwards(a) ((a).s3210)
VEC_FN f64x4 f64x4_load_join(__global const void *p, int lanes, __global const void *q)
{
    const long4 lane = (long4)(0, 1, 2, 3);
    return select(f64x4_load(q), f64x4_load(p), lane < (long4)(lanes));
}
#define f64x4_reverse(a) ((a).s2301)
#define f64x4_slide(a, b, lanes) __builtin_shufflevector(a, b, 2, 3, 4, 5)
#define f64x4_mirror(a, b) __builtin_shufflevector(a, b, 4, 5, 2, 3)
VEC_FN f64x4 f64x4_real_first(f64x4 a)
{
    a.s1 = 0;
    return a;
}
VEC_FN f64x4 f64x4_load_segments2(__global const void *p, __global const void *q)
{
    return (double4)(f64x2_load(p), f64x2_load(q));
}
VEC_FN void f64x4_store_segments2(f64x4 a, __global void *p, __global void *q)
{
    f64x2_store(p, a.lo);
    f64x2_store(q, a.hi);
}
VEC_FN f64x4 f64x4_load_part(__global const void *p, int lanes)
{
    __global const double *const at = (__global const double *)p;
    f64x4 a = 0;
    a.s01 = f64x2_load(at);
    return a;
}
VEC_FN void f64x4_store_part(__global void *p, int lanes, f64x4 a)
{
    __global double *const at = (__global double *)p;
    f64x2_store(at, a.s01);
}
VEC_FN f64x4 f64x4_load_split(__global const void *re, __global const void *im)
{
    const f64x2 a = f64x2_load(re), b = f64x2_load(im);
    return __builtin_shufflevector(a, b, 0, 2, 1, 3);
}
VEC_FN void f64x4_store_split(__global void *re, __global void *im, f64x4 a)
{
    f64x2_store(re, a.even);
    f64x2_store(im, a.odd);
}
VEC_FN f64x4 f64x4_load_split_part(__global const void *re, __global const void *im,
                                   int lanes)
{
    f64x4 a = 0;
    a.s01 = f64_load_parts(re, im, 0);
    return a;
}
VEC_FN void f64x4_store_split_part(__global void *re, __global void *im, int lanes, f64x4 a)
{
    f64_store_parts(re, im, 0, a.s01);
}
typedef ptrdiff_t f64x4_index;
#define f64x4_lanes(stride) (stride)
VEC_FN f64x4 f64x4_gather(__global const void *p, f64x4_index stride)
{
    __global const double *const at = (__global const double *)p;
    return (double4)(at[0], at[stride], at[2 * stride], at[3 * stride]);
}
VEC_FN void f64x4_scatter(__global void *p, f64x4_index stride, f64x4 a)
{
    __global double *const at = (__global double *)p;
    double lane[4];
    vstore4(a, 0, lane);
    for (int l = 0; l < 4; l++)
        at[l * stride] = lane[l];
}

/* ---- f64x8 ---- */
typedef double8 f64x8;
typedef ANY_DOUBLE double8 f64x8_any;
#define f64x8_load(p) (*(volatile __global const f64x8_any *)(p))
#define f64x8_store(p, a) (void)(*(__global f64x8_any *)(p) = (a))
#define f64x8_stream(p, a) __builtin_nontemporal_store(a, (__global f64x8 *)(p))
#define f64x8_set1(a) ((double8)(a))
#define f64x8_dup(p) ((double8)(*(__global const double *)(p)))
#define f64x8_even(p) (f64x8_load(p).s00224466)
#define f64x8_odd(p) (f64x8_load(p).s11335577)
#define f64x8_add(a, b) ((a) + (b))
#define f64x8_sub(a, b) ((a) - (b))
#define f64x8_mul(a, b) ((a) * (b))
#define f64x8_fma(a, b, c) fma(a, b, c)
#define f64x8_fnma(a, b, c) fma(-(a), b, c)
#define f64x8_fms(a, b, c) fma(a, b, -(c))
#define f64x8_fnms(a, b, c) fma(-(a), b, -(c))
VEC_FN f64x8 f64x8_fmaddsub(f64x8 x, f64x8 y, f64x8 z)
{
    const f64x8 a = fma(x, y, -z), b = fma(x, y, z);
    return __builtin_shufflevector(a, b, 0, 9, 2, 11, 4, 13, 6, 15);
}
#define f64x8_swap(a) ((a).s10325476)
#define f64x8_lo64(a, b) __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14)
#define f64x8_hi64(a, b) __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15)
#define f64x8_flip64(a) ((a).s10325476)
#define f64x8_lo128(a, b) __builtin_shufflevector(a, b, 0, 1, 8, 9, 4, 5, 12, 13)
#define f64x8_hi128(a, b) __builtin_shufflevector(a, b, 2, 3, 10, 11, 6, 7, 14, 15)
#define f64x8_flip128(a) ((a).s23016745)
#define f64x8_lo256(a, b) __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11)
#define f64x8_hi256(a, b) __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15)
#define f64x8_flip256(a) ((a).s45670123)
#define f64x8_even4(a) ((a).s01450145)
#define f64x8_odd4(a) ((a).s23762376)
#define f64x8_zip_lo(a, b) __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11)
#define f64x8_zip_hi(a, b) __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
#define f64x8_weave_lo(a, b) __builtin_shufflevector(a, b, 0, 15, 1, 14, 2, 13, 3, 12)
#define f64x8_weave_hi(a, b) __builtin_shufflevector(a, b, 4, 11, 5, 10, 6, 9, 7, 8)
#define f64x8_zip_lo_back(a, b) __builtin_shufflevector(a, b, 7, 15, 6, 14, 5, 13, 4, 12)
#define f64x8_zip_hi_back(a, b) __builtin_shufflevector(a, b, 3, 11, 2, 10, 1, 9, 0, 8)
#define f64x8_unzip_even(a, b) __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14)
#define f64x8_unzip_odd(a, b) __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15)
#define f64x8_unzip_even_back(a, b) __builtin_shufflevector(a, b, 14, 12, 10, 8, 6, 4, 2, 0)
#define f64x8_unzip_odd_back(a, b) __builtin_shufflevector(a, b, 15, 13, 11, 9, 7, 5, 3, 1)
#define f64x8_backwards(a) ((a).s76543210)
VEC_FN f64x8 f64x8_load_join(__global const void *p, int lanes, __global const void *q)
{
    const long8 lane = (long8)(0, 1, 2, 3, 4, 5, 6, 7);
    return select(f64x8_load(q), f64x8_load(p), lane < (long8)(lanes));
}
#define f64x8_reverse(a) ((a).s67452301)
#define f64x8_mirror(a, b) __builtin_shufflevector(a, b, 8, 9, 6, 7, 4, 5, 2, 3)
VEC_FN f64x8 f64x8_real_first(f64x8 a)
{
    a.s1 = 0;
    return a;
}
#define f64x8_rotate1(a) ((a).s23456701)
#define f64x8_rotate2(a) ((a).s45670123)
#define f64x8_rotate3(a) ((a).s67012345)
VEC_FN f64x8 f64x8_blend(f64x8 a, f64x8 b, uint doubles)
{
    const long8 bit = (long8)(1, 2, 4, 8, 16, 32, 64, 128);
    return select(a, b, (bit & (long8)(doubles)) != 0);
}
VEC_FN f64x8 f64x8_load_segments2(__global const void *p, __global const void *q)
{
    return (double8)(f64x4_load(p), f64x4_load(q));
}
VEC_FN void f64x8_store_segments2(f64x8 a, __global void *p, __global void *q)
{
    f64x4_store(p, a.lo);
    f64x4_store(q, a.hi);
}
VEC_FN f64x8 f64x8_load_segments4(__global const void *p, __global const void *q,
                                  __global const void *r, __global const void *s)
{
    return (double8)(f64x2_load(p), f64x2_load(q), f64x2_load(r), f64x2_load(s));
}
VEC_FN void f64x8_store_segments4(f64x8 a, __global void *p, __global void *q, __global void *r,
                                  __global void *s)
{
    f64x2_store(p, a.lo.lo);
    f64x2_store(q, a.lo.hi);
    f64x2_store(r, a.hi.lo);
    f64x2_store(s, a.hi.hi);
}
VEC_FN f64x8 f64x8_load_part(__global const void *p, int lanes)
{
    __global const double *const at = (__global const double *)p;
    f64x8 a = 0;
    a.s01 = f64x2_load(at);
    if (lanes > 1)
        a.s23 = f64x2_load(at + 2);
    if (lanes > 2)
        a.s45 = f64x2_load(at + 4);
    return a;
}
VEC_FN void f64x8_store_part(__global void *p, int lanes, f64x8 a)
{
    __global double *const at = (__global double *)p;
    f64x2_store(at, a.s01);
    if (lanes > 1)
        f64x2_store(at + 2, a.s23);
    if (lanes > 2)
        f64x2_store(at + 4, a.s45);
}
#define f64x8_store_end(p, lanes, a) f64x8_store_part(p, lanes, a)
VEC_FN f64x8 f64x8_load_split(__global const void *re, __global const void *im)
{
    const f64x4 a = f64x4_load(re), b = f64x4_load(im);
    return __builtin_shufflevector(a, b, 0, 4, 1, 5, 2, 6, 3, 7);
}
VEC_FN void f64x8_store_split(__global void *re, __global void *im, f64x8 a)
{
    f64x4_store(re, a.even);
    f64x4_store(im, a.odd);
}
VEC_FN f64x8 f64x8_load_split_part(__global const void *re, __global const void *im,
                                   int lanes)
{
    f64x8 a = 0;
    a.s01 = f64_load_parts(re, im, 0);
    if (lanes > 1)
        a.s23 = f64_load_parts(re, im, 1);
    if (lanes > 2)
        a.s45 = f64_load_parts(re, im, 2);
    return a;
}
VEC_FN void f64x8_store_split_part(__global void *re, __global void *im, int lanes, f64x8 a)
{
    f64_store_parts(re, im, 0, a.s01);
    if (lanes > 1)
        f64_store_parts(re, im, 1, a.s23);
    if (lanes > 2)
        f64_store_parts(re, im, 2, a.s45);
}
typedef ptrdiff_t f64x8_index;
#define f64x8_lanes(stride) (stride)
VEC_FN f64x8 f64x8_gather(__global const void *p, f64x8_index stride)
{
    __global const double *const at = (__global const double *)p;
    return (double8)(at[0], at[stride], at[2 * stride], at[3 * stride], at[4 * stride],
                    at[5 * stride], at[6 * stride], at[7 * stride]);
}
VEC_FN void f64x8_scatter(__global void *p, f64x8_index stride, f64x8 a)
{
    __global double *const at = (__global double *)p;
    double lane[8];
    vstore8(a, 0, lane);
    for (int l = 0; l < 8; l++)
        at[l * stride] = lane[l];
}
