// SPDX-License-Identifier: BSD-3-Clause
#include "backends/cpu/run/cpu_weigh.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

/* Defines NAME(x): row t = row f times row w, for scalars of type REAL. VECTORS advances i as far
 * as whole vectors go; ATTRIBUTE allows the compiler to use their instructions. */
#define WEIGHER(attribute, name, real, vectors)                                                    \
    attribute static void name(const cpu_weighed *x)                                               \
    {                                                                                              \
        for (size_t r = 0; r < x->rows; r++) {                                                     \
            const real *const f = (const real *)x->from + (ptrdiff_t)r * x->from_row;              \
            const real *const w = (const real *)x->weight + (ptrdiff_t)r * x->weight_row;          \
            real *const t = (real *)x->to + (ptrdiff_t)r * x->to_row;                              \
            size_t i = 0;                                                                          \
            vectors for (; i < x->count; i++) t[i] = f[i] * w[i];                                  \
        }                                                                                          \
    }

#define VECTORS(lanes, bits, type)                                                                 \
    for (; i + (lanes) <= x->count; i += (lanes))                                                  \
        _mm##bits##_storeu_##type(t + i, _mm##bits##_mul_##type(_mm##bits##_loadu_##type(w + i),   \
                                                                _mm##bits##_loadu_##type(f + i)));

WEIGHER(, scalar_f32, float, )
WEIGHER(, scalar_f64, double, )
#ifdef __x86_64__
WEIGHER(CPU_USES("avx2"), avx2_f32, float, VECTORS(8, 256, ps))
WEIGHER(CPU_USES("avx2"), avx2_f64, double, VECTORS(4, 256, pd))
WEIGHER(CPU_USES("avx512f"), avx512_f32, float, VECTORS(16, 512, ps))
WEIGHER(CPU_USES("avx512f"), avx512_f64, double, VECTORS(8, 512, pd))
#endif

cpu_weigh_fn *cpu_weigher(core_isa isa, int precision)
{
    static cpu_weigh_fn *const plain[2] = {scalar_f32, scalar_f64};
    static cpu_weigh_fn *const own[CORE_ISA_COUNT][2] = {
#ifdef __x86_64__
        [CORE_ISA_AVX2] = {avx2_f32, avx2_f64},
        [CORE_ISA_AVX512] = {avx512_f32, avx512_f64},
#endif
        [CORE_ISA_SCALAR] = {scalar_f32, scalar_f64},
    };

    return own[isa][precision] ? own[isa][precision] : plain[precision];
}
