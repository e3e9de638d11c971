// SPDX-License-Identifier: BSD-3-Clause
/* The remaining time is extrapolated from the time per weight so far. */
#include "bench/report/bench_progress.h"

#include <string.h>
#include <unistd.h>

#include "bench/engine/bench_clock.h"

static const double first_report = 1.0;     /* seconds until progress is first shown */
static const double line_interval = 60.0;   /* seconds between lines if stderr is no terminal */
static const double doubling_bytes = 6.4e7; /* data bytes that double the weight of a problem */

static double item_weight(const bench_item *item)
{
    return 1 + (double)item->bytes / doubling_bytes;
}

void bench_progress_start(bench_progress *p, const bench_items *items, int windows)
{
    memset(p, 0, sizeof *p);
    p->items = items;
    p->windows = windows;
    p->start = p->last_report = bench_now();
    p->terminal = isatty(STDERR_FILENO);
    for (int i = 0; i < items->count; i++)
        p->all += item_weight(&items->item[i]) * windows;
}

static void print_left(const bench_progress *p, double now)
{
    if (p->done <= 0)
        return;
    double left = (now - p->start) * (p->all - p->done) / p->done;
    if (left < 90)
        fprintf(stderr, ", %.0f s left", left);
    else
        fprintf(stderr, ", %.0f min left", left / 60);
}

void bench_progress_window(bench_progress *p, int index, int window)
{
    double now = bench_now();
    if (p->terminal ? now - p->start < first_report : now - p->last_report < line_interval)
        return;
    p->last_report = now;
    p->shown = p->terminal;
    fprintf(stderr, "%swindow %d of %d, problem %d of %d", p->terminal ? "\r\033[K" : "",
            window + 1, p->windows, index + 1, p->items->count);
    print_left(p, now);
    fprintf(stderr, ": %s%s", p->items->item[index].text, p->terminal ? "" : "\n");
    fflush(stderr);
}

void bench_progress_skip(bench_progress *p, int index, int windows)
{
    p->done += item_weight(&p->items->item[index]) * windows;
}

void bench_progress_clear(bench_progress *p)
{
    if (p->shown)
        fputs("\r\033[K", stderr);
    p->shown = false;
}
