// SPDX-License-Identifier: BSD-3-Clause
/* The suite `kinds`: a device next to the host's cores. Measures executions on either (on the
 * device both chained and waited for), and streams through the cores, the device, and both at
 * once. */
#ifndef BENCH_KINDS_H
#define BENCH_KINDS_H

#include "bench/bench_options.h"

extern const char bench_kinds_name[]; /* in --suite */
/* The group of its problems that are blocks of streams. */
extern const char bench_kinds_streams[];

/* Prints a record for each problem, to `json` too. Failures have been reported. */
bench_exit bench_kinds_run(const bench_options *o, const bench_items *items,
                           sluice_machine *machine, FILE *json);

#endif
