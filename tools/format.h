// SPDX-License-Identifier: BSD-3-Clause
/* Formats of numbers in files of samples. */
#ifndef TOOLS_FORMAT_H
#define TOOLS_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sample_format {
    const char *name; /* word of --format */
    char npy[3];      /* type in a .npy file: kind and bytes */
    size_t bytes;
    double zero,
        scale; /* (number - zero) * scale is -1 ... 1 at full scale; floats are not scaled */
    void (*decode)(const void *from, size_t count, double *to);
} sample_format;

/* f32, f64, i16, i8, u8; ends with a record without a name. */
extern const sample_format sample_formats[];

/* Converts numbers to doubles, with `full_scale` scaled to -1 ... 1. */
void sample_decode(const sample_format *f, const void *from, size_t count, bool full_scale,
                   double *to);
/* Swaps the bytes of numbers in the other byte order. */
void sample_swap(const sample_format *f, void *numbers, size_t count);

#endif
