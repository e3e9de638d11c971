// SPDX-License-Identifier: BSD-3-Clause
/* Rows of reals by halves, computed as columns of complex numbers. */
#ifndef SCHED_ROWS_HALVES_H
#define SCHED_ROWS_HALVES_H

#include "sched/planner/rows_as_columns.h"

/* I_rows (x) A on b columns, with its edges; NULL: the tree of A is not a DFT between moves and
 * pairs. */
const spl *sched_halves_expand(const sched_target *t, const sched_column_axis *a, int64_t rows,
                               int64_t b);

#endif
