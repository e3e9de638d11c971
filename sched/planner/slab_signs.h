// SPDX-License-Identifier: BSD-3-Clause
/* Signs of folded rows in slabs. Q_n, 1 of the first half of n rows and -1 of the others, is
 *     L^n_{n/r} Q_n = (I_{n/r} (x) Q_r) L^n_{n/r}
 * so that of the r rows of a slab half have their signs changed: where a row's DFT leaves complex
 * numbers, in the table of its twiddles if it has some. */
#ifndef SCHED_SLAB_SIGNS_H
#define SCHED_SLAB_SIGNS_H

#include "sched/planner/expand.h"

/* I_r (x) row, and where there are signs Q_r (x) I on the left of it. */
const spl *sched_slab_rows(sched_target *t, const spl *row, int64_t r, bool signs);
/* Signs of l columns, on the left of x, an order of their rows and stages, between these. */
const spl *sched_signs_past_order(sched_target *t, const spl *signs, const spl *x, int64_t l);

#endif
