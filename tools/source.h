// SPDX-License-Identifier: BSD-3-Clause
/* Files of samples as the source of a stream: raw numbers of any format, or .npy. */
#ifndef TOOLS_SOURCE_H
#define TOOLS_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "api/sluice.h"
#include "tools/format.h"
#include "tools/npy.h"

/* One side of a transform in a file. */
typedef struct sample_side {
    bool split;
    size_t scalars;               /* of a number: 1 real, 2 complex */
    uint64_t shape[NPY_RANK_MAX]; /* batch dimensions, then axes, slowest first */
    size_t points;                /* product of the shape: numbers of a transform with its batch */
} sample_side;

/* The layout of a problem's transforms in a file: packed, one after the other. */
typedef struct sample_layout {
    const char *text; /* the problem, for messages */
    sluice_precision precision;
    int rank;
    sample_side in, out;
} sample_layout;

typedef struct source_options {
    const char *path;            /* "-": stdin */
    const sample_format *format; /* format of raw numbers; NULL: the problem's precision */
    bool npy;                    /* a .npy file, which states its format */
    bool real;                   /* raw numbers have no imaginary parts */
    size_t hop; /* samples from one transform to the next; 0: all samples of a transform */
} source_options;

/* A raw file with a split side holds for each transform first all real parts, then all imaginary
 * parts. */
typedef struct sample_source {
    const sample_layout *layout;
    source_options options;
    const char *name;
    FILE *file;
    const sample_format *format;
    bool is_complex, file_split;
    bool direct;       /* slots have the file's layout */
    npy_array array;   /* header of a .npy file */
    size_t sample;     /* size of a sample in bytes */
    size_t block;      /* transforms per slot */
    char peek[6];      /* first bytes of raw samples, examined but not yet consumed */
    size_t peeked;     /* number of those bytes */
    char *frame;       /* a transform in the file's layout */
    uint64_t expected; /* number of transforms; UINT64_MAX: unknown, a pipe */
    uint64_t left;     /* remaining bytes of the array; UINT64_MAX: to the end of the file */
    uint64_t bytes_read, transforms;
    uint64_t not_finite, first_not_finite; /* transforms */
    bool ended, failed;                    /* failed: the reason has been printed */
} sample_source;

/* Both return an exit code and have printed the reason if it is not 0. */
int source_open(sample_source *s, const sample_layout *layout, const source_options *options);
/* Allocates buffers for slots of `block` transforms. */
int source_start(sample_source *s, size_t block);
void source_close(sample_source *s);

/* A sluice_source except for its first argument. */
sluice_status source_get(sample_source *s, sluice_slot *slot);

#endif
