// SPDX-License-Identifier: BSD-3-Clause
/* In which order a problem's dimensions are computed: which of them are adjacent columns of the
 * stages, which are loops around them. */
#ifndef SCHED_ORDER_H
#define SCHED_ORDER_H

#include "sched/planner/expand.h"

enum { SCHED_MAX_PIECES = SLUICE_MAX_RANK + SLUICE_MAX_BATCH_RANK + 2, SCHED_MAX_ORDERS = 6 };
/* Transforms that are moved, or transposed, together: whole lines, and calls that are worth it. */
enum { SCHED_MOVED_ROWS = 16 };

/* An axis, a batch dimension, or a part of one: every step-th of its points. */
typedef struct sched_piece {
    int dim;  /* as in sched_problem_dim */
    int axis; /* of the problem; -1: of a batch dimension */
    int64_t n, step;
    bool inside; /* a block, that is read, computed and written before the next one */
    bool group;  /* of a batch of small arrays, which are computed together */
} sched_piece;

/* All dimensions of more than one point, and axes of one that are no numbers, the slowest first. */
typedef struct sched_order {
    int count;
    sched_piece piece[SCHED_MAX_PIECES];
    int lead;     /* pieces before the first axis */
    bool natural; /* the order of the packed problem */
    /* Are elements of this side (0: in, 1: out) moved, to a buffer in this order before the first
     * stage or from one after the last? */
    bool moved[2];
    /* Else: are its rows adjacent, not its columns, and does the codelet of the axis that reads or
     * writes them transpose? */
    bool turned[2];
    /* BACKEND_ROWS_IN, _OUT: the axis comes last, and two stages, of which one transposes, may take
     * the place of a move. */
    backend_use pair;
    /* Nothing is moved or turned: the codelet of the axis takes a column at a time. Its calls for
     * all columns, 1 where these are adjacent; 0: not so. */
    int64_t strided;
} sched_order;

/* The dimensions as the packed problem has them, every side where it lies. */
sched_order sched_natural_order(const sluice_problem *p);
/* The orders to be considered for a problem, at most SCHED_MAX_ORDERS; the first one follows the
 * strides of the input. The natural order alone if both sides are packed. */
int sched_orders_of(const sched_target *t, const sluice_problem *p, sched_order *out);
/* Of a cached batch of small arrays groups become pieces (order_group.c). */
void sched_group_arrays(const sched_target *t, sched_order *o, const sluice_problem *p);
/* How many of n arrays of `bytes`, of `all` in the batch, go together on one part; 1: each
 * alone. */
int64_t sched_group_of(const sluice_unit_info *unit, int64_t bytes, int64_t n, int64_t all);
/* The largest divisor of n that is at most `max`; n itself if that is not twice as much. */
int64_t sched_divisor_near(int64_t n, int64_t max);
/* From one of its points to the next on a side. */
ptrdiff_t sched_piece_stride(const sluice_problem *p, const sched_piece *x, int side);
/* Fills in moved, turned and pair. */
void sched_order_place_sides(const sched_target *t, sched_order *o, const sluice_problem *p);
/* Adds to `count` orders the one of them of which nothing needs to be moved or padded where columns
 * are computed one at a time (order_strided.c), if there is one; returns how many there are. */
int sched_add_strided(const sched_target *t, const sluice_problem *p, sched_order *out, int count);
/* Pieces before the first axis or group. */
int sched_order_lead(const sched_order *o);
/* The last pieces that are adjacent on a side, in points. */
int64_t sched_order_adjacent(const sched_order *o, const sluice_problem *p, int side);
/* Points of the pieces first .. end-1. */
int64_t sched_order_points(const sched_order *o, int first, int end);
/* Tells the target what is adjacent in an order, on which prices depend. */
void sched_order_use(sched_target *t, const sluice_problem *p, const sched_order *o);
/* Price of the moved elements. */
double sched_order_cycles(const sched_target *t, const sched_order *o);
/* Is piece i the first axis to run, from the last one on or from the first one on? */
bool sched_order_runs_first(const sched_order *o, int i, bool last_first);
/* Does piece i, an axis, read (side 0) or write (side 1) moved elements? */
bool sched_order_moves(const sched_order *o, int i, int side);
/* BACKEND_ROWS_IN or _OUT if piece i, an axis, is one codelet that transposes what it reads or
 * writes; else BACKEND_STAGE. */
backend_use sched_order_turns(const sched_order *o, int i);
/* How many of the transforms along piece i, one after another in the pieces from `first` on,
 * are moved together: whole lines on either side, in a part of a local store; of all, or, if they
 * are distributed, a part's share. */
int64_t sched_order_rows(const sched_target *t, const sched_order *o, int first, int i,
                         bool distribute);
/* x, some transforms along piece i, with what it reads and writes moved. */
const spl *sched_order_with_moves(sched_target *t, const sched_order *o, int i, const spl *x,
                                  sched_tags tags);
/* x, a formula in this order, as one of the packed problem: the permutations on both sides merge
 * into gathers and scatters. */
const spl *sched_order_packed(spl_ctx *ctx, const sched_order *o, const sluice_problem *p,
                              const spl *x);

#endif
