// SPDX-License-Identifier: BSD-3-Clause
/* The pool of pthreads: workers are leased by one compare-and-swap each and wait for jobs by
 * spinning for a few microseconds, then sleeping, so that back-to-back executions need no system
 * call. */
#define _GNU_SOURCE
#include "backends/cpu/threads/cpu_pool.h"

#include <sched.h>
#include <stdbool.h>
#include <string.h>

#include "backends/cpu/threads/cpu_spin.h"
#include "backends/plain_thread.h"
#include "core/fork.h"
#include "core/mem.h"
#include "core/status.h"

enum { WORKER_IDLE = 0, WORKER_LEASED = 1 };

/* One execution's team; lives on the caller's stack until `pending` is 0. */
typedef struct team_job {
    cpu_job *job;
    void *arg;
    int members;
    /* Workers that are not done: each subtracts 1 (release), the caller waits for 0 (acquire). */
    _Alignas(64) atomic_int pending;
} team_job;

struct cpu_thread {
    cpu_pool *pool;
    pthread_t id;
    int index;
    backend_thread *spare; /* NULL: a worker of the pool; else made for one start() */
    void (*fn)(void *arg);
    void *arg;
    atomic_int fn_done; /* start(): set by the thread (release), read by join (acquire) */
    /* IDLE -> LEASED by the leasing thread's CAS; back by the same thread or by the worker. */
    _Alignas(64) atomic_int state;
    /* Stored by the leasing thread; the thread that exchanges it for NULL has the job. */
    _Alignas(64) _Atomic(team_job *) job;
    int member;          /* written before `job`, read after it */
    atomic_int sleeping; /* 1: the worker waits on `wake`; both sides seq_cst, see post_job */
    pthread_mutex_t lock;
    pthread_cond_t wake;
};

struct cpu_pool {
    const core_topology *topology;
    int workers;
    core_fork *mark; /* of the process whose workers these are */
    cpu_thread worker[];
};

/* Values of `job` that tell a worker to run its own fn, or to stop. */
static team_job run_fn, stop;

/* Claims the job, which pool_run may cancel until then. NULL: none. */
static team_job *take_job(cpu_thread *t)
{
    return atomic_exchange(&t->job, NULL);
}

static team_job *await_job(cpu_thread *t)
{
    team_job *job;

    for (int spin = 0; spin < cpu_spin_limit(); spin++) {
        job = atomic_load_explicit(&t->job, memory_order_relaxed);
        if (job && (job = take_job(t)))
            return job;
        cpu_spin_pause();
    }
    pthread_mutex_lock(&t->lock);
    /* Announced before the last look: post_job stores the job before it looks at `sleeping`, so
     * one of the two sees the other (both seq_cst). */
    atomic_store(&t->sleeping, 1);
    while (!(job = take_job(t)))
        pthread_cond_wait(&t->wake, &t->lock);
    atomic_store(&t->sleeping, 0);
    pthread_mutex_unlock(&t->lock);
    return job;
}

static void post_job(cpu_thread *t, team_job *job)
{
    atomic_store(&t->job, job);
    if (!atomic_load(&t->sleeping))
        return;
    pthread_mutex_lock(&t->lock);
    pthread_cond_signal(&t->wake);
    pthread_mutex_unlock(&t->lock);
}

static void *worker_main(void *arg)
{
    cpu_thread *t = arg;
    const int cores = core_topology_count(t->pool->topology);

    core_topology_bind(t->pool->topology, t->index % cores);
    for (;;) {
        team_job *job = await_job(t);
        if (job == &stop)
            return NULL;
        if (job == &run_fn) {
            t->fn(t->arg);
            pthread_mutex_lock(&t->lock);
            atomic_store_explicit(&t->fn_done, 1, memory_order_release);
            pthread_cond_broadcast(&t->wake);
            pthread_mutex_unlock(&t->lock);
            continue; /* still leased: join gives it back */
        }
        job->job(job->arg, t->member, job->members);
        /* Idle before done: the caller may lease again as soon as it sees `pending` fall. */
        atomic_store_explicit(&t->state, WORKER_IDLE, memory_order_release);
        atomic_fetch_sub_explicit(&job->pending, 1, memory_order_release);
    }
}

static void thread_init(cpu_thread *t, cpu_pool *pool, int index)
{
    t->pool = pool;
    t->index = index;
    atomic_init(&t->state, WORKER_IDLE);
    atomic_init(&t->job, NULL);
    atomic_init(&t->sleeping, 0);
    atomic_init(&t->fn_done, 0);
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->wake, NULL);
}

static void thread_clear(cpu_thread *t)
{
    pthread_cond_destroy(&t->wake);
    pthread_mutex_destroy(&t->lock);
}

static void stop_workers(cpu_pool *pool, int started)
{
    for (int i = 0; i < started; i++) {
        post_job(&pool->worker[i], &stop);
        pthread_join(pool->worker[i].id, NULL);
        thread_clear(&pool->worker[i]);
    }
}

