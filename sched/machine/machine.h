// SPDX-License-Identifier: BSD-3-Clause
/* The machine: its backends opened, counted by its plans, with the wisdom gathered on it: formulas
 * and what kernels cost. */
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
    size_t max_bytes; /* of what is kept; 0: nothing is */
    unsigned long generation;
    sched_kept *newest;
    void (*drop)(sluice_machine *machine); /* all of them; NULL: there was none yet */
} sched_plans;

struct sluice_machine {
    atomic_long refcount; /* the caller and every plan */
    core_fork *mark;      /* of the process whose threads work for it */
    core_log log;
    const backend_table *table; /* the backend that runs plans */
    backend *backend;
    bool reproducible;      /* SLUICE_REPRODUCIBLE: all its plans are */
    int units, first_unit;  /* how many; the number of the first among all kinds' */
    sluice_unit_info unit0; /* the planner's description of a unit */
    backend_transfers transfers;
    sched_gate *gate;   /* to its units; NULL: they only run */
    char left_out[160]; /* why its units take no part where others do; "": they may */
    pthread_mutex_t wisdom_lock;
    size_t wisdom_count, wisdom_capacity;
    sched_wisdom *wisdom;
    sched_costs *costs;      /* the newest; NULL: all kernels cost what is predicted */
    atomic_ulong generation; /* of wisdom and costs: how often they changed */
    sched_plans plans;
    sluice_machine *next; /* units of the next kind, a machine of their own; NULL: none. Released
                             with this one */
};

sluice_status sched_machine_open(sluice_machine **out, const sluice_machine_options *options,
                                 sluice_diag *why);
/* The units that a backend makes of what the caller has opened (backend_config.native). The
 * options' units, NULL or the backend's name with settings behind it, are of one kind. */
sluice_status sched_machine_open_native(sluice_machine **out, const sluice_machine_options *options,
                                        const char *backend_name, const void *native,
                                        sluice_diag *why);
void sched_machine_retain(sluice_machine *machine);
void sched_machine_release(sluice_machine *machine); /* the last reference closes it */

#endif
