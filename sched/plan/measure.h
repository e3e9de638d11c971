// SPDX-License-Identifier: BSD-3-Clause
/* Timing of plans, on memory of the library's own. */
#ifndef SCHED_MEASURE_H
#define SCHED_MEASURE_H

#include "sched/plan/plan.h"

/* Seconds of one execution by at most `workers` threads (0: all of the team): the median of several
 * short runs, each with the arrays at other offsets within a page. There is at least one run, and
 * no further one after core_seconds() exceeds `until` (0: no limit). */
sluice_status sched_measure(const sluice_plan *plan, int workers, double until, double *seconds,
                            sluice_diag *why);

/* Seconds of one execution, for comparing candidates. As above, except that data lie in the units'
 * own memory if that is not the host's: transfers are the same for all candidates and would hide
 * their differences. */
sluice_status sched_measure_candidate(const sluice_plan *plan, double until, double *seconds,
                                      sluice_diag *why);

#endif
