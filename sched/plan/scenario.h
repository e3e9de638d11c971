// SPDX-License-Identifier: BSD-3-Clause
/* Which usage scenario of Spiral for the Cell (Fig. 2, Table 3) a plan is. */
#ifndef SCHED_SCENARIO_H
#define SCHED_SCENARIO_H

#include "core/text.h"
#include "sched/plan/plan.h"

typedef enum sched_scenario {
    SCHED_A1 = 0, /* one transform, in the local stores of p > 1 parts, where it stays       */
    SCHED_A2,     /* one transform through the local store of one part                       */
    SCHED_A3,     /* one transform through the local stores of p > 1 parts                   */
    SCHED_A4,     /* several axes, larger than the local stores: in parts                    */
    SCHED_LP,     /* one axis, larger than the local stores: in parts                        */
    SCHED_B1,     /* a batch through one part                                                */
    SCHED_B2,     /* a batch distributed to p > 1 parts, no barrier until the end            */
    SCHED_B3      /* a batch, each transform by all parts                                    */
} sched_scenario;

sched_scenario sched_scenario_of(const sluice_plan *plan);
/* "# scenario a1: ..", with the condition that decides. */
void sched_scenario_print(const sluice_plan *plan, core_text *out);

#endif
