// SPDX-License-Identifier: BSD-3-Clause
/* Names the engine that crashed: foreign libraries run in this process. */
#ifndef BENCH_FAULT_H
#define BENCH_FAULT_H

/* From here on a crash is reported on stderr before it ends the process. */
void bench_fault_watch(void);
/* Sets the problem and engine being computed; both texts are used until the next call. NULL, NULL:
 * nothing. */
void bench_fault_at(const char *problem, const char *engine);

#endif
