// SPDX-License-Identifier: BSD-3-Clause
/* Progress: bytes, percentage and rate, at most five times a second. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime, isatty */
#include "tools/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tools/tool_text.h"

static const double first_report = 1.0, interval = 0.2;

static bool line_is_open;
static double last_written; /* time at which the line was written */

double progress_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void progress_line(const char *format, ...)
{
    if (!isatty(STDERR_FILENO))
        return;
    char line[160];
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line, format, values);
    va_end(values);
    fputs("\rsluice: ", stderr);
    text_show(stderr, line, strlen(line));
    fputs("\033[K", stderr);
    line_is_open = true;
    last_written = progress_clock();
}

bool progress_due(void)
{
    return progress_clock() - last_written >= interval && isatty(STDERR_FILENO);
}

void progress_close(void)
{
    if (line_is_open)
        fputc('\n', stderr);
    line_is_open = false;
}

void progress_start(progress *p, uint64_t total)
{
    *p = (progress){.total = total, .start = progress_clock()};
}

static void print_progress(const progress *p, uint64_t done)
{
    char share[32] = "", bytes[TEXT_BYTES], rate[TEXT_BYTES];
    if (p->total)
        snprintf(share, sizeof share, " (%d%%)", (int)(100.0 * (double)done / (double)p->total));
    progress_line("%s%s, %s/s", text_bytes(bytes, done), share,
                  text_bytes(rate, (uint64_t)((double)done / (progress_clock() - p->start))));
}

void progress_at(const progress *p, uint64_t done)
{
    if (progress_due() && progress_clock() - p->start >= first_report)
        print_progress(p, done);
}

void progress_end(const progress *p, uint64_t done)
{
    if (line_is_open)
        print_progress(p, done);
    progress_close();
}
