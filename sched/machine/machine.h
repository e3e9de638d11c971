// SPDX-License-Identifier: BSD-3-Clause
/* The machine: its open backends, its reference count, and the wisdom gathered on it: formulas and
 * the costs of codelets. */
#ifndef SCHED_MACHINE_H
#define SCHED_MACHINE_H

#include <pthread.h>
#include <stdatomic.h>

#include "api/sluice.h"
#include "backends/backend.h"
#include "core/fork.h"
#include "core/log.h"
#include "sched/machine/gate.h"

typedef struct sched_wisdom sched_wisdom; /* sched/machine/wisdom.c */
typedef struct sched_costs sched_costs;   /* sched/machine/costs.h */

/* Plans that are kept (sched/plan/plan_cache.c). */
typedef struct sched_kept sched_kept;
typedef struct sched_plans {
    pthread_mutex_t lock;
    size_t max_bytes; /* limit for kept plans; 0: none is kept */
    unsigned long generation;
    sched_kept *newest;
    void (*drop)(sluice_machine *machine); /* drops all; NULL: none was kept yet */
} sched_plans;

struct sluice_machine {
    atomic_long refcount; /* held by the caller and by every plan */
    core_fork *mark;      /* the process whose threads work for the machine */
    core_log log;
    const backend_table *table; /* the backend that runs plans */
    backend *backend;
    bool reproducible;      /* SLUICE_REPRODUCIBLE: all plans are reproducible */
    int units, first_unit;  /* their number; the number of the first among the units of all kinds */
    sluice_unit_info unit0; /* the planner's description of a unit */
    backend_transfers transfers;
    sched_gate *gate;   /* counts blocks of its units; NULL: units without a depth */
    char left_out[160]; /* why its units take no part if others do; "": they may */
    pthread_mutex_t wisdom_lock;
    size_t wisdom_count, wisdom_capacity;
    sched_wisdom *wisdom;
    sched_costs *costs;      /* the newest; NULL: all kernels have predicted costs */
    atomic_ulong generation; /* number of changes of wisdom and costs */
    sched_plans plans;
    /* Units of the next kind, a machine of their own, released with this one; NULL: none. */
    sluice_machine *next;
};

sluice_status sched_machine_open(sluice_machine **out, const sluice_machine_options *options,
                                 sluice_diag *why);
/* The units that a backend makes of objects that the caller has opened (backend_config.native). The
 * options' units, NULL or the backend's name followed by settings, must be of one kind. */
sluice_status sched_machine_open_native(sluice_machine **out, const sluice_machine_options *options,
                                        const char *backend_name, const void *native,
                                        sluice_diag *why);
void sched_machine_retain(sluice_machine *machine);
void sched_machine_release(sluice_machine *machine); /* the last reference closes it */

#endif
