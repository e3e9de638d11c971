// SPDX-License-Identifier: BSD-3-Clause
/* Runs permutations of single elements by their tables (spl/bind/bind_permute.c). */
#include <stdint.h>
#include <string.h>

#include "backends/cpu/run/cpu_state.h"

/* Adjacent elements of `bytes`, which is constant where this is inlined. */
static inline void move_elements(const int32_t *from, const int32_t *to, const char *in, char *out,
                                 int64_t lo, int64_t hi, size_t bytes)
{
    if (!from && !to)
        memcpy(out + (size_t)lo * bytes, in + (size_t)lo * bytes, (size_t)(hi - lo) * bytes);
    for (int64_t k = lo; from && !to && k < hi; k++)
        memcpy(out + (size_t)k * bytes, in + (ptrdiff_t)from[k] * (ptrdiff_t)bytes, bytes);
    for (int64_t k = lo; !from && to && k < hi; k++)
        memcpy(out + (ptrdiff_t)to[k] * (ptrdiff_t)bytes, in + (size_t)k * bytes, bytes);
    for (int64_t k = lo; from && to && k < hi; k++)
        memcpy(out + (ptrdiff_t)to[k] * (ptrdiff_t)bytes,
               in + (ptrdiff_t)from[k] * (ptrdiff_t)bytes, bytes);
}

/* One scalar of each element; unit: bytes per element on each side. */
static void move_scalars(const bind_op *op, const char *in, char *out, int64_t lo, int64_t hi,
                         const ptrdiff_t *unit, size_t scalar)
{
    for (int64_t k = lo; k < hi; k++) {
        const ptrdiff_t from = op->element_offsets[0] ? op->element_offsets[0][k] : k;
        const ptrdiff_t to = op->element_offsets[1] ? op->element_offsets[1][k] : k;
        memcpy(out + to * unit[1], in + from * unit[0], scalar);
    }
}

void cpu_move(const bind_tape *p, const bind_op *op, const spl_call *call, int64_t lo, int64_t hi)
{
    const bool split[2] = {p->buf[op->in].format == SPL_SPLIT, p->buf[op->out].format == SPL_SPLIT};
    const ptrdiff_t scalar = (ptrdiff_t)p->scalar;
    const bool real = p->buf[op->in].format == SPL_REAL && op->stmt->fin->n == 1;
    const ptrdiff_t unit[2] = {split[0] ? scalar : 2 * scalar, split[1] ? scalar : 2 * scalar};

    if (split[0] || split[1]) {
        move_scalars(op, call->in_re, call->out_re, lo, hi, unit, p->scalar);
        move_scalars(op, call->in_im, call->out_im, lo, hi, unit, p->scalar);
    } else if (scalar == sizeof(float) && real) {
        move_elements(op->element_offsets[0], op->element_offsets[1], call->in_re, call->out_re, lo,
                      hi, sizeof(float));
    } else if (scalar == sizeof(float) || real) {
        move_elements(op->element_offsets[0], op->element_offsets[1], call->in_re, call->out_re, lo,
                      hi, 2 * sizeof(float));
    } else {
        move_elements(op->element_offsets[0], op->element_offsets[1], call->in_re, call->out_re, lo,
                      hi, 2 * sizeof(double));
    }
}
