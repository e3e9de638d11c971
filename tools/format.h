// SPDX-License-Identifier: BSD-3-Clause
/* Formats of numbers in files of samples. */
#ifndef TOOLS_FORMAT_H
#define TOOLS_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

typedef struct sample_format {
    const char *name; /* what --format takes  */
    char npy[3];      /* what a .npy file says: kind and bytes */
    size_t bytes;
    double zero, scale; /* full scale is -1 ... 1: (number - zero) * scale; floats are themselves */
    void (*decode)(const void *from, size_t count, double *to);
} sample_format;

/* f32, f64, i16, i8, u8; ends with a record without a name. */
extern const sample_format sample_formats[];

/* The numbers themselves, or where `full_scale` says so scaled to -1 ... 1. */
void sample_decode(const sample_format *f, const void *from, size_t count, bool full_scale,
                   double *to);
/* Turns numbers of the other byte order into this machine's. */
void sample_swap(const sample_format *f, void *numbers, size_t count);

#endif
