// SPDX-License-Identifier: BSD-3-Clause
/* Rows of a codelet between moves of single elements, several rows at a time. */
#ifndef SCHED_ROWS_MOVED_H
#define SCHED_ROWS_MOVED_H

#include "sched/planner/expand.h"
#include "sched/planner/find.h"

/* The minimum of rows that share calls. */
enum { SCHED_LEAST_MOVED_ROWS = 3 };

/* SUM(k<b) S x G: x on each of b rows, as a loop. */
const spl *sched_loop_over_rows(spl_ctx *ctx, int64_t b, const spl *x);
/* The number of rows in a block, at most `rows` of n: all, or an even number such that an even
 * number of blocks make up the `unit` rows of a dimension. unit = 0, a batch of one dimension: any
 * number. */
int64_t sched_rows_of_unit(int64_t rows, int64_t n, int64_t unit);
/* The number of rows, of n with `bytes` each, that share calls; 1: none do. Rows few enough for L2
 * are one block if there is one part, or if they cannot be divided: a single part then takes less
 * time than all parts would row by row. */
int64_t sched_moved_rows(const sched_target *t, int64_t bytes, int64_t n, int64_t unit,
                         bool shared);
/* Do the rows of a place share calls, if they are such products of n points? Independent of the
 * number of parts, because bits depend on the answer. */
bool sched_may_share_calls(const sched_target *t, int64_t n, const sched_place *at);
/* Does a factor move elements? */
bool sched_is_move(const spl *x);
/* Does a move go through one or two runs of constant stride, in the order of its output? */
bool sched_moves_in_runs(const spl *x);
/* May a factor stand beside the codelet in such rows? */
bool sched_is_beside(const spl *x);
/* Is factor i of a product, a move, part of a stage of factors? */
bool sched_is_part_of_factors(const spl *x, int i);
/* Does this move leave gaps in rows for such a stage? Then each row needs a buffer, moves and
 * zeros. */
bool sched_is_padding_of_factors(const spl *x, int i);
/* Is a row a product of one codelet and of moves, factors and changes of type? */
bool sched_is_moved_codelet(const spl *row);
/* I_b (x) row for such a row. */
const spl *sched_moves_beside(const sched_target *t, const spl *row, int64_t b);

#endif
