// SPDX-License-Identifier: BSD-3-Clause
/* Rows of real matrices in vectors of columns: rows_columns.c. */
#ifndef SCHED_ROWS_COLUMNS_H
#define SCHED_ROWS_COLUMNS_H

#include "sched/planner/expand.h"
#include "sched/planner/find.h"

/* Adds the trees that compute the rows of a place as columns. */
void sched_rows_columns_find(const sched_target *t, const sched_place *at, sched_list *out);
/* Both kinds are compared as programs (sched/plan/plan_price.c): if `all`, made of trees of `list`
 * with those of axis d added, has rows as columns alone, the cheapest other one is added. */
void sched_rows_columns_keep_other(sched_target *t, const sched_place *at, int d,
                                   const sched_list *axis, const sched_list *list, sched_list *all);
/* I_rows (x) A by one of them, `distribute`d to the parts. */
const spl *sched_rows_columns_expand(sched_target *t, const sched_tree *x, const sched_place *at,
                                     int64_t rows, bool distribute);

#endif
