// SPDX-License-Identifier: BSD-3-Clause
/* Two stages that transpose between columns on one side of the problem and rows on the other. */
#ifndef SCHED_TRANSPOSING_STAGES_H
#define SCHED_TRANSPOSING_STAGES_H

#include "sched/planner/find.h"
#include "sched/planner/order.h"

/* Adds the cheapest pair of radices for a place that has `transposing_stages`. */
void sched_transposing_find(const sched_target *t, const sched_place *place, sched_list *out);
/* The transforms along piece i, of the pieces from `first` on, by such a tree: all together, or in
 * blocks of whole vectors, the last of which may be narrower. Distributed to the parts if
 * `distribute`. */
const spl *sched_transposing_expand(const sched_target *t, const sched_order *o,
                                    const sched_tree *tree, spl_kind kind, int first, int i,
                                    bool distribute);

#endif
