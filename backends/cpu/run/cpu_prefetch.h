// SPDX-License-Identifier: BSD-3-Clause
/* Runs codelets while data that are read later are prefetched. Prefetching beyond the end of an
 * array is harmless. */
#ifndef BACKENDS_CPU_PREFETCH_H
#define BACKENDS_CPU_PREFETCH_H

#include "backends/cpu/run/cpu_tail.h"

/* While `columns` columns run, `bytes` bytes from `next` on are prefetched, into L2 or L1, and as
 * many from next_im on unless that is NULL; for the columns after them, what is `step` bytes
 * further on. */
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

/* cpu_columns for columns lo .. hi-1 with prefetching; for codelets without broadcast twiddles. */
void cpu_prefetch_columns(const bind_tail *tail, spl_codelet_fn *run, spl_call *call,
                          cpu_prefetch ahead, size_t lo, size_t hi);

/* Runs sets 0 .. sets-1 of a codelet with broadcast twiddles and interleaved input, on all columns
 * of the call, which are whole vectors. While one set is computed, the rows of the next one are
 * prefetched; after the last one, the set `next_iteration` bytes after the first. L2 sustains more
 * outstanding misses than L1, and holds more rows that are a power of two apart. */
void cpu_prefetch_sets(const bind_tail *tail, const spl_call *call, size_t sets,
                       ptrdiff_t next_iteration, bool to_l2);

#endif
