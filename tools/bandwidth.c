// SPDX-License-Identifier: BSD-3-Clause
/* Memory bandwidth: each thread copies its own array; together these have at least 64 MiB. */
#define _POSIX_C_SOURCE 200809L /* barriers */
#include "tools/bandwidth.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/progress.h"

enum { ROUNDS = 6 };

/* Larger than the private caches of a core, for any number of threads. */
static const size_t total_bytes = (size_t)64 << 20, min_bytes = (size_t)8 << 20;

typedef struct thread_group {
    pthread_mutex_t start; /* held until the number of threads is known */
    pthread_barrier_t gate;
} thread_group;

typedef struct copier {
    pthread_t thread;
    thread_group *group;
    char *from, *to;
    size_t bytes;
    double seconds[ROUNDS]; /* seconds between two gates */
} copier;

/* The memset allocates the pages on the thread's memory node. */
static void *copy_rounds(void *user)
{
    copier *c = user;
    pthread_mutex_lock(&c->group->start);
    pthread_mutex_unlock(&c->group->start);
    memset(c->from, 1, c->bytes);
    memset(c->to, 2, c->bytes);
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&c->group->gate);
        double start = progress_clock();
        memcpy(c->to, c->from, c->bytes);
        pthread_barrier_wait(&c->group->gate);
        c->seconds[round] = progress_clock() - start;
        c->from[round] = c->to[round + 1]; /* keeps the compiler from removing the copy */
    }
    return NULL;
}

/* Runs the rounds on up to `threads` threads including the caller; returns their number. */
static int run_group(thread_group *all, copier *c, int threads)
{
    int started = 1;
    pthread_mutex_init(&all->start, NULL);
    pthread_mutex_lock(&all->start);
    while (started < threads
           && pthread_create(&c[started].thread, NULL, copy_rounds, &c[started]) == 0)
        started++;
    pthread_barrier_init(&all->gate, NULL, (unsigned)started);
    pthread_mutex_unlock(&all->start);
    copy_rounds(&c[0]);
    for (int i = 1; i < started; i++)
        pthread_join(c[i].thread, NULL);
    pthread_barrier_destroy(&all->gate);
    pthread_mutex_destroy(&all->start);
    return started;
}

/* The time of a round is the longest of any thread: a thread that woke late misses the beginning of
 * the copy. The first round warms up. */
static double best_round(const copier *c, int threads)
{
    double best = 1e30;
    for (int round = 1; round < ROUNDS; round++) {
        double longest = 0;
        for (int i = 0; i < threads; i++)
            longest = c[i].seconds[round] > longest ? c[i].seconds[round] : longest;
        best = longest < best ? longest : best;
    }
    return best;
}

double bandwidth_measure(int *threads)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int wanted = processors > 0 && *threads > processors ? (int)processors : *threads;
    size_t bytes = total_bytes / (size_t)wanted;
    bytes = bytes < min_bytes ? min_bytes : bytes;
    copier *c = calloc((size_t)wanted, sizeof *c);
    if (!c)
        return -1;
    thread_group all;
    bool allocated = true;
    for (int i = 0; i < wanted; i++) {
        c[i] = (copier){.group = &all, .bytes = bytes, .from = malloc(bytes), .to = malloc(bytes)};
        allocated = allocated && c[i].from && c[i].to;
    }
    double rate = -1;
    if (allocated) {
        *threads = run_group(&all, c, wanted);
        rate = 2e-9 * (double)bytes * *threads / best_round(c, *threads);
    }
    for (int i = 0; i < wanted; i++) {
        free(c[i].from);
        free(c[i].to);
    }
    free(c);
    return rate;
}
