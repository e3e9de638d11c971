// SPDX-License-Identifier: BSD-3-Clause
/* A progress line of long runs on the terminal. complain() and record_open() end the line before
 * they print. */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Rewrites the line if stderr is a terminal. */
void progress_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Seconds of the monotonic clock. */
double progress_clock(void);
/* Is stderr a terminal, and is the line old enough to be rewritten? */
bool progress_due(void);
/* Ends the line, if there is one. */
void progress_close(void);

/* Progress in bytes, shown after the first second. */
typedef struct progress {
    uint64_t total; /* bytes; 0: unknown, a pipe */
    double start;   /* time of the start in seconds */
} progress;

void progress_start(progress *p, uint64_t total);
void progress_at(const progress *p, uint64_t done);
void progress_end(const progress *p, uint64_t done);

#endif
