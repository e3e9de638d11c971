// SPDX-License-Identifier: BSD-3-Clause
/* The threads of a stand-alone program: a team that waits for jobs, spinning first and then asleep.
 * Printed into programs (spl/emit/snippets.h); the library itself has a pool (cpu_pool.c). */
#ifndef SPL_EMIT_TEAM_H
#define SPL_EMIT_TEAM_H

#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Threads at most, the caller's included; any number gives the same bits. */
#ifndef TEAM_MEMBERS
#define TEAM_MEMBERS 2
#endif

/* A member other than the caller. */
typedef struct team_seat {
    alignas(64) atomic_uint given; /* 1: a job, which is the member's once it has put 0 there */
    pthread_t thread;
} team_seat;

typedef struct team_state {
    pthread_mutex_t lock;
    pthread_cond_t wake;
    atomic_uint phase; /* of barriers; counts up */
    atomic_int sleepers, arrived, pending;
    atomic_bool quit;
    int members;
    bool syncs; /* members wait for each other: all have to take part */
    void (*work)(int member);
    team_seat seat[TEAM_MEMBERS];
    /* Upper half: number of the current parallel loop, counted from 1; lower half: how many of its
     * iterations have been claimed. */
    alignas(64) atomic_uint_least64_t claimed;
} team_state;

static team_state team = {.lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

enum { TEAM_SPINS = 4000 };

static inline void team_pause(void)
{
#if defined __x86_64__
    __builtin_ia32_pause();
#endif
}

/* Until the word is another than it was. */
static inline void team_wait(atomic_uint *word, unsigned seen)
{
    for (int i = 0; i < TEAM_SPINS; i++) {
        if (atomic_load_explicit(word, memory_order_acquire) != seen)
            return;
        team_pause();
    }
    pthread_mutex_lock(&team.lock);
    /* Announced before the last look, and told after the word is written: one sees the other. */
    atomic_fetch_add(&team.sleepers, 1);
    while (atomic_load(word) == seen)
        pthread_cond_wait(&team.wake, &team.lock);
    atomic_fetch_sub(&team.sleepers, 1);
    pthread_mutex_unlock(&team.lock);
}

/* A word that others may wait for has changed. */
static inline void team_tell(void)
{
    if (atomic_load(&team.sleepers) == 0)
        return;
    pthread_mutex_lock(&team.lock);
    pthread_cond_broadcast(&team.wake);
    pthread_mutex_unlock(&team.lock);
}

/* Waits for all members. */
static inline void team_sync(void)
{
    const unsigned seen = atomic_load(&team.phase);

    if (team.members == 1)
        return;
    if (atomic_fetch_add(&team.arrived, 1) + 1 < team.members) {
        team_wait(&team.phase, seen);
        return;
    }
    atomic_store(&team.arrived, 0);
    atomic_fetch_add(&team.phase, 1);
    team_tell();
}

/* Claims the next part of parallel loop number `loop`; -1: all are claimed. */
static inline int64_t team_part(uint64_t loop, int64_t parts)
{
    uint64_t seen = atomic_load_explicit(&team.claimed, memory_order_relaxed);

    for (;;) {
        const uint64_t now = seen >> 32, begun = now == loop ? seen & UINT32_MAX : 0;
        if (now > loop || (int64_t)begun >= parts)
            return -1;
        if (atomic_compare_exchange_weak_explicit(&team.claimed, &seen, loop << 32 | (begun + 1),
                                                  memory_order_relaxed, memory_order_relaxed))
            return (int64_t)begun;
    }
}

static inline void *team_member(void *number)
{
    const int member = (int)(intptr_t)number;
    atomic_uint *const given = &team.seat[member].given;

    for (;;) {
        team_wait(given, 0);
        if (atomic_load(&team.quit))
            return NULL;
        if (atomic_exchange(given, 0) == 0)
            continue; /* it was taken back */
        team.work(member);
        atomic_fetch_sub_explicit(&team.pending, 1, memory_order_release);
    }
}

/* All members run team.work; where they need not wait for each other, those that are awake. */
static inline void team_run(void)
{
    atomic_store(&team.claimed, 0);
    atomic_store(&team.pending, team.members - 1);
    for (int i = 1; i < team.members; i++)
        atomic_store(&team.seat[i].given, 1);
    team_tell();
    team.work(0);
    for (int i = 1; i < team.members && !team.syncs; i++)
        if (atomic_exchange(&team.seat[i].given, 0) == 1)
            atomic_fetch_sub(&team.pending, 1);
    for (int spin = 0; atomic_load_explicit(&team.pending, memory_order_acquire) != 0; spin++)
        if (spin < TEAM_SPINS)
            team_pause();
        else
            sched_yield();
}

static inline void team_close(void)
{
    atomic_store(&team.quit, true);
    for (int i = 1; i < team.members; i++)
        atomic_store(&team.seat[i].given, 1);
    team_tell();
    for (int i = 1; i < team.members; i++)
        pthread_join(team.seat[i].thread, NULL);
    team.members = 0;
}

/* With fewer threads where there are no more to be had. */
static inline void team_open(void (*work)(int member), bool syncs)
{
    atomic_store(&team.quit, false);
    team.work = work;
    team.syncs = syncs;
    for (team.members = 1; team.members < TEAM_MEMBERS; team.members++) {
        team_seat *const seat = &team.seat[team.members];
        atomic_store(&seat->given, 0);
        if (pthread_create(&seat->thread, NULL, team_member, (void *)(intptr_t)team.members) != 0)
            break;
    }
}

#endif
