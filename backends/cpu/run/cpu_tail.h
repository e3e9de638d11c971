// SPDX-License-Identifier: BSD-3-Clause
/* Columns by whole vectors, whatever their number. */
#ifndef BACKENDS_CPU_TAIL_H
#define BACKENDS_CPU_TAIL_H

#include "spl/codelet/codelet.h"

enum { CPU_MAX_ROWS = 64 };

/* What has to be known of a codelet and the loop it runs, where columns do not fill a vector. */
typedef struct cpu_tail {
    spl_codelet_fn *run;
    int n, lanes;
    bool split_in, split_out; /* formats in memory */
    bool rows_in, rows_out;   /* rows are adjacent there, not columns */
    spl_tw tw;
    bool overlap;   /* the last vector may start early: in and out never overlap */
    size_t columns; /* of the whole loop */
    size_t block;   /* scalars of the table per vector of columns, or per set of twiddles */
    size_t scalar;  /* bytes */
} cpu_tail;

/* By `run`, the codelet of the tail or the one that stores past the caches: columns lo..hi-1 (with
 * broadcast twiddles: of the sets first..first+count-1) of a call that has its pointers: whole
 * vectors by the codelet, the rest by an overlapped or a padded vector with the same arithmetic. */
void cpu_columns(const cpu_tail *tail, spl_codelet_fn *run, const spl_call *call, size_t lo,
                 size_t hi, size_t first, size_t count);

#endif
