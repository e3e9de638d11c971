// SPDX-License-Identifier: BSD-3-Clause
/* Timing plans, on memory of the library's own. */
#ifndef SCHED_MEASURE_H
#define SCHED_MEASURE_H

#include "sched/plan/plan.h"

/* Seconds of one execution by at most `workers` threads (0: all of the team): the median of several
 * short runs, each with the arrays in other places within a page; of one at least, and no more once
 * core_seconds() is past `until` (0: no limit). */
sluice_status sched_measure(const sluice_plan *plan, int workers, double until, double *seconds,
                            sluice_diag *why);

/* Seconds of one execution as candidates are compared by: as above, but where the units have a
 * memory apart from the host's, with the data there: ways that all candidates have would hide what
 * distinguishes them. */
sluice_status sched_measure_candidate(const sluice_plan *plan, double until, double *seconds,
                                      sluice_diag *why);

#endif
