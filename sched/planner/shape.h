// SPDX-License-Identifier: BSD-3-Clause
/* Which dimensions of a problem are a block that fits a local store, and whether the axis before it
 * gives its first radix to slabs of blocks (rule slab: shape.c). */
#ifndef SCHED_SHAPE_H
#define SCHED_SHAPE_H

#include "sched/planner/find.h"
#include "sched/planner/order.h"

/* The first radix of an axis, which joins the dimensions after it to slabs. */
typedef struct sched_slabs {
    int64_t radix; /* 1: no slabs */
    /* real columns that are one complex column of slabs; 1: columns are complex already */
    int64_t reals_per_number;
} sched_slabs;

/* The dimensions from `first` on are a block. Without blocks `first` is 0. */
typedef struct sched_shape {
    const sluice_problem *p;
    sched_order order;
    int first;
    int whole;          /* `first`, for any number of parts: as if there were blocks for all */
    int inner;          /* the first of the last dimensions that fit a local store together */
    sched_slabs outer;  /* of the axis before the blocks */
    sched_slabs within; /* of the first axis of each block */
    bool blocks;
    bool rows_of_reals; /* each row is a block; all rows together may be columns instead */
    bool may_turn;      /* rows may be computed as columns: rows_as_columns.c */
    bool is_item;       /* an item of a batch: choose as for the batch */
} sched_shape;

/* The shape of a problem whose dimensions are computed in this order. */
sched_shape sched_shape_of(const sched_target *t, const sluice_problem *p, const sched_order *o);
/* The slabs of dimension i, an axis; NULL: none. */
const sched_slabs *sched_slabs_of(const sched_shape *s, int i);
/* The place of dimension i, an axis. If slabs have its first radix: of the remaining DFT. */
sched_place sched_shape_place(const sched_shape *s, int i);
/* The largest slab, in complex numbers, of an axis that runs before the blocks. */
int64_t sched_shape_slab_points(const sched_target *t, const sched_shape *s);
/* Does the last axis run first? Then it is inside slabs. */
bool sched_runs_last_first(const sluice_problem *p);

#endif
