// SPDX-License-Identifier: BSD-3-Clause
/* Short rows of which each is several codelets: the same codelet of some rows in one call, before
 * the next one. */
#ifndef SCHED_ROWS_BESIDE_H
#define SCHED_ROWS_BESIDE_H

#include "sched/planner/expand.h"

/* I_count (x) block, distributed to the parts as that many rows of a batch, 0: not, and after these
 * what is left over; either may be NULL. */
const spl *sched_row_blocks(sched_target *t, const spl *block, int64_t count, const spl *last,
                            int64_t shared);
/* I_n (x) row. `unit`: rows of the innermost of the dimensions that n is the product of, 0: of a
 * batch of one dimension; `shared`: they are distributed to the parts. */
const spl *sched_rows_beside(sched_target *t, const spl *row, int64_t n, int64_t unit, bool shared);

#endif
