// SPDX-License-Identifier: BSD-3-Clause
/* Codelets that run while what is read next is fetched into the caches. To fetch past the end of an
 * array is harmless. */
#ifndef BACKENDS_CPU_FETCH_H
#define BACKENDS_CPU_FETCH_H

#include "backends/cpu/run/cpu_tail.h"

/* While `columns` columns are worked on, so many bytes from `next` on are fetched, and `next` moves
 * on by them: into the second level where there is time, else into the first. */
typedef struct cpu_prefetch {
    const char *next;
    size_t columns, bytes;
    bool time;
} cpu_prefetch;

/* cpu_columns for columns lo..hi-1, codelets without broadcast twiddles. */
void cpu_prefetch_columns(const bind_tail *tail, spl_codelet_fn *run, const spl_call *call,
                          cpu_prefetch ahead, size_t lo, size_t hi);

/* Sets of broadcast twiddles 0..sets-1 of a codelet that reads interleaved data, all columns of
 * the call, whole vectors: while one set is worked on, the rows of the next one are fetched; the
 * set after the last one lies `turn` bytes behind the first. What is far comes to the second level,
 * which has more lines under way at a time, and ways for more rows a power of two apart. */
void cpu_prefetch_sets(const bind_tail *tail, const spl_call *call, size_t sets, ptrdiff_t turn,
                       bool far);

#endif
