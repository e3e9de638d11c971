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
    size_t number;   /* size of a real number in bytes */
    char *bounce;    /* a transform in the file's layout; NULL: slots have that layout */
    bool npy, grows; /* grows: the array's first dimension counts the transforms */
    npy_array array;
    size_t header; /* size of a .npy file's header in bytes */
    uint64_t transforms, bytes;
    bool failed; /* the reason has been printed */
    progress meter;
} sample_sink;

/* All return an exit code and have printed the reason if it is not 0. A path that ends in .npy
 * makes an array of the source's shape, or of the problem's with one more dimension. */
int sink_open(sample_sink *s, const sample_source *from, const char *path);
/* Ends the file; `good` false: discards it. */
int sink_close(sample_sink *s, bool good);

/* A sluice_sink except for its first argument. */
sluice_status sink_put(sample_sink *s, sluice_slot *slot);

#endif
