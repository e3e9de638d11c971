// SPDX-License-Identifier: BSD-3-Clause
/* Codelets with software prefetching. */
#include "backends/cpu/run/cpu_prefetch.h"

/* Columns left over run with the last whole vectors, since their vector may start early. */
void cpu_prefetch_columns(const bind_tail *tail, spl_codelet_fn *run, spl_call *call,
                          cpu_prefetch ahead, size_t lo, size_t hi)
{
    for (size_t at = lo, end; at < hi; at = end) {
        end = hi - at < ahead.columns + (size_t)tail->lanes ? hi : at + ahead.columns;
        for (size_t c = at; c < end; c += ahead.columns, ahead.next += ahead.step) {
            cpu_prefetch_ahead(&ahead);
            if (ahead.next_im)
                ahead.next_im += ahead.step;
        }
        cpu_columns(tail, run, call, at, end, 0, 1);
    }
}

void cpu_prefetch_sets(const bind_tail *tail, const spl_call *call, size_t sets,
                       ptrdiff_t next_iteration, bool to_l2)
{
    const ptrdiff_t scalar = (ptrdiff_t)tail->scalar, set = call->iouter * scalar;
    const char *const in = (const char *)call->in_re;

    for (size_t k = 0; k < sets; k++) {
        const char *row = in + (k + 1 < sets ? (ptrdiff_t)(k + 1) * set : next_iteration);
        for (int i = 0; i < tail->n; i++, row += call->is * scalar)
            cpu_prefetch_lines(row, call->set_columns * 2 * tail->scalar, to_l2);
        bind_run(tail->run, call, k, 1);
    }
}
