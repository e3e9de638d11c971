// SPDX-License-Identifier: BSD-3-Clause
/* A few areas protected by one lock, which is enough since an execution that needs an area runs for
 * microseconds at least. In a child after fork, areas in use never come back and the lock may be
 * held, so the child allocates memory instead. */
#include "backends/cpu/run/cpu_scratch.h"

#include <pthread.h>
#include <stdbool.h>

#include "core/fork.h"
#include "core/mem.h"
#include "core/status.h"

typedef struct area {
    void *block;
    size_t bytes;
    bool out;
    int growers; /* threads that wait to enlarge it; until then nobody may acquire it */
} area;

struct cpu_scratch {
    pthread_mutex_t lock; /* protects everything below that open does not fix */
    pthread_cond_t given; /* an area may be acquired or enlarged */
    int planned, most;    /* areas that plans make; areas there may be; fixed by open */
    size_t limit;         /* fixed by open */
    core_fork *mark;      /* of the process that owns these areas */
    int used;             /* slot[0 .. used-1] hold, or held, a block */
    size_t bytes;
    long waits;
    area slot[];
};

cpu_scratch *cpu_scratch_open(int areas, size_t limit)
{
    const int most = limit && areas < CPU_SCRATCH_AREAS ? CPU_SCRATCH_AREAS : areas;
    cpu_scratch *s = core_calloc(1, sizeof *s + (size_t)most * sizeof s->slot[0]);

    if (!s)
        return NULL;
    s->mark = core_fork_open();
    if (!s->mark) {
        core_free(s);
        return NULL;
    }
    s->planned = areas;
    s->most = most;
    s->limit = limit;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->given, NULL);
    return s;
}

void cpu_scratch_close(cpu_scratch *s)
{
    if (!s)
        return;
    for (int i = 0; i < s->used; i++)
        core_aligned_free(s->slot[i].block);
    if (!core_forked(s->mark)) { /* a thread that waits here is the parent's and never leaves */
        pthread_cond_destroy(&s->given);
        pthread_mutex_destroy(&s->lock);
    }
    core_fork_close(s->mark);
    core_free(s);
}

/* ---- under the lock ---- */

static void free_area(cpu_scratch *s, area *a)
{
    core_aligned_free(a->block);
    s->bytes -= a->bytes;
    a->block = NULL;
    a->bytes = 0;
}

static bool allocate_area(cpu_scratch *s, int i, size_t bytes)
{
    void *block = core_aligned_alloc(bytes);

    if (!block)
        return false;
    free_area(s, &s->slot[i]);
    s->slot[i].block = block;
    s->slot[i].bytes = bytes;
    s->bytes += bytes;
    if (i >= s->used)
        s->used = i + 1;
    return true;
}

/* Would all areas stay below the limit with the i-th of `bytes`? */
static bool fits_limit(const cpu_scratch *s, int i, size_t bytes)
{
    const size_t others = s->bytes - s->slot[i].bytes;

    return bytes <= s->limit && others <= s->limit - bytes;
}

static bool is_idle(const area *a)
{
    return !a->out && a->growers == 0;
}

static int find_area(const cpu_scratch *s, size_t bytes)
{
    for (int i = 0; i < s->used; i++)
        if (is_idle(&s->slot[i]) && s->slot[i].bytes >= bytes)
            return i;
    return -1;
}

/* Makes a new area if no idle one is large enough. Idle ones are freed for it, except the first
 * one, whose size cpu_scratch_grow sets. -1: it would exceed the limit. */
static int add_area(cpu_scratch *s, size_t bytes)
{
    size_t stays = s->slot[0].bytes;
    int spare = -1;

    for (int i = 1; i < s->used; i++)
        stays += is_idle(&s->slot[i]) ? 0 : s->slot[i].bytes;
    if (bytes > s->limit || stays > s->limit - bytes)
        return -1;
    for (int i = s->used - 1; i > 0 && (spare < 0 || !fits_limit(s, spare, bytes)); i--)
        if (is_idle(&s->slot[i])) {
            free_area(s, &s->slot[i]);
            spare = i;
        }
    if (spare < 0 && s->used < s->most)
        spare = s->used;
    return spare > 0 && allocate_area(s, spare, bytes) ? spare : -1;
}

/* ---- callers ---- */

/* The first area, or without a limit every area, must become large enough: planning waits until
 * they are released. Others may stay as they are. */
sluice_status cpu_scratch_grow(cpu_scratch *s, size_t bytes, sluice_diag *why)
{
    sluice_status status = SLUICE_OK;

    if (core_forked(s->mark))
        return SLUICE_OK;
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < s->planned && status == SLUICE_OK; i++) {
        area *a = &s->slot[i];
        const bool must = i == 0 || s->limit == 0;
        if (!must && (!is_idle(a) || !fits_limit(s, i, bytes)))
            continue;
        a->growers++;
        while (a->out && a->bytes < bytes)
            pthread_cond_wait(&s->given, &s->lock);
        a->growers--;
        if (a->bytes < bytes && !allocate_area(s, i, bytes))
            status = core_fail_memory(why);
    }
    pthread_cond_broadcast(&s->given);
    pthread_mutex_unlock(&s->lock);
    return status;
}

void *cpu_scratch_acquire(cpu_scratch *s, size_t bytes, bool *waited)
{
    int i;

    *waited = false;
    if (core_forked(s->mark))
        return core_aligned_alloc(bytes);
    pthread_mutex_lock(&s->lock);
    while ((i = find_area(s, bytes)) < 0 && (s->limit == 0 || (i = add_area(s, bytes)) < 0)) {
        s->waits += !*waited;
        *waited = true;
        pthread_cond_wait(&s->given, &s->lock);
    }
    s->slot[i].out = true;
    void *block = s->slot[i].block;
    pthread_mutex_unlock(&s->lock);
    return block;
}

void cpu_scratch_release(cpu_scratch *s, void *block)
{
    if (core_forked(s->mark)) {
        core_aligned_free(block);
        return;
    }
    pthread_mutex_lock(&s->lock);
    for (int i = 0; i < s->used; i++)
        if (s->slot[i].block == block)
            s->slot[i].out = false;
    pthread_cond_broadcast(&s->given);
    pthread_mutex_unlock(&s->lock);
}

long cpu_scratch_waits(cpu_scratch *s)
{
    pthread_mutex_lock(&s->lock);
    const long waits = s->waits;
    pthread_mutex_unlock(&s->lock);
    return waits;
}

size_t cpu_scratch_bytes(cpu_scratch *s)
{
    pthread_mutex_lock(&s->lock);
    const size_t bytes = s->bytes;
    pthread_mutex_unlock(&s->lock);
    return bytes;
}
