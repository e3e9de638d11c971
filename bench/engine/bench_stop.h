// SPDX-License-Identifier: BSD-3-Clause
/* Ctrl-C as a request to stop: figures measured so far are still reported. */
#ifndef BENCH_STOP_H
#define BENCH_STOP_H

#include <stdbool.h>

/* From here on the first SIGINT or SIGTERM is a request, the second one ends the process. */
void bench_stop_watch(void);
bool bench_stop_requested(void);

#endif
