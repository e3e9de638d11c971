// SPDX-License-Identifier: BSD-3-Clause
/* For peers that compute one packed transform on one thread: batches are loops. */
#ifndef PEER_LOOP_H
#define PEER_LOOP_H

#include "bench/peers/peer_table.h"

/* The abilities of a peer that is called for one transform at a time. */
typedef struct peer_limits {
    int max_rank;
    bool reals; /* can have sides of reals: r2c, c2r, real kinds */
} peer_limits;

/* Is every transform packed and interleaved and within the limits, and is one thread requested? If
 * not, `why` holds the reason. */
bool peer_loop_fits(const bench_shape *s, int workers, peer_limits limits, sluice_diag *why);

/* A batch of packed transforms, one after the other. */
typedef struct peer_loop {
    size_t count;
    ptrdiff_t in_step, out_step; /* bytes from one transform to the next */
} peer_loop;

peer_loop peer_loop_of(const bench_shape *s);

#endif
