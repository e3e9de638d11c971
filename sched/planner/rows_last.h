// SPDX-License-Identifier: BSD-3-Clause
/* Products of stages of which the last one reads rows. */
#ifndef SCHED_ROWS_LAST_H
#define SCHED_ROWS_LAST_H

#include "sched/planner/find.h"

/* May the last stage of a transform in its place transpose? One that lies in caches, between
 * contiguous interleaved sides, on a unit that has such codelets. */
bool sched_may_be_rows_last(const sched_target *t, const sched_place *at,
                            const sched_radix_model *model);
/* Is the transform so short that its stages do not wait for L2? */
bool sched_hides_nothing(const sched_radix_model *model, int64_t n);
/* Then adds to the candidates those whose last stage does. */
void sched_rows_last_find(const sched_target *t, const sched_place *at,
                          const sched_radix_model *model, sched_list *out);

#endif
