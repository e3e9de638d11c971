// SPDX-License-Identifier: BSD-3-Clause
/* Feeds: where blocks come from and where they go. */
#ifndef STREAMING_FEED_H
#define STREAMING_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "api/sluice.h"
#include "streaming/pipeline.h"

/* get loads block k into the slot and sets its count, which is the full count before; END: there is
 * no block k; AGAIN: not yet, to be called again with the same slot unchanged. put stores block k.
 * On failure `why` (may be NULL) holds the reason. */
typedef struct stream_feed {
    sluice_status (*get)(void *self, uint64_t k, sluice_slot *slot, sluice_diag *why);
    sluice_status (*put)(void *self, uint64_t k, sluice_slot *slot, sluice_diag *why);
    void *self;
} stream_feed;

/* Blocks in the user's memory: get sets the slot's pointers, nothing is copied. It has no state, so
 * any number of threads may use it at once. */
typedef struct stream_array {
    const char *in, *in_im; /* addresses of block 0; in_im, out_im: NULL unless split */
    char *out, *out_im;
    ptrdiff_t in_stride, out_stride; /* bytes between blocks, of either sign */
    uint64_t blocks;
    size_t last_count; /* count of the last block; 0: full */
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
    const char *in_name, *out_name; /* for messages */
    uint64_t in_bytes, out_bytes;   /* bytes done so far; begin with 0 */
    bool ended;                     /* the end of `in` was reached; begins false */
} stream_files;
stream_feed stream_feed_files(stream_files *files);

/* Runs a pipeline from the calling thread: get, submit, reap, put until the feed ends; the teams
 * compute meanwhile. A get that returned AGAIN is called again after 1 ms, then 2, 4, .. 10, or as
 * soon as a block has been put. The first failure of a get, a block or a put ends the run and is
 * returned. Afterwards the pipeline is finished and drained in any case. `seconds` (NULL allowed)
 * become the time spent in get, in put and from the first get to the last put. */
typedef struct stream_times {
    double get, put, all;
} stream_times;
sluice_status stream_run_feed(stream_pipeline *p, const stream_feed *feed, stream_times *seconds,
                              sluice_diag *why);

#endif
