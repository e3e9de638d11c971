// SPDX-License-Identifier: BSD-3-Clause
/* The order in which a problem's dimensions are computed: which of them are adjacent columns of the
 * stages, and which are loops around the stages. */
#ifndef SCHED_ORDER_H
#define SCHED_ORDER_H

#include "sched/planner/expand.h"

enum { SCHED_MAX_PIECES = SLUICE_MAX_RANK + SLUICE_MAX_BATCH_RANK + 2, SCHED_MAX_ORDERS = 6 };
/* Transforms that are moved, or transposed, together: enough for whole lines, and for a call to
 * pay. */
enum { SCHED_MOVED_ROWS = 16 };

/* An axis, a batch dimension, or a part of one: every step-th of its points. */
typedef struct sched_piece {
    int dim;  /* as in sched_problem_dim */
    int axis; /* the problem's axis; -1: a batch dimension */
    int64_t n, step;
    bool inside; /* part of a block, which is read, computed and written before the next one */
    bool group;  /* part of a batch of small arrays that are computed together */
} sched_piece;

/* All dimensions of more than one point, and axes of one point whose transform is no mere number
 * (sched_axis_constant); the slowest first. */
typedef struct sched_order {
    int count;
    sched_piece piece[SCHED_MAX_PIECES];
    int lead;     /* pieces before the first axis or group */
    bool natural; /* the order of the packed problem */
    /* Are the elements of this side (0: in, 1: out) moved: to a buffer in this order before the
     * first stage, or from such a buffer after the last one? */
    bool moved[2];
    /* If not moved: are rows of this side adjacent instead of columns, and does the codelet of the
     * axis that reads or writes them transpose? */
    bool codelet_transposes[2];
    /* BACKEND_ROWS_IN, _OUT: the axis comes last, and two stages, one of which transposes, may
     * replace a move. */
    backend_use transposing_stages;
    /* Above 0: nothing is moved or transposed, as the codelet of the axis computes a column at a
     * time, in this many calls for all columns (1 if they are adjacent). */
    int64_t strided;
} sched_order;

/* The dimensions in the order of the packed problem; no side is moved. */
sched_order sched_natural_order(const sluice_problem *p);
/* The orders to consider for a problem, at most SCHED_MAX_ORDERS; the first one follows the strides
 * of the input. Only the natural order if both sides are packed, or if an axis is no DFT. */
int sched_orders_of(const sched_target *t, const sluice_problem *p, sched_order *out);
/* Splits the batch dimension of a cached batch of small arrays into groups (order_group.c). */
void sched_group_arrays(const sched_target *t, sched_order *o, const sluice_problem *p);
/* The number of arrays, of `bytes` each, that go together; it divides n. The batch has `all` of
 * them. 1: each array by itself. */
int64_t sched_group_of(const sluice_unit_info *unit, int64_t bytes, int64_t n, int64_t all);
/* The largest divisor of n that is at most `max`; n itself if n < 2 max. */
int64_t sched_divisor_near(int64_t n, int64_t max);
/* The stride between points of a piece on a side. */
ptrdiff_t sched_piece_stride(const sluice_problem *p, const sched_piece *x, int side);
/* Fills in moved, codelet_transposes and transposing_stages. */
void sched_order_place_sides(const sched_target *t, sched_order *o, const sluice_problem *p);
/* Adds to `count` orders one without moves and padding, whose columns are computed one at a time
 * (order_strided.c), if it applies; returns the new number of orders. */
int sched_add_strided(const sched_target *t, const sluice_problem *p, sched_order *out, int count);
/* The number of pieces before the first axis or group. */
int sched_order_lead(const sched_order *o);
/* The number of points in the last pieces that are adjacent on a side. */
int64_t sched_order_adjacent(const sched_order *o, const sluice_problem *p, int side);
/* The number of points in the pieces first .. end-1. */
int64_t sched_order_points(const sched_order *o, int first, int end);
/* The target with the surroundings that follow from adjacency in an order. */
sched_target sched_order_target(const sched_target *t, const sluice_problem *p,
                                const sched_order *o);
/* The price of the moves. */
double sched_order_cycles(const sched_target *t, const sched_order *o);
/* Is piece i the first axis to run? Axes run from the last to the first if last_first, else in
 * order. */
bool sched_order_runs_first(const sched_order *o, int i, bool last_first);
/* Does piece i, an axis, read (side 0) or write (side 1) moved elements? */
bool sched_order_moves(const sched_order *o, int i, int side);
/* BACKEND_ROWS_IN or _OUT if piece i, an axis, is one codelet that transposes what it reads or
 * writes; else SCHED_NOT_TRANSPOSING. */
backend_use sched_order_transposing_codelet(const sched_order *o, int i);
/* The number of transforms along piece i, one after another in the pieces from `first` on, that are
 * moved together: enough for whole lines on either side, within a part of a local store. If they
 * are distributed, no more than a part's share. */
int64_t sched_order_rows(const sched_target *t, const sched_order *o, int first, int i,
                         bool distribute);
/* x, some transforms along piece i, between moves of the elements that it reads and writes. */
const spl *sched_order_with_moves(const sched_target *t, const sched_order *o, int i, const spl *x,
                                  sched_tags tags);
/* x, a formula in this order, as a formula of the packed problem. The permutations on both sides
 * merge into gathers and scatters. */
const spl *sched_order_packed(spl_ctx *ctx, const sched_order *o, const sluice_problem *p,
                              const spl *x);

#endif