static sluice_status pool_open(cpu_pool **out, int workers, const core_topology *topology,
                               sluice_diag *why)
{
    const size_t bytes = sizeof(cpu_pool) + (size_t)workers * sizeof(cpu_thread);
    cpu_pool *pool = core_aligned_alloc(bytes);

    if (!pool)
        return core_fail_memory(why);
    memset(pool, 0, bytes);
    pool->topology = topology;
    pool->workers = workers;
    pool->mark = core_fork_open();
    if (!pool->mark) {
        core_aligned_free(pool);
        return core_fail_memory(why);
    }
    for (int i = 0; i < workers; i++) {
        thread_init(&pool->worker[i], pool, i);
        const int error = plain_thread_create(&pool->worker[i].id, worker_main, &pool->worker[i]);
        if (error) {
            thread_clear(&pool->worker[i]);
            stop_workers(pool, i);
            core_fork_close(pool->mark);
            core_aligned_free(pool);
            return core_fail(why, SLUICE_E_MEMORY, 0,
                             "worker thread %d of %d cannot be created: %s; units \"cpu:N\" open N",
                             i + 1, workers, strerror(error));
        }
    }
    *out = pool;
    return SLUICE_OK;
}

static void pool_close(cpu_pool *pool)
{
    if (!pool)
        return;
    if (!core_forked(pool->mark))
        stop_workers(pool, pool->workers);
    core_fork_close(pool->mark);
    core_aligned_free(pool);
}

static bool lease_worker(cpu_thread *t)
{
    int idle = WORKER_IDLE;

    return atomic_load_explicit(&t->state, memory_order_relaxed) == WORKER_IDLE
           && atomic_compare_exchange_strong_explicit(&t->state, &idle, WORKER_LEASED,
                                                      memory_order_acquire, memory_order_relaxed);
}

/* Leases up to `want` workers; those bound to the core the caller runs on come last, since the
 * caller stands in for one of them. */
static int lease_workers(cpu_pool *pool, int want, cpu_thread **out)
{
    const int cores = core_topology_count(pool->topology), here = sched_getcpu();
    int count = 0;

    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < pool->workers && count < want; i++) {
            const core_core *core = core_topology_core(pool->topology, i % cores);
            if ((core->os_index == here) == (pass == 1) && lease_worker(&pool->worker[i]))
                out[count++] = &pool->worker[i];
        }
    return count;
}

/* Cancels the job for the workers that have not taken it yet. */
static void cancel_unstarted(team_job *team, cpu_thread *const *leased, int count)
{
    for (int i = 0; i < count; i++) {
        team_job *given = team;
        if (!atomic_compare_exchange_strong(&leased[i]->job, &given, NULL))
            continue;
        atomic_store_explicit(&leased[i]->state, WORKER_IDLE, memory_order_release);
        atomic_fetch_sub_explicit(&team->pending, 1, memory_order_relaxed);
    }
}

static void pool_run(cpu_pool *pool, int want, bool needs_all, cpu_job *job, void *arg)
{
    enum { MAX_TEAM = 256 };
    cpu_thread *leased[MAX_TEAM];
    team_job team = {.job = job, .arg = arg};
    int count = 0;

    if (want > pool->workers)
        want = pool->workers;
    if (want > MAX_TEAM)
        want = MAX_TEAM;
    if (want > 1 && !core_forked(pool->mark))
        count = lease_workers(pool, want - 1, leased);
    team.members = count + 1;
    atomic_init(&team.pending, count);
    for (int i = 0; i < count; i++) {
        leased[i]->member = i + 1;
        post_job(leased[i], &team);
    }
    job(arg, 0, team.members);
    if (!needs_all)
        cancel_unstarted(&team, leased, count);
    for (int spin = 0; atomic_load_explicit(&team.pending, memory_order_acquire) != 0;)
        if (spin < cpu_spin_limit()) {
            spin++;
            cpu_spin_pause();
        } else
            sched_yield();
}

static cpu_thread *start_spare(void (*fn)(void *), void *arg)
{
    cpu_thread *t = core_aligned_alloc(sizeof *t);

    if (!t)
        return NULL;
    t->spare = plain_thread_start(NULL, fn, arg);
    if (t->spare)
        return t;
    core_aligned_free(t);
    return NULL;
}

static cpu_thread *pool_start(cpu_pool *pool, void (*fn)(void *), void *arg)
{
    if (core_forked(pool->mark))
        return NULL;
    for (int i = 0; i < pool->workers; i++) {
        cpu_thread *t = &pool->worker[i];
        if (!lease_worker(t))
            continue;
        t->fn = fn;
        t->arg = arg;
        atomic_store_explicit(&t->fn_done, 0, memory_order_relaxed);
        post_job(t, &run_fn);
        return t;
    }
    return start_spare(fn, arg);
}

static void pool_join(cpu_thread *t)
{
    if (!t)
        return;
    if (t->spare) {
        plain_thread_join(t->spare);
        core_aligned_free(t);
        return;
    }
    pthread_mutex_lock(&t->lock);
    while (!atomic_load_explicit(&t->fn_done, memory_order_acquire))
        pthread_cond_wait(&t->wake, &t->lock);
    pthread_mutex_unlock(&t->lock);
    atomic_store_explicit(&t->state, WORKER_IDLE, memory_order_release);
}

const cpu_pool_table cpu_pool_pthread = {.name = "pthread",
                                         .open = pool_open,
                                         .close = pool_close,
                                         .run = pool_run,
                                         .start = pool_start,
                                         .join = pool_join};
