// SPDX-License-Identifier: BSD-3-Clause
#include "bench/link/link_rates.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "bench/engine/bench_clock.h"

enum { ROUNDS = 4, MOST_THREADS = 256, PIECE = 1 << 20 };

/* ---- transfers */

typedef struct direction {
    const link_load *load;
    link_way way;
    pthread_barrier_t *start;
    double best; /* seconds */
    bool failed;
} direction;

static bool move_all(const direction *d)
{
    const link_load *l = d->load;
    bool good = true;
    for (size_t from = 0; from < l->bytes && good; from += l->piece) {
        const size_t left = l->bytes - from;
        good = l->driver->enqueue(d->way, l->host[d->way], from, left < l->piece ? left : l->piece);
    }
    return l->driver->wait(d->way) && good;
}

static void *move_rounds(void *arg)
{
    direction *d = arg;
    d->failed = !d->load->driver->enter();
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(d->start);
        const double begin = bench_now();
        d->failed = d->failed || !move_all(d);
        const double seconds = bench_now() - begin;
        if (round == 1 || (round > 1 && seconds < d->best)) /* the first round warms up */
            d->best = seconds;
    }
    return NULL;
}

bool link_transfer_rates(const link_load *load, double rate[LINK_WAYS])
{
    pthread_barrier_t start;
    pthread_t thread[LINK_WAYS];
    direction d[LINK_WAYS];
    bool runs[LINK_WAYS], good = true;
    const int ways = (load->host[LINK_GET] != NULL) + (load->host[LINK_PUT] != NULL);
    if (pthread_barrier_init(&start, NULL, (unsigned)ways) != 0)
        return false;
    for (int way = 0; way < LINK_WAYS; way++) {
        d[way] = (direction){.load = load, .way = (link_way)way, .start = &start};
        rate[way] = 0;
        runs[way] = load->host[way] != NULL;
        if (runs[way] && pthread_create(&thread[way], NULL, move_rounds, &d[way]) != 0)
            abort(); /* the other thread would wait forever */
    }
    for (int way = 0; way < LINK_WAYS; way++) {
        if (!runs[way])
            continue;
        pthread_join(thread[way], NULL);
        good = good && !d[way].failed;
        rate[way] = (double)load->bytes / d[way].best / 1e9;
    }
    pthread_barrier_destroy(&start);
    return good;
}

/* ---- copies */

typedef struct copies {
    const char *from;
    char *to;
    size_t bytes, ring;
    atomic_size_t next;
} copies;

static void *copy_pieces(void *arg)
{
    copies *c = arg;
    size_t at;
    while ((at = atomic_fetch_add(&c->next, PIECE)) < c->bytes) {
        const size_t left = c->bytes - at, size = left < PIECE ? left : PIECE;
        memcpy(c->to + (c->ring ? at % c->ring : at), c->from + at, size);
    }
    return NULL;
}

double link_copy_rate(int threads, const void *from, void *to, size_t bytes, size_t ring)
{
    pthread_t thread[MOST_THREADS];
    double best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        copies c = {.from = from, .to = to, .bytes = bytes, .ring = ring};
        int started = 0;
        atomic_init(&c.next, 0);
        const double begin = bench_now();
        while (started < threads && started < MOST_THREADS
               && pthread_create(&thread[started], NULL, copy_pieces, &c) == 0)
            started++;
        for (int i = 0; i < started; i++)
            pthread_join(thread[i], NULL);
        const double seconds = bench_now() - begin;
        if (started < threads)
            return 0;
        best = round == 0 || seconds < best ? seconds : best;
    }
    return (double)bytes / best / 1e9;
}
