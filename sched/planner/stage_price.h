// SPDX-License-Identifier: BSD-3-Clause
/* What stages cost in a place: the only thing that the search (radix.c) knows of prices. */
#ifndef SCHED_STAGE_PRICE_H
#define SCHED_STAGE_PRICE_H

#include "sched/planner/radix.h"

/* More than any price. */
static const double sched_infeasible = 1e300;

/* A stage, or some that are fused on tiles. */
typedef struct sched_step {
    int count;
    int64_t radix[SCHED_MAX_FUSED];
    int64_t length; /* product of the radices */
    int64_t width;  /* columns of a tile, which depend on where it is; of fused stages only */
} sched_step;

/* What the prices of the stages of DFT_n depend on. */
typedef struct sched_prices {
    const sched_radix_model *model;
    int64_t n;
    double point_bytes;
    /* Cycles of one DFT_r in full vectors; 0: no codelet, or n has no factor r. */
    double kernel[SCHED_MAX_UNTWIDDLED + 1];
    /* Additional cycles for the twiddles of one DFT_r, [1] in the first stage, which transposes; 0
     * if they were not measured: then constants are used. */
    double twiddle_extra[2][SCHED_MAX_RADIX + 1];
} sched_prices;

/* Of one DFT_n in this use; the backend has priced kernels. */
double sched_use_cycles(const sched_radix_model *m, int64_t n, backend_use use);
sched_prices sched_prices_of(const sched_radix_model *model, int64_t n);
/* The columns of a step after stages with product l are this number, a divisor of n, of the
 * model's. */
int64_t sched_step_sets(const sched_prices *prices, const sched_step *step, int64_t l);
/* Predicted cycles of all n points (and their columns) through a step after stages with product l,
 * with so many steps after it; sched_infeasible if that is impossible. */
double sched_step_cycles(const sched_prices *prices, const sched_step *step, int64_t l, int after);
/* The least that a codelet of radix r costs a transform with twiddles, in any step; 0: there is
 * none. And what so many stages cost besides at least, in as few steps as can be. */
double sched_least_codelet_cycles(const sched_prices *prices, int64_t r);
double sched_least_pass_cycles(const sched_prices *prices, int stages);
/* Of a pair of rows: few columns fill half vectors, in a set of their own, or are padded. */
double sched_pair_row_cycles(const sched_radix_model *model, double set_cycles);
/* Of a pass over all n points. */
double sched_pass_cycles(const sched_prices *prices);
/* Of the whole transform as one codelet; 0: there is none. */
double sched_single_cycles(const sched_prices *prices, int kind);
/* Of one codelet between columns of one side and rows of the other. */
double sched_turned_cycles(const sched_prices *prices, backend_use use);
/* Of stages between columns and rows, for each transform of a batch: one of radix `turns`
 * transposes, n/turns points of rows are one stage, q = 1, or two of radices q and n/turns/q;
 * sched_infeasible: there are no codelets. */
double sched_pair_cycles(const sched_prices *prices, int64_t turns, int64_t q, backend_use use);
/* Of a call of a kernel. */
extern const double sched_call_cycles;
/* Of one codelet whose columns are computed one at a time, in so many calls. */
double sched_strided_cycles(const sched_prices *prices, int64_t calls);
/* Of elements that are moved, `each` in so many seconds (spl/price/price.h). */
double sched_moved_cycles(int64_t points, double each);
/* Of a real matrix as one codelet on more than one column of reals; 0: there is none. */
double sched_reals_cycles(const sched_prices *prices, int kind);
/* What `rows` DFT_n as one codelet, side by side, cost more than in full vectors. */
double sched_rest_cycles(const sched_prices *prices, int64_t rows);
/* Do all points of the transform and its columns, read and written, exceed what stays in L2? */
bool sched_exceeds_l2(const sched_prices *prices);

/* ---- padding.c ---- */

/* Cycles by which what fills no vector makes a single codelet dearer: of a transform, or of all
 * that are adjacent. */
double sched_single_padding(const sched_radix_model *model, int kind, int64_t n);
/* Are contiguous transforms of n points, a codelet each, cheaper one at a time than side by side,
 * as few of them fill no vector, or some are left over? */
bool sched_rows_go_alone(const sched_radix_model *model, int kind, int64_t n);

#endif
