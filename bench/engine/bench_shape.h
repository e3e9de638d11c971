// SPDX-License-Identifier: BSD-3-Clause
/* The shape of a problem's data: strides with all defaults filled in, the extent of the memory, and
 * the counts that figures are computed from. */
#ifndef BENCH_SHAPE_H
#define BENCH_SHAPE_H

#include "api/sluice.h"

/* Memory of one side. Negative strides address up to `below` elements before the base pointer. */
typedef struct bench_side {
    size_t below;       /* elements before the base, rounded so that the base stays aligned */
    size_t plane_bytes; /* size of one array; a split side has two, one after the other */
    size_t block_bytes; /* size of the whole allocation */
} bench_side;

typedef struct bench_shape {
    sluice_problem problem; /* with the strides of both sides filled in */
    bench_side in, out;
    size_t scalar;     /* bytes of one real number                    */
    size_t points;     /* points of one transform */
    size_t data_bytes; /* size of one side's elements, without holes */
    double flops;      /* 5 N log2 N times the batch, a convention    */
} bench_shape;

/* SLUICE_E_UNSUPPORTED if the bench cannot lay out or address the data; `why` holds the reason. */
sluice_status bench_shape_make(bench_shape *out, const sluice_problem *problem, sluice_diag *why);

/* Elements of a side are complex; split arrays hold one scalar each. */
static inline size_t bench_element(const bench_shape *s, sluice_layout layout)
{
    return layout == SLUICE_SPLIT ? s->scalar : 2 * s->scalar;
}

#endif
