// SPDX-License-Identifier: BSD-3-Clause
/* Sentences on stderr: "sluice-bench: ..", a line each, whatever a terminal shows as progress. Bytes
 * of the input that are no text are shown as '?'. */
#ifndef BENCH_SAY_H
#define BENCH_SAY_H

#include "bench/bench_exit.h"

void bench_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* "cannot write NAME: why", why as errno says. A standard output that nobody reads any more is no
 * matter for a sentence: the process ends as SIGPIPE ends it. */
bench_exit bench_cannot_write(const char *name);
bench_exit bench_cannot_read(const char *name);
/* As bench_complain, unless the same has been printed before: however many problems it is true of.
 */
void bench_say_once(const char *format, ...) __attribute__((format(printf, 1, 2)));
void bench_say_forget(void);

#endif
