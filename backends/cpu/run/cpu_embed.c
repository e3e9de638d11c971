// SPDX-License-Identifier: BSD-3-Clause
/* Real numbers become complex with im 0. If re and im are adjacent both are written by one store,
 * because a later load of both would have to wait for two. */
#include "backends/cpu/run/cpu_state.h"

/* Where the columns of a row are on both sides. */
typedef struct places {
    const int32_t *from, *to; /* offsets in units of in and out; NULL: in order */
    ptrdiff_t in, out, part;  /* strides of columns; from re to im */
    int64_t lo, hi;
} places;

/* Defines NAME(..), which embeds columns of one row of type REAL, and NAME_runs(..), without
 * gaps. */
#define EMBEDDER(name, real)                                                                       \
    typedef real name##_pair                                                                       \
        __attribute__((vector_size(2 * sizeof(real)), aligned(sizeof(real)), may_alias));          \
    typedef real name##_pairs                                                                      \
        __attribute__((vector_size(4 * sizeof(real)), aligned(sizeof(real)), may_alias));          \
                                                                                                   \
    static void name##_runs(const real *in, real *out, int64_t count)                              \
    {                                                                                              \
        int64_t k = 0;                                                                             \
        for (; k + 2 <= count; k += 2)                                                             \
            *(name##_pairs *)(out + 2 * k) = (name##_pairs){in[k], 0, in[k + 1], 0};               \
        for (; k < count; k++)                                                                     \
            *(name##_pair *)(out + 2 * k) = (name##_pair){in[k], 0};                               \
    }                                                                                              \
                                                                                                   \
    static void name(const places *c, const real *in, real *out)                                   \
    {                                                                                              \
        const bool tables = c->from || c->to;                                                      \
        if (!tables && c->in == 1 && c->out == 2 && c->part == 1) {                                \
            name##_runs(in + c->lo, out + 2 * c->lo, c->hi - c->lo);                               \
            return;                                                                                \
        }                                                                                          \
        for (int64_t k = c->lo; k < c->hi; k++) {                                                  \
            real *const at = out + (c->to ? c->to[k] : k) * c->out;                                \
            const real x = in[(c->from ? c->from[k] : k) * c->in];                                 \
            if (c->part == 1) {                                                                    \
                *(name##_pair *)at = (name##_pair){x, 0};                                          \
            } else {                                                                               \
                at[0] = x;                                                                         \
                at[c->part] = 0;                                                                   \
            }                                                                                      \
        }                                                                                          \
    }

EMBEDDER(embed_f32, float)
EMBEDDER(embed_f64, double)

/* Does each row begin where the one before it ends, so that all are one row? */
static bool are_joined(const places *c, const spl_call *call)
{
    return !c->from && !c->to && c->lo == 0 && call->iouter == c->hi * c->in
           && call->oouter == c->hi * c->out;
}

void cpu_embed(const cpu_program *p, const bind_op *op, const spl_call *call,
               const int64_t columns[2], const int64_t rows[2])
{
    const bool single = p->tape.precision == SLUICE_F32;
    const ptrdiff_t scalar = (ptrdiff_t)p->tape.scalar;
    places c = {.from = op->element_offsets[0],
                .to = op->element_offsets[1],
                .in = call->ics,
                .out = call->ocs,
                .part = ((char *)call->out_im - (char *)call->out_re) / scalar,
                .lo = columns[0],
                .hi = columns[1]};
    const bool joined = are_joined(&c, call);

    c.hi *= joined ? rows[1] - rows[0] : 1;
    for (int64_t r = rows[0]; r < (joined ? rows[0] + 1 : rows[1]); r++) {
        const char *in = (const char *)call->in_re + r * call->iouter * scalar;
        char *out = (char *)call->out_re + r * call->oouter * scalar;
        if (single)
            embed_f32(&c, (const float *)(const void *)in, (float *)(void *)out);
        else
            embed_f64(&c, (const double *)(const void *)in, (double *)(void *)out);
    }
}
