// SPDX-License-Identifier: BSD-3-Clause
/* Rows of a codelet between moves of single elements, some at a time. */
#ifndef SCHED_ROWS_MOVED_H
#define SCHED_ROWS_MOVED_H

#include "sched/planner/expand.h"
#include "sched/planner/find.h"

/* Rows that share calls, at least. */
enum { SCHED_LEAST_MOVED_ROWS = 3 };

/* The variable of loops over rows: those inside are made later and numbered from 0 on. */
enum { SCHED_ROW_VAR = 16 };
/* SUM(k<b) S x G: x on each of b rows, as a loop. */
const spl *sched_loop_over_rows(spl_ctx *ctx, int64_t b, const spl *x);
/* At most `rows` of n rows that are a block: all, or an even number, of which an even number of
 * blocks are the `unit` rows of a dimension; of a batch of one dimension, 0, any number. */
int64_t sched_rows_of_unit(int64_t rows, int64_t n, int64_t unit);
/* How many of n rows of `bytes` share calls, `shared` by parts; 1: none do. So few that they fit L2
 * are one block, if there is one part or they cannot be divided: one part takes less than all would
 * one by one. */
int64_t sched_moved_rows(const sched_target *t, int64_t bytes, int64_t n, int64_t unit,
                         bool shared);
/* Do the rows of a place share calls, if they are such products of n points? Not by the number of
 * parts, as bits follow from it. */
bool sched_may_share_calls(const sched_target *t, int64_t n, const sched_place *at);
/* Does a factor move elements? */
bool sched_is_move(const spl *x);
/* Does a move go through one or two runs of equal steps, in the order of its own places? */
bool sched_moves_in_runs(const spl *x);
/* Is a factor one that such rows have beside their codelet? */
bool sched_is_beside(const spl *x);
/* Is factor i of a product, a move, part of a stage of factors? */
bool sched_is_part_of_factors(const spl *x, int i);
/* Does it leave rows with gaps to these, which each row needs a buffer, moves and zeros for? */
bool sched_is_padding_of_factors(const spl *x, int i);
/* Is a row a product of one codelet and of moves, factors and changes of type? */
bool sched_is_moved_codelet(const spl *row);
/* I_b (x) row of such a one. */
const spl *sched_moves_beside(sched_target *t, const spl *row, int64_t b);

#endif
