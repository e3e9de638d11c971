// SPDX-License-Identifier: BSD-3-Clause
/* Executions that several units share, or that have a fallback. Shares of units with a depth are
 * begun first, then the caller and its workers compute theirs, then the others are finished. */
#ifndef SCHED_SHARES_H
#define SCHED_SHARES_H

#include "sched/plan/plan.h"

/* Makes the plan's execution from its kinds' shares and its fallback. A single kind without a
 * fallback executes its own program. */
sluice_status sched_shares_open(sluice_plan *plan, sluice_diag *why);
void sched_shares_close(sched_shares *shares); /* NULL is allowed */

#endif
