// SPDX-License-Identifier: BSD-3-Clause
/* The suite `link`: the rates of a device's link and of the host's cores, and how close to them
 * streams, executions from ordinary memory, and transforms larger than the device's memory budget
 * come. */
#ifndef BENCH_LINK_H
#define BENCH_LINK_H

#include "bench/bench_options.h"

extern const char bench_link_name[]; /* in --suite */

/* Prints a record a line, to `json` too. Failures have been reported. */
bench_exit bench_link_run(const bench_options *o, sluice_machine *machine, FILE *json);

#endif
