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
    const sample_format *format; /* of a number, or of both parts of a complex one */
    bool is_complex, swapped;    /* swapped: of the other byte order */
    int rank;
    uint64_t shape[NPY_RANK_MAX]; /* slowest first; their product fits */
} npy_array;

enum { NPY_WHY = 400 };
/* Are these the first bytes of a .npy file? Six are looked at. */
bool npy_begins(const void *bytes, size_t count);
/* Reads a header, up to the first number. False: `why` is a sentence without a subject. */
bool npy_read(FILE *from, npy_array *out, char why[NPY_WHY]);
/* Elements of an array. */
uint64_t npy_count(const npy_array *a);
/* Writes a header of this machine's complex numbers; it has `length` bytes, or where that is 0 as
 * many as the same array with any first dimension may need. Returns its length. */
size_t npy_write(const npy_array *a, size_t length, char to[NPY_HEADER_MAX]);
/* "(10, 64)": to[NPY_SHAPE], which is returned. */
enum { NPY_SHAPE = NPY_RANK_MAX * 22 };
const char *npy_shape(char to[NPY_SHAPE], const uint64_t *shape, int rank);

/* Is it the name of a .npy file? */
bool npy_is_name(const char *path);

#endif
