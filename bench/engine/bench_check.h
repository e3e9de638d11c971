// SPDX-License-Identifier: BSD-3-Clause
/* Do all engines compute the same transform? */
#ifndef BENCH_CHECK_H
#define BENCH_CHECK_H

#include "bench/bench_exit.h"
#include "bench/engine/bench_engine.h"

/* Compares every engine's output, holes included, with that of the first (sluice); one line each on
 * stderr. BENCH_CHECK_FAILED on a mismatch, and if there is no peer to compare with. An engine that
 * differs counts as failed, and so does sluice if no peer agrees with it. */
bench_exit bench_check(const char *label, const bench_shape *shape, bench_engine *engine,
                       int engines, bench_data *data);

#endif
