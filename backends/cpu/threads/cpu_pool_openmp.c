// SPDX-License-Identifier: BSD-3-Clause
/* A pool of OpenMP's threads ("cpu:4+openmp"), for OpenMP programs that want only one set of
 * threads. The runtime owns them; the driver of a stream is a separate thread. */
#include <omp.h>

#include "backends/cpu/threads/cpu_pool.h"
#include "backends/plain_thread.h"
#include "core/fork.h"
#include "core/mem.h"
#include "core/status.h"

struct cpu_pool {
    int workers;
    core_fork *mark; /* OpenMP's threads do not survive fork; using them there would wait forever */
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

/* A cpu_thread is a plain thread here. */
static cpu_thread *openmp_start(cpu_pool *pool, void (*fn)(void *), void *arg)
{
    return core_forked(pool->mark) ? NULL : (cpu_thread *)plain_thread_start(NULL, fn, arg);
}

static void openmp_join(cpu_thread *t)
{
    if (t)
        plain_thread_join((backend_thread *)t);
}

const cpu_pool_table cpu_pool_openmp = {.name = "openmp",
                                        .open = openmp_open,
                                        .close = openmp_close,
                                        .run = openmp_run,
                                        .start = openmp_start,
                                        .join = openmp_join};
