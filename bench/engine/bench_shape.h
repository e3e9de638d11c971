// SPDX-License-Identifier: BSD-3-Clause
/* The shape of a problem's data: strides with all defaults filled in, the extent of memory, and the
 * counts from which figures are computed. */
#ifndef BENCH_SHAPE_H
#define BENCH_SHAPE_H

#include <stdbool.h>

#include "api/sluice.h"

/* Memory of one side. Negative strides address up to `below` elements before the base pointer. */
typedef struct bench_side {
    bool real;          /* elements are reals (the input of r2c, for example), else complex */
    size_t element;     /* bytes of an element in one array; of a scalar on a split side */
    size_t last;        /* elements of the last axis: n, or n/2 + 1 */
    size_t elements;    /* elements of the whole side */
    size_t below;       /* elements before the base, rounded so that the base stays aligned */
    size_t plane_bytes; /* size of one array; a split side has two, one after the other */
    size_t block_bytes; /* size of the whole allocation */
} bench_side;

typedef struct bench_shape {
    sluice_problem problem; /* with the strides of both sides filled in */
    bench_side in, out;
    size_t scalar;     /* bytes of one real number                    */
    size_t points;     /* points of one transform */
    size_t total;      /* points of all transforms */
    size_t data_bytes; /* size of the larger side's elements, without holes */
    double flops;      /* 5 N log2 N times the batch, for real kinds 2.5 N log2 N, by convention */
} bench_shape;

/* SLUICE_E_UNSUPPORTED if the bench cannot lay out or address the data; `why` holds the reason. */
sluice_status bench_shape_make(bench_shape *out, const sluice_problem *problem, sluice_diag *why);

/* The kind of an axis. The last one determines whether the sides are real. */
sluice_kind bench_axis_kind(const sluice_problem *p, int axis);
/* Elements along dimension i of a side, slowest first: the batch, then the axes. */
size_t bench_extent(const bench_shape *s, int i, bool output);
/* Does the problem read half-spectra? */
static inline bool bench_reads_spectra(const bench_shape *s)
{
    return s->out.real && !s->in.real;
}
/* May a peer overwrite the input, so that it must be refilled before each window? In place, and for
 * c2r of several axes, for which FFTW has no other way. */
static inline bool bench_overwrites(const bench_shape *s)
{
    return s->problem.in_place || (bench_reads_spectra(s) && s->problem.rank > 1);
}

#endif
