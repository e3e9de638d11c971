// SPDX-License-Identifier: BSD-3-Clause
/* Two stages between columns of one side of the problem and rows of the other. */
#ifndef SCHED_TURNED_H
#define SCHED_TURNED_H

#include "sched/planner/find.h"
#include "sched/planner/order.h"

/* Adds the cheapest pair of radices for a place whose `pair` says so. */
void sched_turned_find(const sched_target *t, const sched_place *place, sched_list *out);
/* How many transforms along piece i, of those from `first` on, go through both stages together:
 * whole vectors of them, or all. */
int64_t sched_turned_rows(const sched_target *t, const sched_order *o, int first, int i,
                          bool distribute);
/* w transforms by such a tree, each stage distributed to the parts if `share`. */
const spl *sched_turned_expand(sched_target *t, const sched_tree *tree, spl_kind kind, int64_t w,
                               bool share);

#endif
