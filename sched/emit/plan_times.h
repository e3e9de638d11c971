// SPDX-License-Identifier: BSD-3-Clause
/* Predicted and measured times of the stages of a plan. */
#ifndef SCHED_PLAN_TIMES_H
#define SCHED_PLAN_TIMES_H

#include "core/text.h"
#include "sched/plan/plan.h"

/* Measured on one unit. If one stage follows another element by element, the processor works on
 * both at once, so only outermost loops can be timed, not stages. */
typedef struct sched_times {
    double seconds; /* of an execution */
    double *loop;   /* indexed as by `time` of backend.h; NULL: not timed */
} sched_times;

/* Executes the plan on arrays of its own. *out must be {0}; close frees it, also after a
 * failure. */
sluice_status sched_times_measure(sched_times *out, const sluice_plan *plan, sluice_diag *why);
void sched_times_close(sched_times *times);
/* Prints comments, or members of a JSON object after a comma. `times` NULL: only predictions. */
void sched_times_print(const sluice_plan *plan, const sched_times *times, core_text *out);
void sched_times_json(const sluice_plan *plan, const sched_times *times, core_text *out);

#endif
