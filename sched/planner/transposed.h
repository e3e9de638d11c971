// SPDX-License-Identifier: BSD-3-Clause
/* What a candidate transposes in order to fill vectors. The search prices each kind by other closed
 * forms, so the first candidates of each kind are compared as programs
 * (sched/plan/plan_price.c). */
#ifndef SCHED_TRANSPOSED_H
#define SCHED_TRANSPOSED_H

#include "sched/planner/find.h"

/* Nothing; rows of some axis as columns; the same by halves (pairs of reals as complex numbers);
 * all axes of arrays as columns; few columns of an axis as rows, whatever else is transposed. */
typedef enum sched_transposed {
    SCHED_NOTHING_TRANSPOSED,
    SCHED_ROWS_AS_COLUMNS,
    SCHED_HALVES_AS_COLUMNS,
    SCHED_ARRAYS_AS_COLUMNS,
    SCHED_COLUMNS_AS_ROWS
} sched_transposed;

sched_transposed sched_transposed_of(const sched_tree *x);
/* `all` has the cheapest combinations of a candidate in `before` with one in `axis` for axis d, at
 * this place. Adds the cheapest ones that transpose nothing until they are half of a full list, and
 * the cheapest one with columns as rows if `all` has none. */
void sched_keep_transposed(const sched_target *t, const sched_place *at, int d,
                           const sched_list *axis, const sched_list *before, sched_list *all);

#endif
