// SPDX-License-Identifier: BSD-3-Clause
/* Threads that start a measurement at the same moment. */
#ifndef BENCH_TOGETHER_H
#define BENCH_TOGETHER_H

typedef void bench_work(void *argument, int member);

/* Every member runs `warm`, waits for the others and runs `work`. Returns the longest time of any
 * member's work, < 0 if a thread could not start. The caller is member 0. */
double bench_together(int threads, bench_work *warm, bench_work *work, void *argument);

#endif
