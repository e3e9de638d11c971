// SPDX-License-Identifier: BSD-3-Clause
/* Feeds: where blocks come from and where they go. */
#ifndef STREAMING_FEED_H
#define STREAMING_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "api/sluice.h"
#include "streaming/pipeline.h"

/* get brings block k into the slot and sets its count (which comes in full); END: there is no block
 * k; AGAIN: not yet, to be asked again with the same slot as it was left. put takes block k out.
 * Either fails with a sentence in `why` (may be NULL). */
typedef struct stream_feed {
    sluice_status (*get)(void *self, uint64_t k, sluice_slot *slot, sluice_diag *why);
    sluice_status (*put)(void *self, uint64_t k, sluice_slot *slot, sluice_diag *why);
    void *self;
} stream_feed;

/* Blocks in the user's memory: get sets the slot's pointers, nothing is copied. Stateless, hence
 * good for any number of threads at once. */
typedef struct stream_array {
    const char *in, *in_im; /* of block 0; in_im, out_im: NULL unless split */
    char *out, *out_im;
    ptrdiff_t in_stride, out_stride; /* bytes between blocks, of either sign */
    uint64_t blocks;
    size_t last_count; /* of the last block; 0: full */
} stream_array;
stream_feed stream_feed_array(stream_array *array);

/* Blocks through two functions of the user. */
typedef struct stream_callbacks {
    sluice_source *source;
    sluice_sink *sink;
    void *user;
} stream_callbacks;
stream_feed stream_feed_callbacks(stream_callbacks *callbacks);

/* Blocks read from one descriptor and written to another: files, pipes, sockets, blocking or not.
 * An item is what a slot's count counts. The last block may be short; it must end with an item. */
typedef struct stream_files {
    int in, out;
    size_t in_item, out_item;       /* bytes */
    const char *in_name, *out_name; /* for sentences */
    uint64_t in_bytes, out_bytes;   /* done so far; begin with 0 */
    bool ended;                     /* begins false; the end of `in` was seen */
} stream_files;
stream_feed stream_feed_files(stream_files *files);

/* Runs a pipeline from the calling thread: get, submit, reap, put until the feed ends; the teams
 * compute meanwhile. A feed that has nothing yet is asked again after 1 ms, then 2, 4, .. 10, or as
 * soon as a block was done and put. The first failure of a get, a block or a put ends the run and is returned. The
 * pipeline is finished and drained afterwards, whatever happened. `seconds` (NULL allowed) become
 * the time spent in get, in put and from the first get to the last put. */
typedef struct stream_times {
    double get, put, all;
} stream_times;
sluice_status stream_pump(stream_pipeline *p, const stream_feed *feed, stream_times *seconds,
                          sluice_diag *why);

#endif
