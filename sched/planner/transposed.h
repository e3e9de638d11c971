// SPDX-License-Identifier: BSD-3-Clause
/* What candidates transpose so that vectors are filled. The search prices each of these by closed
 * forms of its own, so that their first ones are compared as programs (sched/plan/plan_price.c). */
#ifndef SCHED_TRANSPOSED_H
#define SCHED_TRANSPOSED_H

#include "sched/planner/find.h"

/* Nothing; rows of some axis, to columns; these by halves; all axes of arrays; few columns of an
 * axis, to rows, whatever else is. */
typedef enum sched_transposed {
    SCHED_NOTHING_TRANSPOSED,
    SCHED_ROWS_AS_COLUMNS,
    SCHED_HALVES_AS_COLUMNS,
    SCHED_ARRAYS_AS_COLUMNS,
    SCHED_COLUMNS_AS_ROWS
} sched_transposed;

sched_transposed sched_transposed_of(const sched_tree *x);
/* `all` has the cheapest candidates that are one of `before` with one of `axis` as axis d, at this
 * place. Adds the cheapest ones that transpose nothing until they are half of a full list, and the
 * one that has columns as rows, where `all` has none. */
void sched_keep_transposed(sched_target *t, const sched_place *at, int d, const sched_list *axis,
                           const sched_list *before, sched_list *all);

#endif
