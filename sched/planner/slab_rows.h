// SPDX-License-Identifier: BSD-3-Clause
/* Slabs of an axis that runs before the rows. If its last stage works in place, its results are the
 * rows of a block, which run before the next block is computed. */
#ifndef SCHED_SLAB_ROWS_H
#define SCHED_SLAB_ROWS_H

#include "sched/planner/expand.h"

/* (I_n (x) row) * columns with one pass through memory less, in blocks of up to `most` complex
 * numbers. NULL: the last stage of the columns does not leave the rows of a block adjacent, or a
 * block is larger. */
const spl *sched_rows_in_slabs(const sched_target *t, const spl *row, const spl *columns, int64_t n,
                               int64_t most);

#endif
