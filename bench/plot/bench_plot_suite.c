// SPDX-License-Identifier: BSD-3-Clause
/* The pictures of a suite and their panels. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/plot/bench_figure.h"
#include "bench/plot/bench_plot.h"
#include "bench/report/bench_say.h"
#include "bench/report/bench_summary.h"

enum { MAX_PANELS = 2 * BENCH_MAX_TOTALS };

static const char *const precision_name[] = {[SLUICE_F32] = "f32", [SLUICE_F64] = "f64"};
static const char *const place_name[] = {"out of place", "in place"};

static double peer_ratio(const bench_rows *rows, const bench_row *row)
{
    const bench_row *best = bench_best_peer(rows, row);
    return best ? best->median_s / row->median_s : 0;
}

static double engine_scaling(const bench_rows *rows, const bench_row *row)
{
    const bench_row *one = bench_single_worker_row(rows, row);
    return one ? one->median_s / row->median_s : 0;
}

static double copy_scaling(const bench_rows *rows, const bench_row *row)
{
    const bench_row *one = bench_single_worker_row(rows, row);
    return one ? bench_copy_time(one) / bench_copy_time(row) : 0;
}

static void batch_text(char *out, size_t size, size_t total)
{
    *out = 0;
    if (total && total != BENCH_ALL_TOTALS)
        snprintf(out, size, ", 2^%.0f points in all", log2((double)total));
}

static const char *plural_ending(int workers)
{
    return workers == 1 ? "" : "s";
}

/* A picture under construction: a panel for each kind of data and each batch. */
typedef struct picture {
    const bench_contents *c;
    const char *group, *y;
    bool at_one;
    double max;
    bench_panel panel[MAX_PANELS];
    int count;
} picture;

static void start_picture(picture *p, const bench_contents *c, const char *group, const char *y)
{
    memset(p, 0, sizeof *p);
    p->c = c;
    p->group = group;
    p->y = y;
}

static bench_panel *add_panel(picture *p, size_t total, const char *what)
{
    char batch[48];
    bench_panel *panel = &p->panel[p->count++];
    panel->y = p->y;
    panel->at_one = p->at_one;
    panel->max = p->max;
    panel->bars = !bench_contents_over_sizes(p->c, p->group);
    batch_text(batch, sizeof batch, total);
    snprintf(panel->title, sizeof panel->title, "%s%s", what, batch);
    return panel;
}

/* A series for each engine that has rows like `rows`. */
static void add_engine_series(bench_panel *panel, const bench_contents *c, bench_choice rows,
                              bench_value *value)
{
    for (int e = 0; e < c->engines; e++) {
        rows.engine = c->engine[e];
        bench_curve s = {.rows = rows, .value = value};
        bench_gnuplot_lighter(s.colour, bench_gnuplot_colour(c->engine[e], e), 0);
        snprintf(s.title, sizeof s.title, "%s", c->engine[e]);
        bench_panel_add(panel, c, &s);
    }
}

/* Gflop/s of all engines with one worker count: out of place and in place, by batch. */
static bench_exit draw_speeds(const char *folder, const bench_contents *c, const char *group,
                              int precision, int workers)
{
    size_t totals[BENCH_MAX_TOTALS];
    char name[96], title[96];
    picture p;
    start_picture(&p, c, group, bench_panel_gflops_axis);
    int batches = bench_contents_totals(totals, c, group);
    for (int t = 0; t < batches; t++)
        for (int in_place = 0; in_place < 2; in_place++) {
            bench_choice rows = {.group = group,
                                 .precision = precision,
                                 .in_place = in_place,
                                 .workers = workers,
                                 .total = totals[t]};
            add_engine_series(add_panel(&p, totals[t], place_name[in_place]), c, rows,
                              bench_panel_gflops);
        }
    snprintf(name, sizeof name, "%s-%s-%d", group, precision_name[precision], workers);
    snprintf(title, sizeof title, "%s, %s, %d worker%s", group, precision_name[precision], workers,
             plural_ending(workers));
    return bench_panels_draw(folder, name, title, c, p.panel, p.count);
}

