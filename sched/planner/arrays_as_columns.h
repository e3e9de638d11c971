// SPDX-License-Identifier: BSD-3-Clause
/* Batches of small arrays in vectors of columns: arrays_as_columns.c. */
#ifndef SCHED_ARRAYS_AS_COLUMNS_H
#define SCHED_ARRAYS_AS_COLUMNS_H

#include "sched/planner/order.h"

/* Adds the tree that computes the arrays of a batch as columns, if there is one. `number`, of an
 * order, is its choice. */
void sched_images_columns_find(const sched_target *t, const sluice_problem *p, int number,
                               sched_list *all);
/* The formula of the batch by that tree. */
const spl *sched_images_columns_expand(const sched_target *t, const sluice_problem *p,
                                       const sched_tree *tree);

#endif
