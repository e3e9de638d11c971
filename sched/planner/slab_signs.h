// SPDX-License-Identifier: BSD-3-Clause
/* Signs of folded rows in slabs. Q_n is 1 for the first half of n rows and -1 for the second, and
 *     L^n_{n/r} Q_n = (I_{n/r} (x) Q_r) L^n_{n/r}
 * so half of the r rows of a slab change their signs. A row changes its sign where its DFT writes
 * complex numbers, in the table of twiddles if there is one. */
#ifndef SCHED_SLAB_SIGNS_H
#define SCHED_SLAB_SIGNS_H

#include "sched/planner/expand.h"

/* I_r (x) row, with Q_r (x) I on the left of it if `signs`. */
const spl *sched_slab_rows(const sched_target *t, const spl *row, int64_t r, bool signs);
/* x is an order of rows and stages. Puts signs of l columns, which stand on the left of x, between
 * the two. */
const spl *sched_signs_past_order(const sched_target *t, const spl *signs, const spl *x, int64_t l);

#endif
