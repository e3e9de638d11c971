// SPDX-License-Identifier: BSD-3-Clause
/* Memory bandwidth: threads copy arrays of their own, together 64 MiB or more. */
#define _POSIX_C_SOURCE 200809L /* barriers, clock_gettime */
#include "tools/bandwidth.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 6 };

/* Beyond the private caches of a core, however many threads share the work. */
static const size_t all_bytes = (size_t)64 << 20, least_bytes = (size_t)8 << 20;

typedef struct crew {
    pthread_mutex_t start; /* held until the crew's size is known */
    pthread_barrier_t gate;
} crew;

typedef struct copier {
    pthread_t thread;
    crew *crew;
    char *from, *to;
    size_t bytes;
    double seconds[ROUNDS]; /* from gate to gate */
} copier;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* The memset places the pages where the thread runs. */
static void *copy_rounds(void *user)
{
    copier *c = user;
    pthread_mutex_lock(&c->crew->start);
    pthread_mutex_unlock(&c->crew->start);
    memset(c->from, 1, c->bytes);
    memset(c->to, 2, c->bytes);
    for (int round = 0; round < ROUNDS; round++) {
        pthread_barrier_wait(&c->crew->gate);
        double start = now();
        memcpy(c->to, c->from, c->bytes);
        pthread_barrier_wait(&c->crew->gate);
        c->seconds[round] = now() - start;
        c->from[round] = c->to[round + 1]; /* the copy is used, so it is made */
    }
    return NULL;
}

/* Runs the rounds on up to `threads` threads, the calling one among them; returns how many. */
static int run_crew(crew *all, copier *c, int threads)
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

/* A round takes as long as the thread says that came through its first gate first: another may have
 * been asleep while the copy was under way. The first round warms up. */
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
    size_t bytes = all_bytes / (size_t)wanted;
    bytes = bytes < least_bytes ? least_bytes : bytes;
    copier *c = calloc((size_t)wanted, sizeof *c);
    if (!c)
        return -1;
    crew all;
    bool allocated = true;
    for (int i = 0; i < wanted; i++) {
        c[i] = (copier){.crew = &all, .bytes = bytes, .from = malloc(bytes), .to = malloc(bytes)};
        allocated = allocated && c[i].from && c[i].to;
    }
    double rate = -1;
    if (allocated) {
        *threads = run_crew(&all, c, wanted);
        rate = 2e-9 * (double)bytes * *threads / best_round(c, *threads);
    }
    for (int i = 0; i < wanted; i++) {
        free(c[i].from);
        free(c[i].to);
    }
    free(c);
    return rate;
}
