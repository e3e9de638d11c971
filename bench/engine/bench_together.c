// SPDX-License-Identifier: BSD-3-Clause
/* Members are synchronised at the start only: the result is a bound, and further synchronisation
 * would only add time. */
#include "bench/engine/bench_together.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "bench/engine/bench_clock.h"

typedef struct meeting {
    atomic_int arrived;
    int threads;
    bench_work *warm, *work;
    void *argument;
} meeting;

typedef struct member {
    meeting *all;
    int index;
    double seconds;
} member;

static void *take_part(void *argument)
{
    member *m = argument;
    meeting *all = m->all;
    all->warm(all->argument, m->index);
    /* Relaxed: the counter publishes no data, it only counts running members. */
    atomic_fetch_add_explicit(&all->arrived, 1, memory_order_relaxed);
    while (atomic_load_explicit(&all->arrived, memory_order_relaxed) < all->threads)
        sched_yield();
    double start = bench_now();
    all->work(all->argument, m->index);
    m->seconds = bench_now() - start;
    return NULL;
}

/* Starts the helpers. If one cannot start, the others must not wait for it, so it is counted as
 * arrived. */
static int start_helpers(pthread_t *thread, member *members, meeting *all)
{
    int started = 1;
    while (started < all->threads
           && pthread_create(&thread[started], NULL, take_part, &members[started]) == 0)
        started++;
    if (started < all->threads)
        atomic_fetch_add_explicit(&all->arrived, all->threads - started, memory_order_relaxed);
    return started;
}

double bench_together(int threads, bench_work *warm, bench_work *work, void *argument)
{
    meeting all = {.threads = threads, .warm = warm, .work = work, .argument = argument};
    member *members = calloc((size_t)threads, sizeof *members);
    pthread_t *thread = calloc((size_t)threads, sizeof *thread);
    double seconds = -1;
    if (members && thread) {
        for (int i = 0; i < threads; i++)
            members[i] = (member){.all = &all, .index = i};
        int started = start_helpers(thread, members, &all);
        take_part(&members[0]);
        seconds = members[0].seconds;
        for (int i = 1; i < started; i++) {
            pthread_join(thread[i], NULL);
            if (members[i].seconds > seconds)
                seconds = members[i].seconds;
        }
        if (started < threads)
            seconds = -1;
    }
    free(members);
    free(thread);
    return seconds;
}
