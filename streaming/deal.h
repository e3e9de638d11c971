// SPDX-License-Identifier: BSD-3-Clause
/* The deal table: which team takes block k. */
#ifndef STREAMING_DEAL_H
#define STREAMING_DEAL_H

#include <stdbool.h>
#include <stdint.h>

#include "api/sluice.h"

typedef enum stream_deal_kind {
    STREAM_DYNAMIC = 0, /* the first team that is free                                        */
    STREAM_CYCLIC,      /* `block` in a row to each team in turn                              */
    STREAM_STATIC       /* 0 .. total-1 cut into one run per team, the first ones longer by 1 */
} stream_deal_kind;

typedef struct stream_deal {
    stream_deal_kind kind;
    int teams;
    uint64_t block; /* CYCLIC: 0 means 1 */
    uint64_t total; /* STATIC, phases: the number of blocks */
} stream_deal;

/* E_INVALID where there is no team or the kind is unknown. */
sluice_status stream_deal_check(const stream_deal *deal, sluice_diag *why);
/* The team of block k; -1: whichever is free. Blocks beyond `total` go to the last team. */
int stream_deal_team(const stream_deal *deal, uint64_t k);
/* The first block of `team` from `from` on and below `total`; false: none. Not for DYNAMIC. */
bool stream_deal_next(const stream_deal *deal, int team, uint64_t from, uint64_t *k);

#endif
