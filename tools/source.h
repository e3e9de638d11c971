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

/* The transforms of a problem as a file has them: packed, one after the other. */
typedef struct sample_layout {
    const char *text; /* the problem, for sentences */
    sluice_precision precision;
    bool in_split, out_split;
    int rank;
    uint64_t shape[NPY_RANK_MAX]; /* batch dimensions, then axes, slowest first */
    size_t points;                /* their product: of a transform with its batch */
} sample_layout;

typedef struct source_options {
    const char *path;            /* "-": stdin */
    const sample_format *format; /* of raw numbers; NULL: the precision's */
    bool npy;                    /* a .npy file, which says its own */
    bool real;                   /* raw numbers have no imaginary parts */
    const double *window;        /* of as many weights as points, kept; NULL: none */
    size_t hop;                  /* samples from a transform to the next; 0: all of them */
} source_options;

/* A raw file with a split side holds for each transform first all real parts, then all imaginary
 * parts. */
typedef struct sample_source {
    const sample_layout *layout;
    source_options how;
    const char *name;
    FILE *file;
    const sample_format *format;
    bool is_complex, file_split;
    bool direct;       /* slots hold what the file does */
    npy_array array;   /* of a .npy file */
    size_t sample;     /* bytes */
    size_t block;      /* transforms of a slot */
    char peek[6];      /* first bytes of raw samples, looked at and not taken yet */
    size_t peeked;     /* how many */
    char *frame;       /* a transform as the file has it */
    uint64_t expected; /* transforms; UINT64_MAX: not known, it is a pipe */
    uint64_t left;     /* bytes that an array has still; UINT64_MAX: to the end of the file */
    uint64_t bytes_read, transforms;
    uint64_t not_finite, first_not_finite; /* transforms */
    bool ended, failed;                    /* failed: and has complained */
} sample_source;

/* Both return an exit code and have complained where it is not 0. */
int source_open(sample_source *s, const sample_layout *layout, const source_options *how);
/* Makes room for slots of `block` transforms. */
int source_start(sample_source *s, size_t block);
void source_close(sample_source *s);

/* A sluice_source, but for its first argument. */
sluice_status source_get(sample_source *s, sluice_slot *slot);

#endif
