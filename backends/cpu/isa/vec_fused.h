// SPDX-License-Identifier: BSD-3-Clause
/* Plain C for codelets of reproducible plans on any processor: vec_scalar.h, plus products with
 * sums that are rounded once. */
#ifndef CPU_VEC_FUSED_H
#define CPU_VEC_FUSED_H

#include "backends/cpu/isa/vec_scalar.h"

VEC_FN f32x2 f32x2_fused_fma(f32x2 a, f32x2 b, f32x2 c)
{
    return (f32x2){f32x1_fused_fma(a.re, b.re, c.re), f32x1_fused_fma(a.im, b.im, c.im)};
}
VEC_FN f32x2 f32x2_fused_fnma(f32x2 a, f32x2 b, f32x2 c)
{
    return (f32x2){f32x1_fused_fnma(a.re, b.re, c.re), f32x1_fused_fnma(a.im, b.im, c.im)};
}
VEC_FN f32x2 f32x2_fused_fmaddsub(f32x2 a, f32x2 b, f32x2 c)
{
    return (f32x2){f32x1_fused_fma(a.re, b.re, -c.re), f32x1_fused_fma(a.im, b.im, c.im)};
}
VEC_FN f64x2 f64x2_fused_fma(f64x2 a, f64x2 b, f64x2 c)
{
    return (f64x2){f64x1_fused_fma(a.re, b.re, c.re), f64x1_fused_fma(a.im, b.im, c.im)};
}
VEC_FN f64x2 f64x2_fused_fnma(f64x2 a, f64x2 b, f64x2 c)
{
    return (f64x2){f64x1_fused_fnma(a.re, b.re, c.re), f64x1_fused_fnma(a.im, b.im, c.im)};
}
VEC_FN f64x2 f64x2_fused_fmaddsub(f64x2 a, f64x2 b, f64x2 c)
{
    return (f64x2){f64x1_fused_fma(a.re, b.re, -c.re), f64x1_fused_fma(a.im, b.im, c.im)};
}

#endif
