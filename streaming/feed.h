// SPDX-License-Identifier: BSD-3-Clause
/* Runs a pipeline whose blocks come from a source and go to a sink, two functions of the user. */
#ifndef STREAMING_FEED_H
#define STREAMING_FEED_H

#include "api/sluice.h"
#include "streaming/pipeline.h"

typedef struct stream_feed {
    sluice_source *source;
    sluice_sink *sink;
    void *user;
} stream_feed;

/* Runs a pipeline from the calling thread: source, submit, reap, sink until the source ends; the
 * teams compute meanwhile. A source that returned AGAIN is called again after 1 ms, then 2, 4, ..
 * 10, or as soon as the sink has received a block. The first failure of the source, a block or the
 * sink ends the run and is returned. Afterwards the pipeline is finished and drained in any case.
 * `seconds` (NULL allowed) receives the time spent in the source, in the sink, and from the first
 * call of the source to the last of the sink. */
typedef struct stream_times {
    double get, put, all;
} stream_times;
sluice_status stream_run_feed(stream_pipeline *p, const stream_feed *feed, stream_times *seconds,
                              sluice_diag *why);

#endif
