// SPDX-License-Identifier: BSD-3-Clause
/* Progress: bytes, percentage and rate, at most five times a second. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime, isatty */
#include "tools/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double patience = 1.0, interval = 0.2;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_start(progress *p, uint64_t total)
{
    *p = (progress){.total = total, .start = now(), .terminal = isatty(STDERR_FILENO)};
}

static void show(progress *p, uint64_t done, double time)
{
    char share[32] = "";
    if (p->total)
        snprintf(share, sizeof share, " (%d%%)", (int)(100.0 * (double)done / (double)p->total));
    fprintf(stderr, "\rsluice: %.1f MB%s, %.1f MB/s\033[K", 1e-6 * (double)done, share,
            1e-6 * (double)done / (time - p->start));
    p->last = time;
    p->shown = true;
}

void progress_at(progress *p, uint64_t done)
{
    if (!p->terminal)
        return;
    double time = now();
    if (time - p->start >= patience && time - p->last >= interval)
        show(p, done, time);
}

void progress_end(progress *p, uint64_t done)
{
    if (!p->shown)
        return;
    show(p, done, now());
    fputc('\n', stderr);
}
