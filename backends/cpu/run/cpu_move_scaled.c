// SPDX-License-Identifier: BSD-3-Clause
/* Moves real numbers and multiplies them by a constant: edges of orthogonal cosine and sine
 * transforms, usually one element of each row. */
#include "backends/cpu/run/cpu_scale.h"
#include "backends/cpu/run/cpu_state.h"

/* Defines NAME(..), which moves columns lo .. hi-1 of one row of type REAL, by strides, or by
 * tables of offsets if there are any. */
#define MOVER(name, real)                                                                          \
    static void name(const bind_op *op, const real *in, real *out, int64_t lo, int64_t hi)         \
    {                                                                                              \
        const int32_t *from = op->element_offsets[0], *to = op->element_offsets[1];                \
        const ptrdiff_t is = op->call.ics, os = op->call.ocs;                                      \
        const real by = (real)op->factor;                                                          \
        if (!from && !to)                                                                          \
            for (int64_t k = lo; k < hi; k++)                                                      \
                out[k * os] = by * in[k * is];                                                     \
        else                                                                                       \
            for (int64_t k = lo; k < hi; k++)                                                      \
                out[(to ? to[k] : k) * os] = by * in[(from ? from[k] : k) * is];                   \
    }

MOVER(move_f32, float)
MOVER(move_f64, double)

void cpu_move_scaled(const cpu_program *p, const bind_op *op, const spl_call *call,
                     const int64_t columns[2], const int64_t rows[2])
{
    const ptrdiff_t scalar = (ptrdiff_t)p->tape.scalar;
    const bool adjacent =
        call->ics == 1 && call->ocs == 1 && !op->element_offsets[0] && !op->element_offsets[1];
    cpu_scale_fn *const scale = cpu_scale[p->owner->isa][p->tape.precision];

    for (int64_t r = rows[0]; r < rows[1]; r++) {
        const char *in = (const char *)call->in_re + r * call->iouter * scalar;
        char *out = (char *)call->out_re + r * call->oouter * scalar;
        if (adjacent)
            cpu_scale_run(scale, out + columns[0] * scalar, in + columns[0] * scalar,
                          (size_t)(columns[1] - columns[0]), op->factor);
        else if (p->tape.precision == SLUICE_F32)
            move_f32(op, (const float *)(const void *)in, (float *)(void *)out, columns[0],
                     columns[1]);
        else
            move_f64(op, (const double *)(const void *)in, (double *)(void *)out, columns[0],
                     columns[1]);
    }
}
