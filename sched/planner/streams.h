// SPDX-License-Identifier: BSD-3-Clause
/* Which parts of a formula are streamed through local stores. */
#ifndef SCHED_STREAMS_H
#define SCHED_STREAMS_H

#include "sched/planner/formula.h"

/* The planner's formula of a problem with stream(s) wherever rows or columns fit the local store:
 * the scenarios of docs/SCENARIOS.md. If nothing fits, x itself, with the cause in *reason. */
const spl *sched_streams(const sched_target *t, const sluice_problem *p, const spl *x,
                         const char **reason);

#endif
