// SPDX-License-Identifier: BSD-3-Clause
/* Products of stages: the trees of lists of radices. */
#ifndef SCHED_STOCKHAM_H
#define SCHED_STOCKHAM_H

#include "sched/planner/expand.h"

/* A local store has two blocks being filled, two being emptied, two between stages (rule
 * local). */
enum { SCHED_STREAM_BLOCKS = 6 };

/* Columns of a tile: whole vectors of one or two cache lines. */
int64_t sched_tile_columns(const sched_target *t);
/* The planner's model of DFT_n with `columns` adjacent ones and `batch` of them one after
 * another. */
sched_radix_model sched_model(const sched_target *t, int64_t columns, int64_t batch);

/* The tree of DFT_n (x) I_l, n the product of the radices. NULL if the context failed. */
const sched_tree *sched_stockham(const sched_target *t, const sched_radices *radices, int64_t l);
/* The same, of stages that work in place: two by rule dft-ct, which find rows in another order, or,
 * if `leaves` rows so, any by rule dft-dif. */
const sched_tree *sched_in_place(const sched_target *t, const sched_radices *radices, bool leaves);

#endif
