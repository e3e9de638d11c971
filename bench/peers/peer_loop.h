// SPDX-License-Identifier: BSD-3-Clause
/* What peers share that compute one packed transform on one thread: batches are loops. */
#ifndef PEER_LOOP_H
#define PEER_LOOP_H

#include "bench/peers/peer_table.h"

/* Whether every transform is packed and interleaved, of at most `most_rank` axes, and what is asked
 * needs no second thread; else a sentence. */
bool peer_loop_fits(const bench_shape *s, int workers, int most_rank, sluice_diag *why);

/* A batch of packed transforms, one after the other. */
typedef struct peer_loop {
    size_t count;
    ptrdiff_t in_step, out_step; /* bytes from one transform to the next */
} peer_loop;

peer_loop peer_loop_of(const bench_shape *s);

#endif
