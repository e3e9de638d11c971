// SPDX-License-Identifier: BSD-3-Clause
/* Which codelets a transform is made of: lists of radices, cheapest first, by predicted cycles. */
#ifndef SCHED_RADIX_H
#define SCHED_RADIX_H

#include "backends/backend.h"

enum { SCHED_MAX_STAGES = 24, SCHED_MAX_JOINED = 3, SCHED_MAX_CANDIDATES = 24 };

/* Codelets for one transform at a time exist up to the first size, for columns without twiddles
 * between sides of one layout to the second, for columns of any kind to the third. */
enum { SCHED_ALONE = 512, SCHED_PLAIN = 64, SCHED_ANY = 32 };
/* Rows so many bytes apart share sets of the first cache. */
enum { SCHED_PAGE_BYTES = 4096 };

/* n = radix[0] * radix[1] * .. in the order of the stages (Stockham: radix[0] reads the input).
 * One stage: a codelet. */
typedef struct sched_radices {
    int count;
    int64_t radix[SCHED_MAX_STAGES];
    /* Stages q and q+1 take turns on tiles of columns, so that data make one trip through memory
     * for both; up to SCHED_MAX_JOINED stages are joined. */
    bool joined[SCHED_MAX_STAGES];
    double cycles; /* predicted, one transform on one unit */
} sched_radices;

/* What the prediction depends on. */
typedef struct sched_radix_model {
    const backend_table *table;
    const backend *backend;
    const double *costs; /* of kernels, see backend.h */
    sluice_precision precision;
    int64_t lanes;   /* columns of a vector                                           */
    int64_t columns; /* transforms side by side, adjacent in memory; 1: none          */
    int64_t tile;    /* columns that a tile should have; 0: stages are not joined      */
    int64_t even;    /* columns over which a side has one stride                       */
    int64_t batch;   /* transforms one after another; 1: a single one                 */
    int64_t largest; /* transforms up to this size may be one codelet                  */
    bool dense;      /* no columns, contiguous on both sides                           */
    bool twiddled;   /* a diagonal follows the last of several stages                 */
    size_t l1, l2;   /* bytes                                                         */
    size_t room;     /* bytes of a tile at most; 0: as many as it takes               */
    /* what a dense transform is as one codelet */
    backend_use alone;
} sched_radix_model;

/* Predicted cycles of one DFT_n by a codelet, in vectors of columns or alone; 0: there is none. */
double sched_kernel_cycles(const sched_radix_model *model, int64_t n, bool alone);
/* Columns of a tile out of n, of that many points in all: whole vectors where n has such a divisor,
 * and near model->tile, twice that where the points are in memory. Tiles end where strides change,
 * or hold whole runs of one stride. */
int64_t sched_tile_width(const sched_radix_model *model, int64_t points, int64_t n);
/* Up to `max` lists for DFT_n, cheapest first; 0 where n has a prime factor without codelet.
 * Deterministic. E_MEMORY. */
sluice_status sched_radices_find(const sched_radix_model *model, int64_t n, sched_radices *out,
                                 int max, int *count, sluice_diag *why);

#endif
