// SPDX-License-Identifier: BSD-3-Clause
/* The schedule of a stream: which team computes block k. */
#ifndef STREAMING_SCHEDULE_H
#define STREAMING_SCHEDULE_H

#include <stdint.h>

#include "api/sluice.h"

typedef enum stream_schedule_kind {
    STREAM_DYNAMIC = 0, /* the first free team */
    STREAM_CYCLIC       /* round robin, as many consecutive blocks per team as its rate */
} stream_schedule_kind;

typedef struct stream_schedule {
    stream_schedule_kind kind;
    int teams;
    const int *rate; /* blocks of each team per round, from 1 on; NULL: all are equal. Copied by a
                        pipeline */
} stream_schedule;

/* E_INVALID if there is no team, a rate below 1, or the kind is unknown. */
sluice_status stream_schedule_check(const stream_schedule *schedule, sluice_diag *why);
/* The team of block k; -1: any free team. */
int stream_schedule_team(const stream_schedule *schedule, uint64_t k);

#endif
