// SPDX-License-Identifier: BSD-3-Clause
/* A line on the terminal that says how far a long run has come. */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct progress {
    uint64_t total;     /* bytes; 0: unknown, it is a pipe */
    double start, last; /* seconds: of the run, of the line */
    bool terminal, shown;
} progress;

void progress_start(progress *p, uint64_t total);
/* Rewrites the line where stderr is a terminal, a second has passed and the last line is old. */
void progress_at(progress *p, uint64_t done);
void progress_end(progress *p, uint64_t done);

#endif
