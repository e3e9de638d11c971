// SPDX-License-Identifier: BSD-3-Clause
/* The suite `link`: what a device's link and the host's cores move, and how near streams,
 * executions from ordinary memory and transforms larger than the device's budget come to it. */
#ifndef BENCH_LINK_H
#define BENCH_LINK_H

#include "bench/bench_options.h"

extern const char bench_link_name[]; /* in --suite */

/* A record a line, to `json` too. What is reported here has been printed. */
bench_exit bench_link_run(const bench_options *o, sluice_machine *machine, FILE *json);

#endif
