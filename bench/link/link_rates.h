// SPDX-License-Identifier: BSD-3-Clause
/* Rates in GB/s of what is moved, each byte once. */
#ifndef BENCH_LINK_RATES_H
#define BENCH_LINK_RATES_H

#include "bench/link/link_device.h"

/* Transfers of `bytes` in commands of `piece`, one way or both at once, each way by a thread. */
typedef struct link_load {
    const link_driver *driver;
    void *host[LINK_WAYS]; /* NULL: nothing this way */
    size_t bytes, piece;
} link_load;

/* Of each way, the best of some rounds; 0: none. False: a transfer failed. */
bool link_transfer_rates(const link_load *load, double rate[LINK_WAYS]);

/* `threads` threads copy from `from` to `to`, in pieces that they take in turn; of `ring` bytes
 * more than 0 `to` is used again and again, as pinned pieces are. 0: there are no threads. */
double link_copy_rate(int threads, const void *from, void *to, size_t bytes, size_t ring);

#endif
