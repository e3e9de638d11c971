// SPDX-License-Identifier: BSD-3-Clause
/* The pool of OpenMP's threads ("cpu:4+openmp"): for programs that are OpenMP programs already and
 * want one set of threads. The runtime owns the threads; a stream's driver is a thread of its
 * own. */
#include <omp.h>
#include <signal.h>

#include "backends/cpu/threads/cpu_pool.h"
#include "core/fork.h"
#include "core/mem.h"
#include "core/status.h"

struct cpu_pool {
    int workers;
    core_fork *mark; /* OpenMP's threads do not survive fork; using them there would wait forever */
};

struct cpu_thread {
    pthread_t id;
    void (*fn)(void *arg);
    void *arg;
};

static sluice_status openmp_open(cpu_pool **out, int workers, const core_topology *topology,
                                 sluice_diag *why)
{
    cpu_pool *pool = core_calloc(1, sizeof *pool);

    (void)topology; /* OpenMP binds its threads itself (OMP_PROC_BIND) */
    if (!pool)
        return core_fail_memory(why);
    pool->workers = workers;
    pool->mark = core_fork_open();
    if (!pool->mark) {
        core_free(pool);
        return core_fail_memory(why);
    }
    *out = pool;
    return SLUICE_OK;
}

static void openmp_close(cpu_pool *pool)
{
    if (!pool)
        return;
    core_fork_close(pool->mark);
    core_free(pool);
}

static void openmp_run(cpu_pool *pool, int want, bool needs_all, cpu_job *job, void *arg)
{
    (void)needs_all; /* OpenMP waits for every thread of its teams */
    if (want > pool->workers)
        want = pool->workers;
    if (want <= 1 || core_forked(pool->mark)) {
        job(arg, 0, 1);
        return;
    }
#pragma omp parallel num_threads(want)
    job(arg, omp_get_thread_num(), omp_get_num_threads());
}

static void *thread_main(void *arg)
{
    const cpu_thread *t = arg;

    t->fn(t->arg);
    return NULL;
}

static cpu_thread *openmp_start(cpu_pool *pool, void (*fn)(void *), void *arg)
{
    cpu_thread *t = core_forked(pool->mark) ? NULL : core_calloc(1, sizeof *t);
    sigset_t all, old;

    if (!t)
        return NULL;
    t->fn = fn;
    t->arg = arg;
    /* Threads of the library take no signals of the program's. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    const int error = pthread_create(&t->id, NULL, thread_main, t);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (error == 0)
        return t;
    core_free(t);
    return NULL;
}

static void openmp_join(cpu_thread *t)
{
    if (!t)
        return;
    pthread_join(t->id, NULL);
    core_free(t);
}

const cpu_pool_table cpu_pool_openmp = {.name = "openmp",
                                        .open = openmp_open,
                                        .close = openmp_close,
                                        .run = openmp_run,
                                        .start = openmp_start,
                                        .join = openmp_join};
