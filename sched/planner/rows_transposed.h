// SPDX-License-Identifier: BSD-3-Clause
/* Rows that become columns of a block, and back, as loops of moves. */
#ifndef SCHED_ROWS_TRANSPOSED_H
#define SCHED_ROWS_TRANSPOSED_H

#include "sched/planner/formula.h"

/* What a right-hand side moves on one side of its core. */
typedef struct sched_end {
    const spl *moves; /* a move or a sum of moves; NULL: none */
    bool pairs;       /* the core's numbers are pairs of reals on this side */
} sched_end;

/* A right-hand side: its core, and its ends on sides 0 = in, 1 = out. */
typedef struct sched_ends {
    const spl *core;
    sched_end end[2];
} sched_ends;

/* Splits a product into core and ends. It may view numbers as pairs of reals at its ends only;
 * false: it is no such product. */
bool sched_ends_of(spl_ctx *ctx, const spl *made, sched_ends *out);

/* Moves rows of n elements to the first of b columns, in `runs` of constant stride that are moved
 * one by one; the remaining columns repeat the last row. sched_columns_to_rows(): the reverse. */
const spl *sched_rows_to_columns(spl_ctx *ctx, int64_t n, int64_t runs, int64_t rows, int64_t b);
const spl *sched_columns_to_rows(spl_ctx *ctx, int64_t n, int64_t runs, int64_t rows, int64_t b);
/* The same with what is moved at an end of a core, which has m elements on this side: before it or,
 * for side 1, after it. */
const spl *sched_end_transposed(spl_ctx *ctx, const sched_ends *x, int side, int64_t n,
                                int64_t rows, int64_t b);

#endif
