// SPDX-License-Identifier: BSD-3-Clause
/* Rows that become columns of a block, and back, as loops of moves. */
#ifndef SCHED_ROWS_TRANSPOSED_H
#define SCHED_ROWS_TRANSPOSED_H

#include "sched/planner/formula.h"

/* What a right-hand side moves before and behind its core. */
typedef struct sched_end {
    const spl *moves; /* one or a sum; NULL: none                          */
    bool pairs;       /* the core's numbers are, or become, pairs of reals */
} sched_end;

/* A right-hand side: its core, and its ends on sides 0 = in, 1 = out. */
typedef struct sched_ends {
    const spl *core;
    sched_end end[2];
} sched_ends;

/* The ends of a product that views numbers as pairs of reals there, and nowhere else; false: it is
 * none. */
bool sched_ends_of(spl_ctx *ctx, const spl *made, sched_ends *out);

/* Rows of n elements, in `runs` of even steps that are moved one by one, as the first of b columns,
 * of which those left over are the last one once more; and back. */
const spl *sched_rows_to_columns(spl_ctx *ctx, int64_t n, int64_t runs, int64_t rows, int64_t b);
const spl *sched_columns_to_rows(spl_ctx *ctx, int64_t n, int64_t runs, int64_t rows, int64_t b);
/* The same of rows of n elements with what is moved at the end of a core that has m on this side:
 * before it, or, side 1, behind it. */
const spl *sched_end_transposed(spl_ctx *ctx, const sched_ends *x, int side, int64_t n,
                                int64_t rows, int64_t b);

#endif
