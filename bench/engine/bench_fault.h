// SPDX-License-Identifier: BSD-3-Clause
/* Whose crash it was: other people's libraries run in this process. */
#ifndef BENCH_FAULT_H
#define BENCH_FAULT_H

/* From here on a crash is told on stderr, before it ends the process as always. */
void bench_fault_watch(void);
/* What is being computed; both texts are used until the next call. NULL NULL: nothing. */
void bench_fault_at(const char *problem, const char *engine);

#endif
