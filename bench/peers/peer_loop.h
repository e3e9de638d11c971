// SPDX-License-Identifier: BSD-3-Clause
/* For peers that compute one packed transform on one thread: batches are loops. */
#ifndef PEER_LOOP_H
#define PEER_LOOP_H

#include "bench/peers/peer_table.h"

/* Is every transform packed and interleaved, of at most `max_rank` axes, and is one thread
 * requested? If not, `why` holds the reason. */
bool peer_loop_fits(const bench_shape *s, int workers, int max_rank, sluice_diag *why);

/* A batch of packed transforms, one after the other. */
typedef struct peer_loop {
    size_t count;
    ptrdiff_t in_step, out_step; /* bytes from one transform to the next */
} peer_loop;

peer_loop peer_loop_of(const bench_shape *s);

#endif
