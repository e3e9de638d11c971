// SPDX-License-Identifier: BSD-3-Clause
/* The arrays that all engines of a problem use, one after the other. */
#ifndef BENCH_DATA_H
#define BENCH_DATA_H

#include "bench/engine/bench_shape.h"

typedef struct bench_data {
    void *in, *in_im, *out, *out_im; /* base pointers; the _im are NULL on interleaved sides */
    void *in_block, *out_block;      /* the allocations; equal in place                      */
    void *pristine;                  /* in place: the values that refilling restores; else NULL */
    size_t in_bytes, out_bytes;      /* sizes of the allocations */
    size_t data_bytes;               /* size of one side's elements */
    size_t safe_reps; /* calls before the values must be refilled; SIZE_MAX out of place */
} bench_data;

/* Allocates without setting values, see bench_data_fill. False: out of memory. */
bool bench_data_open(bench_data *d, const bench_shape *shape);
void bench_data_close(bench_data *d);
/* Seeded random values on the input, zeros on the output. */
void bench_data_fill(bench_data *d, const bench_shape *shape);
/* In place: restores the filled input. Out of place the input never changes. */
void bench_data_refill(const bench_data *d);

#endif
