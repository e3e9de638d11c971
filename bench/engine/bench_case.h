// SPDX-License-Identifier: BSD-3-Clause
/* One problem with all engines that compute it, at every worker count. */
#ifndef BENCH_CASE_H
#define BENCH_CASE_H

#include "bench/bench_options.h"
#include "bench/engine/bench_engine.h"
#include "bench/suites/bench_suite.h"

typedef struct bench_case {
    char label[256];     /* the problem as sluice prints it, without workers */
    sluice_diag refused; /* why it is not measured, if opening failed */
    bool unread;         /* its text was not understood, at refused.offset   */
    const bench_item *item;
    bench_shape shape;
    size_t cache[3]; /* bytes of a unit's L1, L2 and L3 */
    int workers[BENCH_MAX_WORKERS], worker_counts;
    bench_engine *engine; /* sluice's is the first */
    int engines;
} bench_case;

/* Reads the problem and plans it with sluice. Failures have been reported. */
bench_exit bench_case_open(bench_case *c, const bench_item *item, const bench_options *o,
                           sluice_machine *machine);
void bench_case_close(bench_case *c);
/* Measures a window, in which the engines alternate. The first window also plans the peers on the
 * data, and runs the check if requested. Data exist for one window only, so that memory holds one
 * problem at a time. Failures have been reported; a peer that fails is omitted from then on.
 * BENCH_INTERRUPTED: the user requested a stop, and this window does not count. */
bench_exit bench_case_window(bench_case *c, const bench_options *o, int window);

#endif
