// SPDX-License-Identifier: BSD-3-Clause
/* A peer as an engine. */
#ifndef BENCH_PEER_H
#define BENCH_PEER_H

#include "bench/engine/bench_engine.h"
#include "bench/peers/peer_table.h"

/* Plans on `d`, whose values may be overwritten; the planning is timed. False if the peer is
 * missing or cannot compute this problem; `why` holds the reason. */
bool bench_peer_open(bench_engine *e, const peer *p, const bench_shape *shape, int workers,
                     const bench_data *d, sluice_diag *why);

#endif
