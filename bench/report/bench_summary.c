// SPDX-License-Identifier: BSD-3-Clause
/* Groups of rows, and the ratios of each. */
#include "bench/report/bench_summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/peers/peer_table.h"

const double bench_fftw_goal = 1.05, bench_best_goal = 1.0;

double bench_ratio_mean(const bench_ratio *r)
{
    return r->count ? exp(r->log_sum / r->count) : 0;
}

static void add_ratio(bench_ratio *r, double ratio, double goal, const bench_row *at,
                      const bench_row *by)
{
    if (!(ratio > 0))
        return;
    r->log_sum += log(ratio);
    r->below += ratio < goal;
    if (r->count++ == 0 || ratio < r->min) {
        r->min = ratio;
        r->worst_row = at;
        r->compared_with = by;
    }
}

static bool is_sluice(const bench_row *r)
{
    return strncmp(r->engine, "sluice", 6) == 0;
}

static bool is_system_fftw(const bench_row *r)
{
    return strncmp(r->engine, "fftw", 4) == 0 && strcmp(r->engine, "fftw-other") != 0;
}

static bool is_peer(const bench_row *r)
{
    const peer *p = peer_find(r->engine, strlen(r->engine));
    return !is_sluice(r) && !(p && p->is_part);
}

static const bench_row *best_of(const bench_rows *rows, const bench_row *sluice,
                                bool (*wanted)(const bench_row *))
{
    const bench_row *best = NULL;
    for (int i = 0; i < rows->count; i++) {
        const bench_row *r = &rows->row[i];
        if (r->workers <= sluice->workers && wanted(r) && (!best || r->median_s < best->median_s)
            && bench_row_same_problem(r, sluice))
            best = r;
    }
    return best;
}

const bench_row *bench_best_fftw(const bench_rows *rows, const bench_row *sluice)
{
    return best_of(rows, sluice, is_system_fftw);
}

const bench_row *bench_best_peer(const bench_rows *rows, const bench_row *sluice)
{
    return best_of(rows, sluice, is_peer);
}

const bench_row *bench_single_worker_row(const bench_rows *rows, const bench_row *row)
{
    for (int i = 0; i < rows->count; i++) {
        const bench_row *r = &rows->row[i];
        if (r->workers == 1 && bench_row_same_problem(r, row)
            && strcmp(r->engine, row->engine) == 0)
            return r;
    }
    return NULL;
}

double bench_copy_time(const bench_row *r)
{
    return r->bound_share * r->median_s;
}

static void add_scaling(bench_summary *s, const bench_rows *rows, const bench_row *row)
{
    const bench_row *one = row->workers > 1 ? bench_single_worker_row(rows, row) : NULL;
    if (!one || row->total < BENCH_SCALES_FROM)
        return;
    add_ratio(&s->scaling, one->median_s / row->median_s, 0, row, one);
    add_ratio(&s->copy, bench_copy_time(one) / bench_copy_time(row), 0, row, one);
}

static void add_to_summary(bench_summary *s, const bench_rows *rows, const bench_row *row)
{
    const bench_row *fftw = bench_best_fftw(rows, row), *best = bench_best_peer(rows, row);
    s->problems++;
    if (fftw)
        add_ratio(&s->fftw, fftw->median_s / row->median_s, bench_fftw_goal, row, fftw);
    if (best)
        add_ratio(&s->best, best->median_s / row->median_s, bench_best_goal, row, best);
    add_ratio(&s->share, row->peak_share, 0, row, NULL);
    add_scaling(s, rows, row);
}

static const char *precision_text(const bench_row *r)
{
    return strstr(r->problem, ":f64:") ? "f64" : "f32";
}

/* The summary with this key, which is added if it is missing. */
static bench_summary *find_summary(bench_summary *s, int *count, const char *group,
                                   const char *precision, int workers)
{
    int i = 0;
    while (i < *count
           && (strcmp(s[i].group, group) != 0 || strcmp(s[i].precision, precision) != 0
               || s[i].workers != workers))
        i++;
    if (i == *count) {
        snprintf(s[i].group, sizeof s[i].group, "%s", group);
        s[i].precision = precision;
        s[i].workers = workers;
        ++*count;
    }
    return &s[i];
}

static const char any[] = "all";

/* Adds each row of sluice that counts to the summary of its group, or of all groups. */
static void add_rows(bench_summary *s, int *count, const bench_rows *rows, bool all_groups,
                     bool all_precisions)
{
    for (int i = 0; i < rows->count; i++) {
        const bench_row *r = &rows->row[i];
        const char *group = all_groups ? any : r->group;
        const char *precision = all_precisions ? any : precision_text(r);
        if (is_sluice(r) && r->in_summary)
            add_to_summary(find_summary(s, count, group, precision, r->workers), rows, r);
    }
}

bench_summary *bench_summary_make(const bench_rows *rows, int *count)
{
    /* In the worst case each row has three summaries of its own. */
    bench_summary *s = calloc(3 * (size_t)rows->count + 1, sizeof *s);
    *count = 0;
    if (s) {
        add_rows(s, count, rows, false, false);
        add_rows(s, count, rows, true, false);
        add_rows(s, count, rows, true, true);
    }
    return s;
}
