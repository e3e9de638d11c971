// SPDX-License-Identifier: BSD-3-Clause
/* The arrays that all engines of a problem use, one after the other. */
#ifndef BENCH_DATA_H
#define BENCH_DATA_H

#include "bench/engine/bench_mirror.h"
#include "bench/engine/bench_shape.h"

typedef struct bench_data {
    void *in, *in_im, *out, *out_im; /* base pointers; the _im are NULL but on split sides   */
    void *in_block, *out_block;      /* what they touch; equal in place                      */
    void *in_memory, *out_memory;    /* the allocations, which begin some bytes before       */
    void *pristine;                  /* what refilling restores where the input is overwritten */
    size_t in_bytes, out_bytes;      /* sizes of the blocks */
    size_t data_bytes;               /* size of the larger side's elements */
    size_t safe_reps;      /* calls before the values must be refilled; SIZE_MAX: the input stays */
    unsigned long filling; /* numbers the values they were filled with, of all data */
    bench_mirror **mirrors; /* the list of those in devices' memories */
} bench_data;

/* Allocates without setting values, see bench_data_fill. `place`: where the arrays begin within a
 * page, both at its start for 0; seven others follow. A load waits for an earlier store with the
 * same low 12 bits (4K aliasing), so places decide up to a quarter of the time. False: out of
 * memory. */
bool bench_data_open(bench_data *d, const bench_shape *shape, size_t place);
void bench_data_close(bench_data *d);
/* Seeded random values on the input, the spectra of reals where a half-spectrum is read; zeros on
 * the output. */
void bench_data_fill(bench_data *d, const bench_shape *shape);
/* Restores the filled input where calls overwrite it (bench_overwrites). */
void bench_data_refill(const bench_data *d);

#endif