/* A series for each precision and place. */
static void add_kinds(bench_panel *panel, const bench_contents *c, bench_choice rows)
{
    static const char colour[][BENCH_COLOUR_TEXT] = {"#0072B2", "#56B4E9", "#D55E00", "#E69F00"};
    for (int i = 0; i < 4; i++) {
        rows.precision = i / 2;
        rows.in_place = i % 2;
        bench_curve s = {.rows = rows, .value = peer_ratio};
        memcpy(s.colour, colour[i], sizeof s.colour);
        snprintf(s.title, sizeof s.title, "%s %s", precision_name[i / 2], place_name[i % 2]);
        bench_panel_add(panel, c, &s);
    }
}

/* Ratio of the best peer's time to sluice's, by worker count and batch. */
static bench_exit draw_ratios(const char *folder, const bench_contents *c, const char *group)
{
    size_t totals[BENCH_MAX_TOTALS];
    char name[96], title[96], what[32];
    picture p;
    start_picture(&p, c, group, "time of the best peer / time of sluice");
    p.at_one = true;
    int batches = bench_contents_totals(totals, c, group);
    for (int t = 0; t < batches; t++)
        for (int w = 0; w < c->worker_counts && w < 2; w++) {
            int workers = c->workers[w];
            bench_choice rows = {
                .group = group, .engine = "sluice", .workers = workers, .total = totals[t]};
            snprintf(what, sizeof what, "%d worker%s", workers, plural_ending(workers));
            add_kinds(add_panel(&p, totals[t], what), c, rows);
        }
    snprintf(name, sizeof name, "%s-ratio", group);
    snprintf(title, sizeof title, "%s, ratio to the best peer", group);
    return bench_panels_draw(folder, name, title, c, p.panel, p.count);
}

static void add_scaling_series(bench_panel *panel, const bench_contents *c, bench_choice rows)
{
    rows.engine = "sluice";
    bench_curve copies = {
        .rows = rows, .value = copy_scaling, .title = "copy", .colour = "#000000", .dash = 1};
    bench_panel_add(panel, c, &copies);
    add_engine_series(panel, c, rows, engine_scaling);
}

/* Speedup with more workers, of each engine and of copies, out of place. */
static bench_exit draw_scaling(const char *folder, const bench_contents *c, const char *group,
                               int workers)
{
    size_t totals[BENCH_MAX_TOTALS];
    char name[96], title[96], y[64];
    picture p;
    snprintf(y, sizeof y, "time of one worker / time of %d", workers);
    start_picture(&p, c, group, y);
    p.at_one = true;
    p.max =
        1.5
        * workers; /* copies may gain more than workers if their caches together hold the data */
    int batches = bench_contents_totals(totals, c, group);
    for (int t = 0; t < batches; t++)
        for (int precision = 0; precision < 2; precision++) {
            bench_choice rows = {
                .group = group, .precision = precision, .workers = workers, .total = totals[t]};
            add_scaling_series(add_panel(&p, totals[t], precision_name[precision]), c, rows);
        }
    snprintf(name, sizeof name, "%s-scaling", group);
    snprintf(title, sizeof title, "%s, out of place, %d workers", group, workers);
    return bench_panels_draw(folder, name, title, c, p.panel, p.count);
}

static bench_exit draw_group(const char *folder, const bench_contents *c, const char *group)
{
    const bench_figure *figure = bench_suite_figure(group);
    if (figure)
        return bench_figure_draw(folder, c, group, figure);
    bench_exit worst = draw_ratios(folder, c, group);
    for (int w = 0; w < c->worker_counts && worst == BENCH_DONE; w++) {
        for (int precision = 0; precision < 2 && worst == BENCH_DONE; precision++)
            worst = draw_speeds(folder, c, group, precision, c->workers[w]);
        if (c->workers[w] > 1 && worst == BENCH_DONE)
            worst = draw_scaling(folder, c, group, c->workers[w]);
    }
    return worst;
}

bench_exit bench_plot_suite(const char *folder, const bench_rows *rows)
{
    bench_contents c;
    bench_exit worst = BENCH_DONE;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return bench_cannot_write(folder);
    bench_contents_find(&c, rows);
    for (int g = 0; g < c.groups && worst == BENCH_DONE; g++)
        worst = draw_group(folder, &c, c.group[g]);
    return worst;
}
