// SPDX-License-Identifier: BSD-3-Clause
/* Messages on stderr: "sluice-bench: ..", a line each, independent of the progress line of a
 * terminal. Bytes that are not printable are shown as '?'. */
#ifndef BENCH_SAY_H
#define BENCH_SAY_H

#include "bench/bench_exit.h"

void bench_complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints "WHAT: reason"; the reason is that of the status if `why` has no sentence. */
bench_exit bench_refuse(const char *what, sluice_status status, const sluice_diag *why);
/* Prints "cannot write NAME: reason" with the text of errno. If standard output is a pipe without a
 * reader, the process ends with SIGPIPE instead. */
bench_exit bench_cannot_write(const char *name);
bench_exit bench_cannot_read(const char *name);
/* Like bench_complain, but prints each text once, for however many problems it is repeated. */
void bench_warn_once(const char *format, ...) __attribute__((format(printf, 1, 2)));
void bench_warn_forget(void);

#endif
