// SPDX-License-Identifier: BSD-3-Clause
/* The arrays that all engines of a problem use, one after the other. */
#ifndef BENCH_DATA_H
#define BENCH_DATA_H

#include "bench/engine/bench_mirror.h"
#include "bench/engine/bench_shape.h"

typedef struct bench_data {
    void *in, *in_im, *out, *out_im; /* base pointers; the _im are NULL except on split sides */
    void *in_block, *out_block;      /* blocks with all elements; equal in place */
    void *in_memory, *out_memory;    /* the allocations, which begin some bytes earlier */
    void *pristine;                  /* copy of the input, for refilling, if calls overwrite it */
    size_t in_bytes, out_bytes;      /* sizes of the blocks */
    size_t data_bytes;               /* size of the larger side's elements */
    size_t safe_reps;                /* calls until the values must be refilled; SIZE_MAX: never */
    unsigned long filling;           /* number of the current values, unique among all data */
    bench_mirror **mirrors;          /* the list of copies in devices' memories */
} bench_data;

/* Allocates without setting values, see bench_data_fill. `place` chooses the offset of the arrays
 * within a page: 0 is its start for both sides; seven others follow. A load waits for an earlier
 * store with the same low 12 bits (4K aliasing), so the offsets change the time by up to a quarter.
 * False: out of memory. */
bool bench_data_open(bench_data *d, const bench_shape *shape, size_t place);
void bench_data_close(bench_data *d);
/* Sets the input to seeded random values, or to spectra of reals if a half-spectrum is read, and
 * the output to zeros. */
void bench_data_fill(bench_data *d, const bench_shape *shape);
/* Restores the input if calls overwrite it (bench_overwrites). */
void bench_data_refill(const bench_data *d);

#endif
