// SPDX-License-Identifier: BSD-3-Clause
/* A central barrier with a phase counter. */
#include "backends/cpu/threads/cpu_pool.h"
#include "backends/cpu/threads/cpu_spin.h"

void cpu_barrier_open(cpu_barrier *b)
{
    atomic_init(&b->arrived, 0);
    atomic_init(&b->phase, 0);
    atomic_init(&b->sleepers, 0);
    pthread_mutex_init(&b->lock, NULL);
    pthread_cond_init(&b->wake, NULL);
}

void cpu_barrier_close(cpu_barrier *b)
{
    pthread_cond_destroy(&b->wake);
    pthread_mutex_destroy(&b->lock);
}

void cpu_barrier_wait(cpu_barrier *b, int members)
{
    const int phase = atomic_load_explicit(&b->phase, memory_order_relaxed);

    /* acq_rel: what every member wrote before arriving is seen by the last, and by its release of
     * the phase by all. */
    if (atomic_fetch_add_explicit(&b->arrived, 1, memory_order_acq_rel) == members - 1) {
        atomic_store_explicit(&b->arrived, 0, memory_order_relaxed);
        atomic_store(&b->phase, phase + 1);
        if (atomic_load(&b->sleepers) == 0)
            return;
        pthread_mutex_lock(&b->lock);
        pthread_cond_broadcast(&b->wake);
        pthread_mutex_unlock(&b->lock);
        return;
    }
    for (int spin = 0; spin < cpu_spin_limit(); spin++) {
        if (atomic_load_explicit(&b->phase, memory_order_acquire) != phase)
            return;
        cpu_spin_pause();
    }
    pthread_mutex_lock(&b->lock);
    /* Counted before the last look at the phase: the last member stores the phase before it looks
     * at the count, so one of the two sees the other (both seq_cst). */
    atomic_fetch_add(&b->sleepers, 1);
    while (atomic_load(&b->phase) == phase)
        pthread_cond_wait(&b->wake, &b->lock);
    atomic_fetch_sub(&b->sleepers, 1);
    pthread_mutex_unlock(&b->lock);
}
