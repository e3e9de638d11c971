// SPDX-License-Identifier: BSD-3-Clause
/* A run consists of rounds. One window of each problem in a round is measured, then the next window
 * of each, so that the windows of one problem are seconds apart and a stall of the machine spoils
 * only one of them. Plans live for a round. */
#include "bench/engine/bench_run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/engine/bench_clock.h"
#include "bench/report/bench_progress.h"
#include "bench/report/bench_say.h"

enum { MAX_ROUND_PROBLEMS = 12 }; /* problems of a suite in one round      */
static const size_t round_bytes = (size_t)64
                                  << 20;   /* bytes of their data; plans need about as much */
static const double window_distance = 1.0; /* seconds from a window's start to the next one's */

typedef struct round {
    const bench_run *run;
    bench_progress *progress;
    int first, count;
    bench_case *cases;
    bool *dropped;  /* had a failure; its rows are not reported */
    bool *reported; /* its rows have been reported */
} round;

/* The worse of two statuses, which the run returns. */
static bench_exit worse_status(bench_exit a, bench_exit b)
{
    return a > b ? a : b;
}

static bool must_stop(const round *r, bench_exit status)
{
    return status == BENCH_INTERRUPTED || (status != BENCH_DONE && !r->run->options->suite);
}

static int round_size(const bench_run *run, int first)
{
    size_t bytes = 0;
    int count = 0;
    if (!run->options->suite)
        return run->items->count;
    while (first + count < run->items->count && count < MAX_ROUND_PROBLEMS) {
        bytes += run->items->item[first + count].bytes;
        if (count > 0 && bytes > round_bytes)
            break;
        count++;
    }
    return count;
}

static bench_exit open_cases(round *r)
{
    bench_exit worst = BENCH_DONE;
    for (int i = 0; i < r->count && !must_stop(r, worst); i++) {
        const bench_item *item = &r->run->items->item[r->first + i];
        bench_exit status = bench_case_open(&r->cases[i], item, r->run->options, r->run->machine);
        r->dropped[i] = status != BENCH_DONE;
        if (r->dropped[i]) {
            const bench_case *c = &r->cases[i];
            bench_progress_skip(r->progress, r->first + i, r->run->options->windows);
            status =
                worse_status(status, r->run->refused(r->run->user, c->label, c->refused.message,
                                                     c->unread ? &c->refused.offset : NULL));
        }
        worst = worse_status(worst, status);
    }
    return worst;
}

/* Does the case end? Failed engines are omitted, but a case needs a figure of sluice. */
static bool is_lost(const bench_case *c, bench_exit status, int window)
{
    return c->engine[0].failed
           || (status != BENCH_INTERRUPTED && c->engine[0].series.windows <= window);
}

/* Reports the rows of some cases together, so that the table's columns fit all of them. */
static bench_exit report_cases(round *r, int from, int to)
{
    const bench_run *run = r->run;
    int first = run->rows->count;
    bench_progress_clear(r->progress);
    for (int i = from; i < to; i++) {
        if (r->dropped[i] || r->reported[i])
            continue;
        if (!bench_rows_of_case(run->rows, &r->cases[i])) {
            bench_complain("there is no memory for the figures");
            return BENCH_IO;
        }
        r->reported[i] = true;
    }
    return run->rows->count > first ? run->finished(run->user, first) : BENCH_DONE;
}

static bench_exit measure_case(round *r, int i, int window)
{
    const bench_options *o = r->run->options;
    bool last = window + 1 == o->windows;
    bench_progress_window(r->progress, r->first + i, window);
    bench_exit status = bench_case_window(&r->cases[i], o, window);
    bench_progress_skip(r->progress, r->first + i, 1);
    r->dropped[i] = is_lost(&r->cases[i], status, window);
    if (r->dropped[i])
        bench_progress_skip(r->progress, r->first + i, o->windows - window - 1);
    /* A suite's figures are reported at once: the next peer may crash. */
    return o->suite && last && !must_stop(r, status)
               ? worse_status(status, report_cases(r, i, i + 1))
               : status;
}

static bench_exit measure_round_window(round *r, int window)
{
    bench_exit worst = BENCH_DONE;
    for (int i = 0; i < r->count && !must_stop(r, worst); i++)
        if (!r->dropped[i])
            worst = worse_status(worst, measure_case(r, i, window));
    return worst;
}

static bench_exit measure_round(round *r)
{
    bench_exit worst = BENCH_DONE;
    int windows = r->run->options->windows;
    for (int w = 0; w < windows && !must_stop(r, worst); w++) {
        double start = bench_now();
        worst = worse_status(worst, measure_round_window(r, w));
        if (w + 1 < windows && !must_stop(r, worst))
            bench_sleep(window_distance - (bench_now() - start));
    }
    return worst;
}

static bench_exit save_peers(const bench_run *run)
{
    bench_exit worst = BENCH_DONE;
    for (int k = 0; k < run->options->peer_count; k++) {
        const peer *p = run->options->peers[k];
        errno = 0;
        if (p->save && !p->save(p)) {
            char name[48];
            snprintf(name, sizeof name, "the wisdom of %s", p->name);
            worst = bench_cannot_write(name);
        }
    }
    return worst;
}

static bench_exit run_cases(round *r)
{
    bench_exit worst = open_cases(r);
    if (!must_stop(r, worst))
        worst = worse_status(worst, measure_round(r));
    if (!must_stop(r, worst) || worst == BENCH_INTERRUPTED)
        worst = worse_status(worst, report_cases(r, 0, r->count));
    worst = worse_status(worst, save_peers(r->run));
    for (int i = 0; i < r->count; i++)
        bench_case_close(&r->cases[i]);
    return worst;
}

static bench_exit run_round(round *r)
{
    size_t count = (size_t)r->count;
    bench_exit status = BENCH_IO;
    r->cases = calloc(count, sizeof *r->cases);
    r->dropped = calloc(count, sizeof *r->dropped);
    r->reported = calloc(count, sizeof *r->reported);
    if (r->cases && r->dropped && r->reported)
        status = run_cases(r);
    else
        bench_complain("there is no memory for the problems");
    free(r->cases);
    free(r->dropped);
    free(r->reported);
    return status;
}

bench_exit bench_run_all(const bench_run *run)
{
    bench_progress progress;
    bench_exit worst = BENCH_DONE;
    bench_progress_start(&progress, run->items, run->options->windows);
    round r = {.run = run, .progress = &progress};
    for (; r.first < run->items->count && !must_stop(&r, worst); r.first += r.count) {
        r.count = round_size(run, r.first);
        worst = worse_status(worst, run_round(&r));
    }
    bench_progress_clear(&progress);
    return worst;
}
