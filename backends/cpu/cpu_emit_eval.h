// SPDX-License-Identifier: BSD-3-Clause
/* Factors of kernels whose addresses are evaluated; also printed into programs (spl/words.h). */
#ifndef BACKENDS_CPU_EMIT_EVAL_H
#define BACKENDS_CPU_EMIT_EVAL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/trig.h"

/* re, im times entry t of T(n,m). */
static inline void cpu_turn(int64_t n, int64_t m, bool conjugate, int64_t t, long double *re,
                            long double *im)
{
    const long double wr = *re, wi = *im;
    long double cr, ci;

    core_root((size_t)((t / m) * (t % m)), (size_t)(n * m), &cr, &ci);
    if (conjugate)
        ci = -ci;
    *re = wr * cr - wi * ci;
    *im = wr * ci + wi * cr;
}

#endif
