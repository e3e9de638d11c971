// SPDX-License-Identifier: BSD-3-Clause
/* A few areas behind one lock: an execution that needs one runs for microseconds at least. In a
 * child after fork areas that were out never come back and the lock may be taken: it allocates. */
#include "backends/cpu/cpu_scratch.h"

#include <pthread.h>
#include <stdatomic.h>

#include "core/fork.h"
#include "core/mem.h"
#include "core/status.h"

/* `lock` protects everything; `given` is signalled when an area may be taken or grown. */
typedef struct area {
    void *block;
    size_t bytes;
    bool out;
    int growers; /* waiting for it to come back: it is not taken again before they had it */
} area;

struct cpu_scratch {
    pthread_mutex_t lock;
    pthread_cond_t given;
    int areas;
    area *slot;
    core_fork *mark;      /* of the process whose areas these are */
    atomic_size_t wanted; /* bytes of the largest plan; relaxed: it orders nothing else */
};

static bool forked(const cpu_scratch *s)
{
    return core_forked(s->mark);
}

cpu_scratch *cpu_scratch_open(int areas)
{
    cpu_scratch *s = core_calloc(1, sizeof *s);

    if (!s)
        return NULL;
    s->slot = core_calloc((size_t)areas, sizeof *s->slot);
    s->mark = core_fork_open();
    if (!s->slot || !s->mark) {
        core_fork_close(s->mark);
        core_free(s->slot);
        core_free(s);
        return NULL;
    }
    s->areas = areas;
    atomic_init(&s->wanted, 0);
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->given, NULL);
    return s;
}

void cpu_scratch_close(cpu_scratch *s)
{
    if (!s)
        return;
    for (int i = 0; i < s->areas; i++)
        core_aligned_free(s->slot[i].block);
    pthread_cond_destroy(&s->given);
    pthread_mutex_destroy(&s->lock);
    core_fork_close(s->mark);
    core_free(s->slot);
    core_free(s);
}

static void want(cpu_scratch *s, size_t bytes)
{
    size_t before = atomic_load_explicit(&s->wanted, memory_order_relaxed);

    while (before < bytes
           && !atomic_compare_exchange_weak_explicit(&s->wanted, &before, bytes,
                                                     memory_order_relaxed, memory_order_relaxed))
        continue;
}

sluice_status cpu_scratch_grow(cpu_scratch *s, size_t bytes, sluice_diag *why)
{
    sluice_status status = SLUICE_OK;

    want(s, bytes);
    if (forked(s))
        return SLUICE_OK;
    pthread_mutex_lock(&s->lock);
    /* An area in use keeps its block: growing waits until it is back, planning may take its
     * time. */
    for (int i = 0; i < s->areas && status == SLUICE_OK; i++) {
        area *a = &s->slot[i];
        a->growers++;
        while (a->out && a->bytes < bytes)
            pthread_cond_wait(&s->given, &s->lock);
        a->growers--;
        if (a->bytes >= bytes)
            continue;
        void *block = core_aligned_alloc(bytes);
        if (!block) {
            status = core_fail_memory(why);
            break;
        }
        core_aligned_free(a->block);
        a->block = block;
        a->bytes = bytes;
    }
    pthread_cond_broadcast(&s->given);
    pthread_mutex_unlock(&s->lock);
    return status;
}

void *cpu_scratch_take(cpu_scratch *s)
{
    if (forked(s))
        return core_aligned_alloc(atomic_load_explicit(&s->wanted, memory_order_relaxed));
    pthread_mutex_lock(&s->lock);
    for (;;) {
        for (int i = 0; i < s->areas; i++)
            if (!s->slot[i].out && s->slot[i].growers == 0) {
                s->slot[i].out = true;
                void *block = s->slot[i].block;
                pthread_mutex_unlock(&s->lock);
                return block;
            }
        pthread_cond_wait(&s->given, &s->lock);
    }
}

void cpu_scratch_give(cpu_scratch *s, void *block)
{
    if (forked(s)) {
        core_aligned_free(block);
        return;
    }
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < s->areas; i++)
        if (s->slot[i].block == block)
            s->slot[i].out = false;
    pthread_cond_broadcast(&s->given);
    pthread_mutex_unlock(&s->lock);
}
