// SPDX-License-Identifier: BSD-3-Clause
/* Products of stages: lists of radices become trees. */
#ifndef SCHED_STOCKHAM_H
#define SCHED_STOCKHAM_H

#include "sched/planner/expand.h"

/* A local store holds two blocks being filled, two being emptied and two between stages (rule
 * local). */
enum { SCHED_STREAM_BLOCKS = 6 };

/* Bytes of L2 that a worker has: two local stores, less than all of L2 if cores share it. */
int64_t sched_l2_bytes(const sched_target *t);
/* Columns of a tile: whole vectors of one or two cache lines. */
int64_t sched_tile_columns(const sched_target *t);
/* The planner's model of DFT_n with `columns` adjacent transforms, and `batch` of these one after
 * another. */
sched_radix_model sched_model(const sched_target *t, int64_t columns, int64_t batch);

/* The tree of DFT_n (x) I_l, n the product of the radices. NULL if the context failed. */
const sched_tree *sched_stockham(const sched_target *t, const sched_radices *radices, int64_t l);
/* The same with stages that work in place: two by rule dft-ct, whose input rows are in another
 * order, or, if `keeps_rows`, up to eight by rule dft-in-place, whose output rows are in another
 * order; NULL if there are more. */
const sched_tree *sched_in_place(const sched_target *t, const sched_radices *radices,
                                 bool keeps_rows);

#endif
