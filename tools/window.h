// SPDX-License-Identifier: BSD-3-Clause
/* Windows: weights of the samples of a frame. */
#ifndef TOOLS_WINDOW_H
#define TOOLS_WINDOW_H

#include <stddef.h>

/* What --window takes; ends with NULL. */
extern const char *const window_names[];
#define WINDOW_NAMES "hann, hamming, blackman or rect"

/* The window of that name as `n` weights, periodic in n, the largest 1 at n/2; their sum is *sum. To
 * be freed; NULL: there is no memory. */
double *window_make(int name, size_t n, double *sum);

#endif
