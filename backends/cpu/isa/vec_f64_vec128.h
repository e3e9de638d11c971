// SPDX-License-Identifier: BSD-3-Clause
/* Double precision in vectors of 128 bits: f64x2. See vec_vec128.h. */
#ifndef CPU_VEC_F64_VEC128_H
#define CPU_VEC_F64_VEC128_H

#include <stddef.h>

#ifdef __aarch64__
#include <arm_neon.h>
#endif

#define VEC_FN static inline __attribute__((always_inline, unused))
#define VEC_128 __attribute__((vector_size(16)))
/* Types in memory, which may alias any type: aligned to a scalar, or a row of a table. */
#define VEC_F32 __attribute__((aligned(4), may_alias))
#define VEC_F64 __attribute__((aligned(8), may_alias))
#define VEC_ROW __attribute__((aligned(16), may_alias))

typedef VEC_128 double f64x2;
typedef VEC_128 VEC_F64 double f64x2_memory;
typedef VEC_128 VEC_ROW double f64x2_row;
typedef VEC_F64 double f64_memory;
typedef VEC_128 long long i64x2; /* the bits of an f64x2 */
typedef struct f64x2_index {
    ptrdiff_t stride;
} f64x2_index;

VEC_FN f64x2 f64x2_load(const void *p)
{
    return *(const f64x2_memory *)p;
}
VEC_FN f64x2 f64x2_load_aligned(const void *p)
{
    return *(const f64x2_row *)p;
}
VEC_FN void f64x2_store(void *p, f64x2 a)
{
    *(f64x2_memory *)p = a;
}
VEC_FN f64x2 f64x2_set1(double a)
{
    return (f64x2){a, a};
}
VEC_FN f64x2 f64x2_dup(const void *p)
{
    return f64x2_set1(*(const f64_memory *)p);
}
VEC_FN f64x2 f64x2_even(const void *p)
{
    return f64x2_dup(p);
}
VEC_FN f64x2 f64x2_odd(const void *p)
{
    return f64x2_dup((const f64_memory *)p + 1);
}
VEC_FN f64x2 f64x2_add(f64x2 a, f64x2 b)
{
    return a + b;
}
VEC_FN f64x2 f64x2_sub(f64x2 a, f64x2 b)
{
    return a - b;
}
VEC_FN f64x2 f64x2_mul(f64x2 a, f64x2 b)
{
    return a * b;
}
#ifdef __aarch64__
VEC_FN f64x2 f64x2_fma(f64x2 a, f64x2 b, f64x2 c)
{
    return vfmaq_f64(c, a, b);
}
VEC_FN f64x2 f64x2_fnma(f64x2 a, f64x2 b, f64x2 c)
{
    return vfmsq_f64(c, a, b);
}
#else
VEC_FN f64x2 f64x2_fma(f64x2 a, f64x2 b, f64x2 c)
{
    return a * b + c;
}
VEC_FN f64x2 f64x2_fnma(f64x2 a, f64x2 b, f64x2 c)
{
    return c - a * b;
}
#endif
VEC_FN f64x2 f64x2_fms(f64x2 a, f64x2 b, f64x2 c)
{
    return f64x2_fma(a, b, -c);
}
VEC_FN f64x2 f64x2_fnms(f64x2 a, f64x2 b, f64x2 c)
{
    return f64x2_fnma(a, b, -c);
}
VEC_FN f64x2 f64x2_fmaddsub(f64x2 a, f64x2 b, f64x2 c)
{
    const i64x2 minus = {(long long)(1ull << 63), 0};
    return f64x2_fma(a, b, (f64x2)((i64x2)c ^ minus));
}
VEC_FN f64x2 f64x2_swap(f64x2 a)
{
    return __builtin_shufflevector(a, a, 1, 0);
}
VEC_FN f64x2 f64x2_lo64(f64x2 a, f64x2 b)
{
    return __builtin_shufflevector(a, b, 0, 2);
}
VEC_FN f64x2 f64x2_hi64(f64x2 a, f64x2 b)
{
    return __builtin_shufflevector(a, b, 1, 3);
}
VEC_FN f64x2 f64x2_zip_lo(f64x2 a, f64x2 b)
{
    return __builtin_shufflevector(a, b, 0, 2);
}
VEC_FN f64x2 f64x2_zip_hi(f64x2 a, f64x2 b)
{
    return __builtin_shufflevector(a, b, 1, 3);
}
VEC_FN f64x2 f64x2_unzip_even(f64x2 a, f64x2 b)
{
    return __builtin_shufflevector(a, b, 0, 2);
}
VEC_FN f64x2 f64x2_unzip_odd(f64x2 a, f64x2 b)
{
    return __builtin_shufflevector(a, b, 1, 3);
}
VEC_FN f64x2 f64x2_unzip_even_back(f64x2 a, f64x2 b)
{
    return __builtin_shufflevector(a, b, 2, 0);
}
VEC_FN f64x2 f64x2_unzip_odd_back(f64x2 a, f64x2 b)
{
    return __builtin_shufflevector(a, b, 3, 1);
}
VEC_FN f64x2 f64x2_zip_lo_back(f64x2 a, f64x2 b)
{
    return __builtin_shufflevector(a, b, 1, 3);
}
VEC_FN f64x2 f64x2_zip_hi_back(f64x2 a, f64x2 b)
{
    return __builtin_shufflevector(a, b, 0, 2);
}
VEC_FN f64x2 f64x2_backwards(f64x2 a)
{
    return __builtin_shufflevector(a, a, 1, 0);
}
VEC_FN f64x2 f64x2_weave_lo(f64x2 a, f64x2 b)
{
    return __builtin_shufflevector(a, b, 0, 3);
}
VEC_FN f64x2 f64x2_weave_hi(f64x2 a, f64x2 b)
{
    return __builtin_shufflevector(a, b, 1, 2);
}
VEC_FN f64x2 f64x2_load_join(const void *p, int lanes, const void *q)
{
    const f64_memory *x = (const f64_memory *)p, *y = (const f64_memory *)q;
    return (f64x2){lanes > 0 ? x[0] : y[0], lanes > 1 ? x[1] : y[1]};
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
    return (f64x2){a[0], 0};
}
VEC_FN f64x2 f64x2_load_segments2(const void *p, const void *q)
{
    return (f64x2){*(const f64_memory *)p, *(const f64_memory *)q};
}
VEC_FN void f64x2_store_segments2(f64x2 a, void *p, void *q)
{
    *(f64_memory *)p = a[0];
    *(f64_memory *)q = a[1];
}
VEC_FN f64x2 f64x2_load_split(const void *re, const void *im)
{
    return f64x2_load_segments2(re, im);
}
VEC_FN void f64x2_store_split(void *re, void *im, f64x2 a)
{
    f64x2_store_segments2(a, re, im);
}
VEC_FN f64x2_index f64x2_lanes(ptrdiff_t stride)
{
    return (f64x2_index){stride};
}
VEC_FN f64x2 f64x2_gather(const void *p, f64x2_index at)
{
    const f64_memory *x = (const f64_memory *)p;
    return (f64x2){x[0], x[at.stride]};
}
VEC_FN void f64x2_scatter(void *p, f64x2_index at, f64x2 a)
{
    f64_memory *x = (f64_memory *)p;
    x[0] = a[0];
    x[at.stride] = a[1];
}

#endif
