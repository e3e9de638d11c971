// SPDX-License-Identifier: BSD-3-Clause
/* Codelets that run while the data read next are prefetched. Prefetching beyond the end of an array
 * is harmless. */
#ifndef BACKENDS_CPU_PREFETCH_H
#define BACKENDS_CPU_PREFETCH_H

#include "backends/cpu/run/cpu_tail.h"

/* For every `columns` columns `bytes` bytes from `next` on are prefetched, into L2 or L1, and as
 * many from next_im on, if that is not NULL; for the next ones what lies `step` bytes behind. */
typedef struct cpu_prefetch {
    const char *next;
    size_t columns, bytes;
    ptrdiff_t step;
    bool to_l2;
    const char *next_im;
} cpu_prefetch;

/* Bytes of a cache line, at least on the processors there are. */
enum { CPU_LINE = 64 };

static inline void cpu_prefetch_lines(const char *from, size_t bytes, bool to_l2)
{
    for (size_t b = 0; b < bytes; b += CPU_LINE)
        if (to_l2)
            __builtin_prefetch(from + b, 0, 2);
        else
            __builtin_prefetch(from + b, 0, 3);
}

static inline void cpu_prefetch_ahead(const cpu_prefetch *ahead)
{
    cpu_prefetch_lines(ahead->next, ahead->bytes, ahead->to_l2);
    if (ahead->next_im)
        cpu_prefetch_lines(ahead->next_im, ahead->bytes, ahead->to_l2);
}

/* cpu_columns for columns lo..hi-1, codelets without broadcast twiddles. */
void cpu_prefetch_columns(const bind_tail *tail, spl_codelet_fn *run, spl_call *call,
                          cpu_prefetch ahead, size_t lo, size_t hi);

/* Sets of broadcast twiddles 0..sets-1 of a codelet that reads interleaved data, all columns of
 * the call, whole vectors: while one set is computed, the rows of the next one are prefetched; the
 * set after the last one lies `next_iteration` bytes after the first. L2 sustains more outstanding
 * misses than L1, and holds more rows a power of two apart. */
void cpu_prefetch_sets(const bind_tail *tail, const spl_call *call, size_t sets,
                       ptrdiff_t next_iteration, bool to_l2);

#endif
