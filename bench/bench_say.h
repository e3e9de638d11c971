// SPDX-License-Identifier: BSD-3-Clause
/* Remarks on stderr that are made once, however many problems they are true of. */
#ifndef BENCH_SAY_H
#define BENCH_SAY_H

/* Prints "sluice-bench: " and the sentence, unless it has been printed before. */
void bench_say_once(const char *format, ...) __attribute__((format(printf, 1, 2)));
void bench_say_forget(void);

#endif
