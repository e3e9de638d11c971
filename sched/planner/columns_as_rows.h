// SPDX-License-Identifier: BSD-3-Clause
/* Few columns computed as rows: columns_as_rows.c. */
#ifndef SCHED_COLUMNS_AS_ROWS_H
#define SCHED_COLUMNS_AS_ROWS_H

#include "sched/planner/expand.h"
#include "sched/planner/find.h"

/* Adds the trees that compute the columns of a place as rows. */
void sched_columns_rows_find(const sched_target *t, const sched_place *at, sched_list *out);
/* A (x) I_l by such a tree. */
const spl *sched_columns_rows_expand(const sched_target *t, const sched_tree *tree, spl_kind kind,
                                     int64_t l, sched_tags tags);

#endif
