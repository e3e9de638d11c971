// SPDX-License-Identifier: BSD-3-Clause
/* Slabs of an axis that runs before the rows: those that its last stage leaves in place are rows of
 * a block, which they run on before the next one is computed. */
#ifndef SCHED_SLAB_ROWS_H
#define SCHED_SLAB_ROWS_H

#include "sched/planner/expand.h"

/* (I_n (x) row) * columns in one pass through memory less, of blocks of up to `most` complex
 * numbers. NULL: the columns' last stage does not leave the rows of a block side by side, or a
 * block is larger. */
const spl *sched_rows_in_slabs(sched_target *t, const spl *row, const spl *columns, int64_t n,
                               int64_t most);

#endif
