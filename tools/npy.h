// SPDX-License-Identifier: BSD-3-Clause
/* Headers of NumPy's .npy files (its format 1.0, 2.0 and 3.0). */
#ifndef TOOLS_NPY_H
#define TOOLS_NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/format.h"

enum { NPY_RANK_MAX = 32, NPY_HEADER_MAX = 1024 };

typedef struct npy_array {
    const sample_format *format; /* format of a real number, or of each part of a complex one */
    bool is_complex, swapped;    /* swapped: numbers have the other byte order */
    int rank;
    uint64_t shape[NPY_RANK_MAX]; /* slowest dimension first; the product does not overflow */
} npy_array;

enum { NPY_WHY = 400 };
/* Are these the first bytes of a .npy file? Tests six of them. */
bool npy_begins(const void *bytes, size_t count);
/* Reads a header, up to the first number. False: `why` is a sentence without a subject. */
bool npy_read(FILE *from, npy_array *out, char why[NPY_WHY]);
/* Number of elements of an array. */
uint64_t npy_count(const npy_array *a);
/* Writes a header for numbers in this machine's byte order and returns its length: `length` bytes,
 * or with `length` 0 as many as the same array needs with any first dimension. */
size_t npy_write(const npy_array *a, size_t length, char to[NPY_HEADER_MAX]);
/* Writes a shape such as "(10, 64)" to `to` and returns it. */
enum { NPY_SHAPE = NPY_RANK_MAX * 22 };
const char *npy_shape(char to[NPY_SHAPE], const uint64_t *shape, int rank);

/* Is it the name of a .npy file? */
bool npy_is_name(const char *path);

#endif
