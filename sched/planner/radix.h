// SPDX-License-Identifier: BSD-3-Clause
/* Which codelets a transform is made of: lists of radices, cheapest first, by predicted cycles. */
#ifndef SCHED_RADIX_H
#define SCHED_RADIX_H

#include "backends/backend.h"

enum { SCHED_MAX_STAGES = 24, SCHED_MAX_FUSED = 3, SCHED_MAX_CANDIDATES = 24 };

/* The largest codelets: for one transform at a time; for columns without twiddles if both sides
 * have the same layout, as in the last stage; for every position. */
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

/* What the prediction depends on. "Columns" are transforms adjacent in memory. */
typedef struct sched_radix_model {
    const backend_table *table;
    const backend *backend;
    const double *costs; /* of codelets, see backend.h */
    sluice_precision precision;
    int64_t lanes;          /* columns in a vector */
    int64_t shortest;       /* columns in the shortest vector that remaining columns may use */
    int64_t line_vectors;   /* vectors in a cache line, at least 1 */
    int64_t columns;        /* transforms adjacent in memory; 1: none */
    int64_t tile;           /* columns that a tile should have; 0: no fused stages */
    int64_t uniform_points; /* columns over which a side has one stride */
    int64_t batch;          /* transforms one after another; 1: a single one */
    int64_t rows;           /* those of the batch that the innermost loop has */
    int64_t largest;        /* transforms up to this size may be one codelet */
    bool contiguous;        /* no columns, contiguous on both sides                        */
    bool twiddled;          /* a diagonal follows the last of several stages */
    bool split;             /* a vector holds re or im, not both */
    bool over_input;        /* in place as one codelet: it reads where it writes */
    bool exposes_twiddles;  /* twiddles of middle stages cost: no memory hides them */
    bool in_place;          /* every stage writes the addresses that it reads */
    int64_t gap;            /* in place in scratch: bytes of padding between rows; 0: none */
    /* other stages follow on rows: the first stage reads the user's array, the last one writes
     * scratch */
    bool rows_follow;
    size_t l1, l2;             /* bytes                                                       */
    size_t tile_bytes_max;     /* 0: no limit                                                 */
    backend_use use_as_single; /* codelet use of a contiguous transform in one codelet */
} sched_radix_model;

/* Predicted cycles of one DFT_n by a codelet, in vectors of columns or one at a time; 0: there is
 * no codelet. */
double sched_kernel_cycles(const sched_radix_model *model, int kind, int64_t n, bool single);
/* Columns of a tile: a divisor of n, whole vectors if possible, about model->tile, or twice that if
 * the `points` of the whole problem exceed the caches. A tile either lies within a run of one
 * stride or holds whole runs. */
int64_t sched_tile_width(const sched_radix_model *model, int64_t points, int64_t n);
/* Up to `max` lists for DFT_n, cheapest first; none if n has a prime factor without a codelet. The
 * result is deterministic. Fails with E_MEMORY. */
sluice_status sched_radices_find(const sched_radix_model *model, int64_t n, sched_radices *out,
                                 int max, int *count, sluice_diag *why);

#endif
