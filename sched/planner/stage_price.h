// SPDX-License-Identifier: BSD-3-Clause
/* What a stage costs in its place. The search (radix.c) knows prices only through these
 * functions. */
#ifndef SCHED_STAGE_PRICE_H
#define SCHED_STAGE_PRICE_H

#include "sched/planner/radix.h"

/* Higher than any price. */
static const double sched_infeasible = 1e300;

/* A stage, or several that are fused on tiles. */
typedef struct sched_step {
    int count;
    int64_t radix[SCHED_MAX_FUSED];
    int64_t length; /* product of the radices */
    int64_t width;  /* columns of a tile, which depend on the step's position; fused stages only */
} sched_step;

/* What the prices of the stages of DFT_n depend on. */
typedef struct sched_prices {
    const sched_radix_model *model;
    int64_t n;
    double point_bytes;
    /* Cycles of one DFT_r in full vectors; 0: there is no codelet, or n has no factor r. */
    double kernel[SCHED_MAX_UNTWIDDLED + 1];
    /* Additional cycles for the twiddles of one DFT_r: [0] in a middle stage, [1] in the first one,
     * which transposes. 0 if not measured: then constants are used. */
    double twiddle_extra[2][SCHED_MAX_RADIX + 1];
} sched_prices;

/* Cycles of one DFT_n by the codelet for this use. The backend must have priced kernels. */
double sched_use_cycles(const sched_radix_model *m, int64_t n, backend_use use);
sched_prices sched_prices_of(const sched_radix_model *model, int64_t n);
/* The columns of a step after stages with product l are the model's columns times this number, a
 * divisor of n. */
int64_t sched_step_sets(const sched_prices *prices, const sched_step *step, int64_t l);
/* Predicted cycles of all n points (and their columns) through a step after stages with product l,
 * with `after` steps after it; sched_infeasible if the step is impossible there. */
double sched_step_cycles(const sched_prices *prices, const sched_step *step, int64_t l, int after);
/* Lower bounds for any step: the cycles of the codelet of radix r in a transform with twiddles (0:
 * there is no codelet), and the other costs of this many stages, in as few steps as possible. */
double sched_min_codelet_cycles(const sched_prices *prices, int64_t r);
double sched_min_pass_cycles(const sched_prices *prices, int stages);
/* Cycles of a pair of rows (spl/formula/pairs.h). Columns fewer than a vector run in half vectors,
 * which costs `set` cycles more; columns fewer than half a vector are padded. */
double sched_pair_row_cycles(const sched_radix_model *model, double set);
/* Cycles of a stage of pairs over all n points. */
double sched_pairs_stage_cycles(const sched_prices *prices);
/* Cycles of the whole transform as one codelet; 0: there is none. */
double sched_single_cycles(const sched_prices *prices, int kind);
/* Cycles of one codelet that transposes: columns on one side, rows on the other. */
double sched_transposing_codelet_cycles(const sched_prices *prices, backend_use use);
/* Cycles of each transform of a batch whose stages transpose between columns and rows. The stage of
 * radix `turns` transposes. The other n/turns points are done in rows: in one stage if q = 1, else
 * in two of radices q and n/turns/q. sched_infeasible: a codelet is missing. */
double sched_transposing_stages_cycles(const sched_prices *prices, int64_t turns, int64_t q,
                                       backend_use use);
/* Cycles of one codelet whose columns are computed one at a time, in this many calls. */
double sched_strided_cycles(const sched_prices *prices, int64_t calls);
/* Cycles of moving `points` elements, each of which takes `each` seconds (spl/price/price.h). */
double sched_moved_cycles(int64_t points, double each);
/* Cycles of a real matrix as one codelet on more than one column of reals; 0: there is none. */
double sched_reals_cycles(const sched_prices *prices, int kind);
/* Extra cycles of `rows` adjacent DFT_n, a codelet each, because they do not fill vectors. */
double sched_rest_cycles(const sched_prices *prices, int64_t rows);
/* Do all points of the transform and its columns, read and written, exceed what stays in L2? */
bool sched_exceeds_l2(const sched_prices *prices);

/* ---- padding.c ---- */

/* Extra cycles of a single codelet due to partial vectors: for one transform, or for all adjacent
 * columns. */
double sched_single_padding(const sched_radix_model *model, int kind, int64_t n);
/* Contiguous transforms of n points are a codelet each: are they cheaper one at a time than several
 * in the lanes of a vector, because too few of them fill a vector or some are left over? */
bool sched_rows_go_alone(const sched_radix_model *model, int kind, int64_t n);

#endif
