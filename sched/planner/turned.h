// SPDX-License-Identifier: BSD-3-Clause
/* Two stages between columns of one side of the problem and rows of the other. */
#ifndef SCHED_TURNED_H
#define SCHED_TURNED_H

#include "sched/planner/find.h"
#include "sched/planner/order.h"

/* Adds the cheapest pair of radices for a place whose `pair` says so. */
void sched_turned_find(const sched_target *t, const sched_place *place, sched_list *out);
/* The transforms along piece i, of those from `first` on, by such a tree: in blocks of whole
 * vectors, of which the last one may be narrower, or all together; distributed to the parts or
 * not. */
const spl *sched_turned_expand(sched_target *t, const sched_order *o, const sched_tree *tree,
                               spl_kind kind, int first, int i, bool distribute);

#endif
