// SPDX-License-Identifier: BSD-3-Clause
/* Which dimensions of a problem are a block that fits a local store, and whether the axis before it
 * gives its first radix to slabs of blocks. */
#ifndef SCHED_SHAPE_H
#define SCHED_SHAPE_H

#include "sched/planner/find.h"
#include "sched/planner/order.h"

/* The first radix of an axis in slabs of the dimensions after it. */
typedef struct sched_slabs {
    int64_t radix; /* 1: none */
    int64_t view;  /* real columns that slabs have as one; 1: they have complex numbers */
} sched_slabs;

/* The dimensions from `first` on are a block. Without one first is 0. */
typedef struct sched_shape {
    const sluice_problem *p;
    sched_order order;
    int first;
    int whole;          /* what `first` is if there are enough blocks for the parts */
    int inner;          /* the first of the last dimensions that fit a local store together */
    sched_slabs outer;  /* of the axis before blocks */
    sched_slabs within; /* of the first axis of each block */
    bool blocks;
    bool rows_of_reals; /* each a block: all of them together may be columns instead */
    bool may_turn;      /* rows may be columns: rows_columns.c */
    bool is_item;       /* of a batch, as in which it is computed */
} sched_shape;

/* The shape of a problem whose dimensions are computed in this order. */
sched_shape sched_shape_of(const sched_target *t, const sluice_problem *p, const sched_order *o);
/* The slabs of dimension i, an axis; NULL: it has none. */
const sched_slabs *sched_slabs_of(const sched_shape *s, int i);
/* Dimension i, an axis, in its place; what is left of its DFT if slabs have the first radix. */
sched_place sched_shape_place(const sched_shape *s, int i);
/* Complex numbers that slabs of an axis which runs before blocks may have. */
int64_t sched_shape_slab_points(const sched_target *t, const sched_shape *s);
/* Does the last axis run first? Slabs have it inside. */
bool sched_runs_last_first(const sluice_problem *p);

#endif
