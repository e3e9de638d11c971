// SPDX-License-Identifier: BSD-3-Clause
/* Files of results as the sink of a stream: raw numbers, or .npy. */
#ifndef TOOLS_SINK_H
#define TOOLS_SINK_H

#include "tools/output.h"
#include "tools/progress.h"
#include "tools/source.h"

/* Raw numbers of the problem's precision, a split side as in sample_source; .npy: interleaved. */
typedef struct sample_sink {
    const sample_layout *layout;
    output to;
    size_t number;   /* bytes of a real number */
    char *bounce;    /* a transform as the file has it; NULL: slots have it that way too */
    bool npy, grows; /* grows: the array's first dimension counts the transforms */
    npy_array array;
    size_t header; /* bytes of a .npy file's */
    uint64_t transforms, bytes;
    bool failed; /* and has complained */
    progress meter;
} sample_sink;

/* All return an exit code and have complained where it is not 0. A path that ends in .npy makes an
 * array: of the shape of the source's, or one dimension more than the problem's. */
int sink_open(sample_sink *s, const sample_source *from, const char *path);
/* Ends the file; `good` false: nothing of it stays. */
int sink_close(sample_sink *s, bool good);

/* A sluice_sink, but for its first argument. */
sluice_status sink_put(sample_sink *s, sluice_slot *slot);

#endif
