// SPDX-License-Identifier: BSD-3-Clause
/* Products of stages whose last stage reads rows. */
#ifndef SCHED_ROWS_LAST_H
#define SCHED_ROWS_LAST_H

#include "sched/planner/find.h"

/* May the last stage of a transform at this place transpose? Its data must lie in caches, its sides
 * must be contiguous and interleaved, and the unit must have such codelets. */
bool sched_may_be_rows_last(const sched_target *t, const sched_place *at,
                            const sched_radix_model *model);
/* Is the transform so short that stages do not wait for L2, so that no memory time hides the
 * twiddles? */
bool sched_hides_nothing(const sched_radix_model *model, int64_t n);
/* Adds the candidates whose last stage transposes. */
void sched_rows_last_find(const sched_target *t, const sched_place *at,
                          const sched_radix_model *model, sched_list *out);

#endif
