// SPDX-License-Identifier: BSD-3-Clause
/* Rates in GB/s, counting each byte once. */
#ifndef BENCH_LINK_RATES_H
#define BENCH_LINK_RATES_H

#include "bench/link/link_device.h"

/* Transfers of `bytes` in commands of `piece`, one way or both at once; each way has a thread. */
typedef struct link_load {
    const link_driver *driver;
    void *host[LINK_WAYS]; /* NULL: nothing is moved this way */
    size_t bytes, piece;
} link_load;

/* The best rate of each way in several rounds; 0: none. False: a transfer failed. */
bool link_transfer_rates(const link_load *load, double rate[LINK_WAYS]);

/* `threads` threads copy from `from` to `to`, in pieces that each takes in turn. If `ring` is not
 * 0, the first `ring` bytes of `to` are used over and over, like pinned pieces. 0: no thread could
 * start. */
double link_copy_rate(int threads, const void *from, void *to, size_t bytes, size_t ring);

#endif
