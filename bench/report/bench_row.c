// SPDX-License-Identifier: BSD-3-Clause
/* From measured engines to figures. */
#include "bench/report/bench_row.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/engine/bench_peak.h"

bool bench_rows_add(bench_rows *rows, const bench_row *row)
{
    if (rows->count == rows->capacity) {
        int capacity = rows->capacity ? 2 * rows->capacity : 64;
        bench_row *grown = realloc(rows->row, (size_t)capacity * sizeof *grown);
        if (!grown)
            return false;
        rows->row = grown;
        rows->capacity = capacity;
    }
    rows->row[rows->count++] = *row;
    return true;
}

void bench_rows_free(bench_rows *rows)
{
    free(rows->row);
    memset(rows, 0, sizeof *rows);
}

bool bench_row_same_problem(const bench_row *a, const bench_row *b)
{
    return strcmp(a->problem, b->problem) == 0 && strcmp(a->group, b->group) == 0
           && strcmp(a->data, b->data) == 0;
}

double bench_row_slowest(const bench_row *row)
{
    return row->max_s > 0 ? row->gflops * row->median_s / row->max_s : row->gflops;
}

double bench_row_fastest(const bench_row *row)
{
    return row->min_s > 0 ? row->gflops * row->median_s / row->min_s : row->gflops;
}

static bool has_figure(const bench_engine *e)
{
    return !e->failed && e->series.windows > 0;
}

/* The shortest time of a role with as many workers as engine `like`, and data in the same memory.
 * Copies and peers may use fewer, as users would if more threads are slower. 0: none. */
static double best_time(const bench_case *c, bench_role role, const bench_engine *like)
{
    const int workers = like->workers;
    double best = 0;
    for (int i = 0; i < c->engines; i++) {
        const bench_engine *e = &c->engine[i];
        bool fits = (role == BENCH_SLUICE ? e->workers == workers : e->workers <= workers)
                    && bench_engine_is_away(e) == bench_engine_is_away(like);
        double time = bench_series_figure(&e->series);
        if (e->role == role && fits && has_figure(e) && (best == 0 || time < best))
            best = time;
    }
    return best;
}

/* The memory level that holds the arrays of a problem while it is repeated; each worker adds its
 * own caches. */
static const char *memory_level(const bench_case *c, int workers)
{
    static const char *const name[] = {"L1", "L2", "L3"};
    size_t bytes = c->shape.data_bytes * (c->shape.problem.in_place ? 1 : 2);
    for (int i = 0; i < 3; i++)
        if (bytes <= c->cache[i] * (i < 2 ? (size_t)workers : 1))
            return name[i];
    return "DRAM";
}

/* Seconds of the problem's flops at the measured FMA rate; for cores only. */
static double arithmetic_time(const bench_case *c, const bench_engine *like)
{
    for (int i = 0; i < c->engines && !bench_engine_is_away(like); i++) {
        const bench_engine *e = &c->engine[i];
        if (e->role == BENCH_PEAK && e->workers == like->workers && has_figure(e))
            return c->shape.flops * bench_series_figure(&e->series) / bench_peak_work(e);
    }
    return 0;
}

/* The bound is the longer of two times: of the arithmetic at the measured FMA rate, and of a copy
 * of the same arrays; both are measured in the same windows. On devices it is the copy's. */
static void set_bound(bench_row *row, const bench_case *c, const bench_engine *e)
{
    const double copy = best_time(c, BENCH_COPY, e), arithmetic = arithmetic_time(c, e);
    const bool binds = arithmetic > copy, is_known = arithmetic > 0 || copy > 0;
    snprintf(row->bound, sizeof row->bound, "%s",
             binds      ? "arithmetic"
             : is_known ? memory_level(c, row->workers)
                        : "-");
    row->bound_share = copy / row->median_s;
    row->peak_share = (binds ? arithmetic : copy) / row->median_s;
}

static bench_row make_row(const bench_case *c, const bench_engine *e)
{
    double t = bench_series_figure(&e->series);
    double sluice = best_time(c, BENCH_SLUICE, e);
    double rival = e->role == BENCH_SLUICE ? best_time(c, BENCH_PEER, e) : t;
    bench_row row = {
        .workers = e->workers,
        .in_summary = c->item->in_summary,
        .points = c->shape.points,
        .total = c->shape.total,
        .plan_s = e->plan_s,
        .plan_first_s = e->plan_first_s,
        .median_s = t,
        .min_s = e->series.min,
        .max_s = e->series.max,
        .gflops = c->shape.flops / t * 1e-9,
        .gbytes_s = 2.0 * (double)c->shape.data_bytes / t * 1e-9,
        .ratio_to = sluice > 0 ? rival / sluice : 0,
    };
    snprintf(row.problem, sizeof row.problem, "%s", c->label);
    snprintf(row.engine, sizeof row.engine, "%s", e->name);
    snprintf(row.effort, sizeof row.effort, "%s", e->effort);
    snprintf(row.data, sizeof row.data, "%s", bench_engine_data(e));
    snprintf(row.group, sizeof row.group, "%s", c->item->group ? c->item->group : "");
    set_bound(&row, c, e);
    return row;
}

bool bench_rows_of_case(bench_rows *rows, const bench_case *c)
{
    for (int i = 0; i < c->engines; i++) {
        const bench_role role = c->engine[i].role;
        bool shown = role == BENCH_SLUICE || role == BENCH_PEER || role == BENCH_STEP;
        if (!shown || !has_figure(&c->engine[i]))
            continue;
        bench_row row = make_row(c, &c->engine[i]);
        if (!bench_rows_add(rows, &row))
            return false;
    }
    return true;
}
