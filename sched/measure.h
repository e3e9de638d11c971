// SPDX-License-Identifier: BSD-3-Clause
/* Timing plans, on memory of the library's own. */
#ifndef SCHED_MEASURE_H
#define SCHED_MEASURE_H

#include "sched/plan.h"

/* Memory for both sides of a plan, zeroed; in place: out is in. */
typedef struct sched_sides {
    void *block[4];
    sluice_arrays arrays;
} sched_sides;
sluice_status sched_sides_open(sched_sides *s, const sluice_plan *plan, sluice_diag *why);
void sched_sides_close(sched_sides *s);

/* Seconds of one execution: the best of several short runs, which is what comparing needs; of one
 * at least, and no more once the clock (core_seconds) is past `until` (0: no limit). */
sluice_status sched_measure(const sluice_plan *plan, double until, double *seconds,
                            sluice_diag *why);

#endif
