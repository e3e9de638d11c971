// SPDX-License-Identifier: BSD-3-Clause
/* A part of a DCT-II of two axes, timed for comparison: the first of its three stages in Jiang, Gu,
 * Pan, "A New Acceleration Paradigm for Discrete Cosine Transform and Other Fourier-Related
 * Transforms" (table II), which puts rows and columns in the order 0 2 4 .. 5 3 1. It gathers
 * (reads scattered, writes in order) or scatters (reads in order, writes scattered). */
#include <stdlib.h>

#include "bench/peers/peer_loop.h"

enum { GATHER, SCATTER };

typedef struct reorder {
    bool f64, scatter;
    size_t rows, columns;
} reorder;

static bool reorder_load(const peer *self, const peer_settings *given, sluice_diag *why)
{
    (void)self;
    (void)given;
    (void)why;
    return true;
}

static bool reorder_is_available(const peer *self, const bench_shape *s, int workers,
                                 sluice_diag *why)
{
    (void)self;
    if (!peer_loop_fits(s, workers, (peer_limits){2, true}, why))
        return false;
    if (s->problem.rank != 2 || s->total != s->points || s->problem.in_place
        || bench_axis_kind(&s->problem, 0) != SLUICE_DCT2
        || bench_axis_kind(&s->problem, 1) != SLUICE_DCT2)
        peer_refuse(why, "it is a part of one dct2 of two axes, out of place");
    else
        return true;
    return false;
}

static void *reorder_make_plan(const peer *self, const bench_shape *s, int workers,
                               const bench_data *d, sluice_diag *why)
{
    (void)workers;
    (void)d;
    reorder *f = calloc(1, sizeof *f);
    if (!f) {
        peer_refuse(why, "there is no memory");
        return NULL;
    }
    *f = (reorder){.f64 = s->problem.precision == SLUICE_F64,
                   .scatter = self->variant == SCATTER,
                   .rows = s->problem.dim[0].n,
                   .columns = s->problem.dim[1].n};
    return f;
}

/* The source index of the i-th of n elements. */
static size_t fold(size_t i, size_t n)
{
    return i < (n + 1) / 2 ? 2 * i : 2 * n - 1 - 2 * i;
}

#define REORDER(T, SUFFIX)                                                                         \
    static void gather_row_##SUFFIX(T *restrict out, const T *restrict in, size_t n)               \
    {                                                                                              \
        const size_t half = (n + 1) / 2;                                                           \
        for (size_t j = 0; j < half; j++)                                                          \
            out[j] = in[2 * j];                                                                    \
        for (size_t j = half; j < n; j++)                                                          \
            out[j] = in[2 * n - 1 - 2 * j];                                                        \
    }                                                                                              \
    static void scatter_row_##SUFFIX(T *restrict out, const T *restrict in, size_t n)              \
    {                                                                                              \
        for (size_t j = 0; j + 1 < n; j += 2) {                                                    \
            out[j / 2] = in[j];                                                                    \
            out[n - 1 - j / 2] = in[j + 1];                                                        \
        }                                                                                          \
        if (n % 2)                                                                                 \
            out[n / 2] = in[n - 1];                                                                \
    }                                                                                              \
    static void reorder_##SUFFIX(const reorder *f, T *out, const T *in)                            \
    {                                                                                              \
        const size_t n = f->columns;                                                               \
        for (size_t i = 0; i < f->rows; i++)                                                       \
            if (f->scatter)                                                                        \
                scatter_row_##SUFFIX(out + (i % 2 ? f->rows - 1 - i / 2 : i / 2) * n, in + i * n,  \
                                     n);                                                           \
            else                                                                                   \
                gather_row_##SUFFIX(out + i * n, in + fold(i, f->rows) * n, n);                    \
    }
REORDER(float, floats)
REORDER(double, doubles)

static bool reorder_run(void *plan, const bench_data *d, size_t reps)
{
    const reorder *f = plan;
    for (size_t i = 0; i < reps; i++)
        if (f->f64)
            reorder_doubles(f, d->out, d->in);
        else
            reorder_floats(f, d->out, d->in);
    return true;
}

static const char *reorder_version(const peer *self, sluice_precision precision)
{
    (void)self;
    (void)precision;
    return "a part of the work: an order of rows and columns";
}

#define REORDER_CALLS                                                                              \
    .effort = "-", .is_part = true, .load = reorder_load, .available = reorder_is_available,       \
    .plan = reorder_make_plan, .run = reorder_run, .destroy = free, .version = reorder_version

const peer peer_reorder_gather = {
    .name = "reorder-gather",
    .description = "a part: the first stage of a dct2 of two axes, written in order",
    .variant = GATHER,
    REORDER_CALLS,
};
const peer peer_reorder_scatter = {
    .name = "reorder-scatter",
    .description = "a part: the same, read in order",
    .variant = SCATTER,
    REORDER_CALLS,
};
