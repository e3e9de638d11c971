// SPDX-License-Identifier: BSD-3-Clause
/* Codelets of reproducible plans that compute one column at a time, on processors with AVX2: a
 * complex number is a vector, re and im separately are plain C. Same functions and results as
 * vec_fused.h. */
#ifndef CPU_VEC_FMA_H
#define CPU_VEC_FMA_H

#include "backends/cpu/isa/vec_parts.h"
#include "backends/cpu/isa/vec_short_avx2.h"

VEC_FN f32x2 f32x2_fused_fma(f32x2 a, f32x2 b, f32x2 c)
{
    return f32x2_fma(a, b, c);
}
VEC_FN f32x2 f32x2_fused_fnma(f32x2 a, f32x2 b, f32x2 c)
{
    return f32x2_fnma(a, b, c);
}
VEC_FN f32x2 f32x2_fused_fmaddsub(f32x2 a, f32x2 b, f32x2 c)
{
    return f32x2_fmaddsub(a, b, c);
}
VEC_FN f64x2 f64x2_fused_fma(f64x2 a, f64x2 b, f64x2 c)
{
    return f64x2_fma(a, b, c);
}
VEC_FN f64x2 f64x2_fused_fnma(f64x2 a, f64x2 b, f64x2 c)
{
    return f64x2_fnma(a, b, c);
}
VEC_FN f64x2 f64x2_fused_fmaddsub(f64x2 a, f64x2 b, f64x2 c)
{
    return f64x2_fmaddsub(a, b, c);
}

#endif
