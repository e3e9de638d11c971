// SPDX-License-Identifier: BSD-3-Clause
/* The lengths to pad a problem to so that it is fastest. */
#ifndef SCHED_PAD_H
#define SCHED_PAD_H

#include "sched/plan/plan.h"

/* See sluice_problem_pad (api/sluice.h). */
sluice_status sched_problem_pad(sluice_problem *out, sluice_machine *machine,
                                const sluice_problem *problem, double seconds[2], sluice_diag *why);

#endif
