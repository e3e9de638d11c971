// SPDX-License-Identifier: BSD-3-Clause
/* Short rows that need several codelets each: a codelet runs on several rows in one call, before
 * the next codelet. */
#ifndef SCHED_ROWS_BESIDE_H
#define SCHED_ROWS_BESIDE_H

#include "sched/planner/expand.h"

/* I_count (x) block, followed by `last`, a smaller block; either may be NULL. `shared`: distribute
 * the blocks to the parts like a batch of this many rows; 0: do not. */
const spl *sched_row_blocks(const sched_target *t, const spl *block, int64_t count, const spl *last,
                            int64_t shared);
/* I_n (x) row. `unit`: rows of the innermost dimension of those whose product n is; 0: the batch
 * has one dimension. `shared`: distribute the rows to the parts. */
const spl *sched_rows_beside(const sched_target *t, const spl *row, int64_t n, int64_t unit,
                             bool shared);

#endif
