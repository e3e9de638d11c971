// SPDX-License-Identifier: BSD-3-Clause
/* Plain C for codelets of reproducible plans: vec_scalar.h, and products and sums that are rounded
 * once on any processor, as those of vectors are: where it has no instruction for that, the C
 * library computes them. */
#ifndef CPU_VEC_FUSED_H
#define CPU_VEC_FUSED_H

#include "backends/cpu/isa/vec_scalar.h"

#if defined(__FMA__) || defined(__FP_FAST_FMA)
#define VEC_FUSED inline __attribute__((always_inline, unused))
#else /* a call of the C library in one place, not in thousands */
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
VEC_FN f32x2 f32x2_fused_fma(f32x2 a, f32x2 b, f32x2 c)
{
    return (f32x2){f32x1_fused_fma(a.re, b.re, c.re), f32x1_fused_fma(a.im, b.im, c.im)};
}
VEC_FN f32x2 f32x2_fused_fnma(f32x2 a, f32x2 b, f32x2 c)
{
    return (f32x2){f32x1_fused_fnma(a.re, b.re, c.re), f32x1_fused_fnma(a.im, b.im, c.im)};
}
VEC_FN f64x2 f64x2_fused_fma(f64x2 a, f64x2 b, f64x2 c)
{
    return (f64x2){f64x1_fused_fma(a.re, b.re, c.re), f64x1_fused_fma(a.im, b.im, c.im)};
}
VEC_FN f64x2 f64x2_fused_fnma(f64x2 a, f64x2 b, f64x2 c)
{
    return (f64x2){f64x1_fused_fnma(a.re, b.re, c.re), f64x1_fused_fnma(a.im, b.im, c.im)};
}

#endif
