// SPDX-License-Identifier: BSD-3-Clause
/* A line on the terminal that says how far a long run has come. It ends before anything else is
 * said: complain() and record_open() see to that. */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Rewrites the line, where stderr is a terminal. */
void progress_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Whether it is a terminal and the line is old enough to be written again. */
bool progress_due(void);
/* Ends the line, if there is one. */
void progress_close(void);

/* Bytes of a long run: shown from its second second on. */
typedef struct progress {
    uint64_t total; /* 0: unknown, it is a pipe */
    double start;   /* seconds */
} progress;

void progress_start(progress *p, uint64_t total);
void progress_at(const progress *p, uint64_t done);
void progress_end(const progress *p, uint64_t done);

#endif
