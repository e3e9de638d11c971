// SPDX-License-Identifier: BSD-3-Clause
/* Which kinds of units take part in executions and streams of a plan, and with what share. Decided
 * when the plan is made, from the rates of its kinds only. */
#ifndef SCHED_PLAN_KINDS_H
#define SCHED_PLAN_KINDS_H

#include "sched/plan/plan.h"

/* A kind of units of the machine. */
typedef struct sched_unit_kind {
    const backend_table *table;
    int units;
    sluice_plan *plan; /* its plan, one of the list; NULL: none */
    size_t count;  /* transforms of the slowest batch dimension that it computes in an execution */
    char why[200]; /* why not all of its units take part in executions and streams; "": they do */
} sched_unit_kind;

struct sched_unit_kinds {
    int count;
    bool shared; /* an execution is a batch that several kinds could share */
    sched_unit_kind kind[];
};

/* All kinds of a machine, without plans; freed by core_free. NULL: out of memory. */
sched_unit_kinds *sched_kinds_open(const sluice_machine *machine);
/* Distributes the transforms of an execution, and excludes kinds from streams. All plans must have
 * a rate. */
void sched_kinds_deal(sched_unit_kinds *kinds);

#endif
