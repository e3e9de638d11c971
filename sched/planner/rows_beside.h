// SPDX-License-Identifier: BSD-3-Clause
/* Short rows of which each is several codelets: the same codelet of some rows in one call, before
 * the next one. */
#ifndef SCHED_ROWS_BESIDE_H
#define SCHED_ROWS_BESIDE_H

#include "sched/planner/expand.h"

/* I_n (x) row. `unit`: rows of the innermost of the dimensions that n is the product of; `shared`:
 * they are distributed to the parts. */
const spl *sched_rows_beside(sched_target *t, const spl *row, int64_t n, int64_t unit, bool shared);

#endif
