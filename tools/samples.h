// SPDX-License-Identifier: BSD-3-Clause
/* Files of raw samples as the source and the sink of a stream. */
#ifndef TOOLS_SAMPLES_H
#define TOOLS_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/sluice.h"
#include "tools/output.h"
#include "tools/progress.h"

/* A file holds whole transforms, one after the other; a split side holds for each transform first
 * all real parts, then all imaginary parts. The source and the sink may run at once on different
 * threads, so each has a side of its own. */
typedef struct samples_side {
    bool split;
    bool failed;  /* and has complained */
    char *bounce; /* a block as the file has it; NULL: the slot has it that way too */
} samples_side;

typedef struct samples {
    size_t transform, block; /* bytes of a transform, transforms of a block */
    samples_side in, out;
    int fd; /* of the input */
    const char *name;
    bool ended;
    uint64_t bytes_read, bytes_written;
    output to;
    progress meter; /* of the sink */
} samples;

/* All return an exit code and have complained where it is not 0. */
int samples_open(samples *s, const sluice_problem *problem, const char *from, const char *to);
/* Ends both files; `good` false: nothing of the output stays. */
int samples_close(samples *s, bool good);

sluice_source samples_get;
sluice_sink samples_put;

#endif
