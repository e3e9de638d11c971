// SPDX-License-Identifier: BSD-3-Clause
/* The DMA engine of Spiral for the Cell in software (its section 3): get block k+1 | compute block
 * k | put block k-1. The member that leased a helper fills the queue, and the helper empties it in
 * order; if the helper is not running, the member executes transfers itself instead of waiting.
 * Both spin for a few microseconds before they sleep. */
#include "backends/cpu/run/cpu_dma.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "backends/cpu/threads/cpu_spin.h"
#include "backends/plain_thread.h"
#include "core/fork.h"
#include "core/mem.h"

enum { QUEUE_LENGTH = 16, HELPER_IDLE = 0, HELPER_LEASED = 1 };

struct cpu_dma {
    pthread_t id;
    const core_topology *topology;
    int index, workers;
    /* IDLE -> LEASED by the member's CAS (acquire), back by its store (release). */
    _Alignas(64) atomic_int state;
    uint64_t posted_by_member; /* the member's own count of `posted` */
    /* Transfers posted; stored by the member after it wrote the entry. */
    _Alignas(64) atomic_uint_least64_t posted;
    atomic_bool stop;
    cpu_copy queue[QUEUE_LENGTH];
    /* Transfers done; stored by the thread that executed them, after it moved the data. */
    _Alignas(64) atomic_uint_least64_t done;
    atomic_int queue_busy; /* 1: the helper or the member is working on the queue */
    /* Which of them sleep; both sides use seq_cst, see await_work. */
    atomic_int helper_sleeps, member_sleeps;
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

struct cpu_helpers {
    int count;
    core_fork *mark; /* of the process whose threads these are */
    cpu_dma helper[];
};

/* ---- the queue ---- */

static void wake_sleeper(cpu_dma *d, atomic_int *sleeps)
{
    if (!atomic_load(sleeps))
        return;
    pthread_mutex_lock(&d->lock);
    pthread_cond_broadcast(&d->wake);
    pthread_mutex_unlock(&d->lock);
}

/* Executes posted transfers up to number `until`; false: the other thread works on the queue. */
static bool drain_queue(cpu_dma *d, uint64_t until)
{
    int idle = 0;

    /* acquire: what the other thread moved happens before. */
    if (atomic_load_explicit(&d->queue_busy, memory_order_relaxed)
        || !atomic_compare_exchange_strong_explicit(&d->queue_busy, &idle, 1, memory_order_acquire,
                                                    memory_order_relaxed))
        return false;
    uint64_t next = atomic_load_explicit(&d->done, memory_order_relaxed);
    while (next < until && next < atomic_load_explicit(&d->posted, memory_order_acquire)) {
        const cpu_copy *m = &d->queue[next % QUEUE_LENGTH];
        cpu_move_packets(m->packets, m->in, m->out);
#if SLUICE_HAVE_X86
        __builtin_ia32_sfence(); /* non-temporal stores are ordered by nothing else */
#endif
        atomic_store(&d->done, ++next);
        wake_sleeper(d, &d->member_sleeps);
    }
    atomic_store_explicit(&d->queue_busy, 0, memory_order_release);
    return true;
}

/* ---- the helper ---- */

static bool has_work(cpu_dma *d)
{
    return atomic_load(&d->posted) > atomic_load(&d->done) || atomic_load(&d->stop);
}

static void await_work(cpu_dma *d)
{
    for (int spin = 0; spin < cpu_spin_limit(); spin++) {
        if (has_work(d))
            return;
        cpu_spin_pause();
    }
    pthread_mutex_lock(&d->lock);
    /* Announced before the last look: the member stores `posted` before it looks at who sleeps, so
     * one of the two sees the other (all seq_cst). */
    atomic_store(&d->helper_sleeps, 1);
    while (!has_work(d))
        pthread_cond_wait(&d->wake, &d->lock);
    atomic_store(&d->helper_sleeps, 0);
    pthread_mutex_unlock(&d->lock);
}

static void *helper_main(void *arg)
{
    cpu_dma *d = arg;
    char where[16];

    core_topology_place_helper(d->topology, d->index % core_topology_count(d->topology), d->workers,
                               true, where, sizeof where);
    for (;;) {
        await_work(d);
        if (atomic_load(&d->stop))
            return NULL; /* it is not leased, so its queue is empty */
        if (!drain_queue(d, UINT64_MAX))
            sched_yield();
    }
}

static void helper_init(cpu_dma *d, int index, int workers, const core_topology *topology)
{
    d->topology = topology;
    d->index = index;
    d->workers = workers;
    atomic_init(&d->state, HELPER_IDLE);
    atomic_init(&d->posted, 0);
    atomic_init(&d->stop, false);
    atomic_init(&d->done, 0);
    atomic_init(&d->queue_busy, 0);
    atomic_init(&d->helper_sleeps, 0);
    atomic_init(&d->member_sleeps, 0);
    pthread_mutex_init(&d->lock, NULL);
    pthread_cond_init(&d->wake, NULL);
}

static void helper_clear(cpu_dma *d)
{
    pthread_cond_destroy(&d->wake);
    pthread_mutex_destroy(&d->lock);
}

cpu_helpers *cpu_helpers_open(int workers, const core_topology *topology, const core_log *log)
{
    const size_t bytes = sizeof(cpu_helpers) + (size_t)workers * sizeof(cpu_dma);
    cpu_helpers *h = core_aligned_alloc(bytes);

    if (!h)
        return NULL;
    memset(h, 0, bytes);
    h->mark = core_fork_open();
    if (!h->mark) {
        core_aligned_free(h);
        return NULL;
    }
    for (; h->count < workers; h->count++) {
        helper_init(&h->helper[h->count], h->count, workers, topology);
        const int error =
            plain_thread_create(&h->helper[h->count].id, helper_main, &h->helper[h->count]);
        if (!error)
            continue;
        helper_clear(&h->helper[h->count]);
        core_log_line(log, CORE_LOG_DISPATCH, "cpu,helpers=%d of %d,%s", h->count, workers,
                      strerror(error));
        break;
    }
    return h;
}

void cpu_helpers_close(cpu_helpers *h)
{
    if (!h)
        return;
    for (int i = 0; i < h->count && !core_forked(h->mark); i++) {
        cpu_dma *d = &h->helper[i];
        atomic_store(&d->stop, true);
        wake_sleeper(d, &d->helper_sleeps);
        pthread_join(d->id, NULL);
        helper_clear(d);
    }
    core_fork_close(h->mark);
    core_aligned_free(h);
}

int cpu_helpers_count(const cpu_helpers *h)
{
    return h ? h->count : 0;
}

/* ---- the member ---- */

static bool lease_helper(cpu_dma *d)
{
    int idle = HELPER_IDLE;

    return atomic_load_explicit(&d->state, memory_order_relaxed) == HELPER_IDLE
           && atomic_compare_exchange_strong_explicit(&d->state, &idle, HELPER_LEASED,
                                                      memory_order_acquire, memory_order_relaxed);
}

cpu_dma *cpu_dma_lease(cpu_helpers *h, int member)
{
    if (!h || h->count == 0 || core_forked(h->mark))
        return NULL;
    for (int i = 0; i < h->count; i++) {
        cpu_dma *d = &h->helper[(member + i) % h->count];
        if (lease_helper(d))
            return d;
    }
    return NULL;
}

void cpu_dma_release(cpu_dma *d)
{
    if (!d)
        return;
    cpu_dma_wait(d, d->posted_by_member);
    atomic_store_explicit(&d->state, HELPER_IDLE, memory_order_release);
}

uint64_t cpu_dma_post(cpu_dma *d, const cpu_copy *move)
{
    if (d->posted_by_member >= QUEUE_LENGTH)
        cpu_dma_wait(d, d->posted_by_member + 1 - QUEUE_LENGTH);
    d->queue[d->posted_by_member % QUEUE_LENGTH] = *move;
    atomic_store(&d->posted, ++d->posted_by_member);
    wake_sleeper(d, &d->helper_sleeps);
    return d->posted_by_member;
}

/* The member executes queued transfers itself unless the helper is already working on the queue;
 * only then does it wait. */
void cpu_dma_wait(cpu_dma *d, uint64_t number)
{
    for (int spin = 0; spin < cpu_spin_limit(); spin++) {
        if (atomic_load_explicit(&d->done, memory_order_acquire) >= number
            || drain_queue(d, number))
            return;
        cpu_spin_pause();
    }
    /* The helper is working on the queue, and does not stop before it is empty. */
    pthread_mutex_lock(&d->lock);
    atomic_store(&d->member_sleeps, 1);
    while (atomic_load(&d->done) < number)
        pthread_cond_wait(&d->wake, &d->lock);
    atomic_store(&d->member_sleeps, 0);
    pthread_mutex_unlock(&d->lock);
}
