// SPDX-License-Identifier: BSD-3-Clause
/* Windows: weights of the samples of a frame. */
#ifndef TOOLS_WINDOW_H
#define TOOLS_WINDOW_H

#include <stddef.h>

/* Words of --window; ends with NULL. */
extern const char *const window_names[];
#define WINDOW_NAMES "hann, hamming, blackman or rect"

/* A window as `n` weights, periodic in n, with the maximum 1 at n/2; their sum is *sum. Freed by
 * the caller; NULL: out of memory. */
double *window_make(int name, size_t n, double *sum);
/* The `n` real numbers of a .npy file. NULL: the reason has been printed. */
double *window_read(const char *path, size_t n);

#endif
