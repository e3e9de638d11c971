// SPDX-License-Identifier: BSD-3-Clause
/* Worker threads, one per CPU unit, which executions lease.
 *
 * The calling thread is member 0 of its team, in place of one worker. The other members are idle
 * workers, leased for this one job. Busy workers are never waited for: if none is idle the caller
 * runs alone. After fork the child has no workers. */
#ifndef BACKENDS_CPU_POOL_H
#define BACKENDS_CPU_POOL_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "core/topology.h"

typedef struct cpu_pool cpu_pool;
typedef struct cpu_thread cpu_thread;

/* A barrier of `members` threads, all of which pass the same number; spins briefly, then sleeps. */
typedef struct cpu_barrier {
    _Alignas(64) atomic_int arrived;
    _Alignas(64) atomic_int phase;
    atomic_int sleepers;
    pthread_mutex_t lock;
    pthread_cond_t wake;
} cpu_barrier;
void cpu_barrier_open(cpu_barrier *barrier);
void cpu_barrier_close(cpu_barrier *barrier);
void cpu_barrier_wait(cpu_barrier *barrier, int members);

/* Member `member` of `members` threads that run the job together. */
typedef void cpu_job(void *arg, int member, int members);

typedef struct cpu_pool_table {
    const char *name;
    /* `topology` is kept, not owned; worker i is bound to core i modulo the cores. */
    sluice_status (*open)(cpu_pool **out, int workers, const core_topology *topology,
                          sluice_diag *why);
    void (*close)(cpu_pool *pool); /* NULL allowed; no job may be running */
    /* Runs job as a team of the caller and at most want-1 leased workers; returns when all are
     * done. needs_all: every member runs (jobs with barriers). Otherwise members that have not
     * started when the caller finishes are cancelled: for jobs that claim work dynamically and have
     * no barriers. */
    void (*run)(cpu_pool *pool, int want, bool needs_all, cpu_job *job, void *arg);
    /* Runs fn(arg) on an idle worker, else on a new thread. NULL: no thread could be created. */
    cpu_thread *(*start)(cpu_pool *pool, void (*fn)(void *arg), void *arg);
    void (*join)(cpu_thread *thread);
} cpu_pool_table;

extern const cpu_pool_table cpu_pool_pthread, cpu_pool_openmp;

#endif
