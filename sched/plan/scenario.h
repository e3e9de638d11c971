// SPDX-License-Identifier: BSD-3-Clause
/* The usage scenario of a plan, as in Spiral for the Cell (Fig. 2, Table 3). */
#ifndef SCHED_SCENARIO_H
#define SCHED_SCENARIO_H

#include "core/text.h"
#include "sched/plan/plan.h"

/* "# scenario a1: ..", with the condition that decides. */
void sched_scenario_print(const sluice_plan *plan, core_text *out);

#endif
