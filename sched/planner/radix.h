// SPDX-License-Identifier: BSD-3-Clause
/* Which codelets a transform is made of: lists of radices, cheapest first, by predicted cycles. */
#ifndef SCHED_RADIX_H
#define SCHED_RADIX_H

#include "backends/backend.h"

enum { SCHED_MAX_STAGES = 24, SCHED_MAX_FUSED = 3, SCHED_MAX_CANDIDATES = 24 };

/* The largest codelets: for one transform at a time; for columns without twiddles between sides of
 * one layout, such as those of the last stage; in all positions. */
enum { SCHED_MAX_SINGLE = 512, SCHED_MAX_UNTWIDDLED = 64, SCHED_MAX_RADIX = 32 };
/* Rows at a multiple of this distance map to the same L1 sets. */
enum { SCHED_ALIAS_BYTES = 4096 };

static inline int64_t sched_complex_bytes(sluice_precision precision)
{
    return precision == SLUICE_F32 ? 8 : 16;
}

/* n = radix[0] * radix[1] * .. in the order of the stages (Stockham: radix[0] reads the input).
 * One stage: a codelet. */
typedef struct sched_radices {
    int count;
    int64_t radix[SCHED_MAX_STAGES];
    /* Stages q and q+1 are fused: both run on a tile of columns before the next tile, so that data
     * pass through memory once. At most SCHED_MAX_FUSED stages are fused. */
    bool fused_with_next[SCHED_MAX_STAGES];
    double cycles; /* predicted, one transform on one unit */
} sched_radices;

/* What the prediction depends on. */
typedef struct sched_radix_model {
    const backend_table *table;
    const backend *backend;
    const double *costs; /* of codelets, see backend.h */
    sluice_precision precision;
    int64_t lanes;             /* columns of a vector                                         */
    int64_t shortest;          /* .. of the shortest one that takes columns that do not fill it */
    int64_t pieces;            /* vectors of a cache line, at least 1                         */
    int64_t columns;           /* transforms that are adjacent in memory; 1: none             */
    int64_t tile;              /* columns that a tile should have; 0: stages are not fused    */
    int64_t uniform_points;    /* columns over which a side has one stride                    */
    int64_t batch;             /* transforms one after another; 1: a single one               */
    int64_t rows;              /* .. of those that one loop has                               */
    int64_t largest;           /* transforms up to this size may be one codelet               */
    bool contiguous;           /* no columns, contiguous on both sides                        */
    bool twiddled;             /* a diagonal follows the last of several stages               */
    bool split;                /* vectors are of re and of im                                 */
    bool over_input;           /* a codelet alone would read where it writes                  */
    bool exposed;              /* no memory hides what twiddles of middle stages take         */
    bool in_place;             /* every stage reads the places that it writes                 */
    int64_t gap;               /* .. in scratch, with so many bytes between rows; 0: none     */
    bool rows_follow;          /* the first stage reads the user's array, the last one scratch */
    size_t l1, l2;             /* bytes                                                       */
    size_t tile_bytes_max;     /* 0: no limit                                                 */
    backend_use use_as_single; /* of a contiguous transform that is one codelet               */
} sched_radix_model;

/* Predicted cycles of one DFT_n by a codelet, in vectors of columns or one at a time; 0: there is
 * none. */
double sched_kernel_cycles(const sched_radix_model *model, int kind, int64_t n, bool single);
/* Columns of a tile: a divisor of n, whole vectors if possible, about model->tile, or twice that if
 * the `points` of the whole problem are in memory. A tile ends where strides change, or holds whole
 * runs of one stride. */
int64_t sched_tile_width(const sched_radix_model *model, int64_t points, int64_t n);
/* Up to `max` lists for DFT_n, cheapest first; none if n has a prime factor without codelet.
 * Deterministic. E_MEMORY. */
sluice_status sched_radices_find(const sched_radix_model *model, int64_t n, sched_radices *out,
                                 int max, int *count, sluice_diag *why);

#endif
