// SPDX-License-Identifier: BSD-3-Clause
/* The elements of a side at the addresses that its strides give them. */
#ifndef BENCH_ELEMENTS_H
#define BENCH_ELEMENTS_H

#include "bench/engine/bench_data.h"

/* The number of scalars of the output without gaps: re and im of element after element, slowest
 * dimension first. */
size_t bench_output_scalars(const bench_shape *s);
/* Copies these scalars to `packed`. */
void bench_pack_output(const bench_shape *s, const bench_data *d, void *packed);
/* Makes `values`, which has the input's layout, the spectra of real arrays of several axes. Needed
 * because libraries read different halves of the elements that are stored twice. */
void bench_make_hermitian(const bench_shape *s, const bench_data *d, void *values);

#endif
