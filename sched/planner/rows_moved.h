// SPDX-License-Identifier: BSD-3-Clause
/* Rows of a codelet between moves of single elements, some at a time. */
#ifndef SCHED_ROWS_MOVED_H
#define SCHED_ROWS_MOVED_H

#include "sched/planner/expand.h"

/* Rows that share calls, at least. */
enum { SCHED_LEAST_MOVED_ROWS = 3 };

/* Do so many rows of n points share calls, if they are such products? */
bool sched_may_share_calls(const sched_target *t, int64_t n, int64_t rows);
/* Does a factor move elements? */
bool sched_is_move(const spl *x);
/* Does a move go through one or two runs of equal steps, in the order of its own places? */
bool sched_moves_in_runs(const spl *x);
/* Is factor i of a product, a move, part of a stage of factors? */
bool sched_is_part_of_factors(const spl *x, int i);
/* Is a row a product of one codelet and of moves, factors and changes of type? */
bool sched_is_moved_codelet(const spl *row);
/* I_b (x) row of such a one. */
const spl *sched_moves_beside(sched_target *t, const spl *row, int64_t b);

#endif
