// SPDX-License-Identifier: BSD-3-Clause
/* Curves of one picture: colours tell engines, shades worker counts, dashes other variants of an
 * engine. */
#include "bench/plot/bench_figure.h"

#include <stdio.h>
#include <string.h>

static const char *const precision_name[] = {[SLUICE_F32] = "f32", [SLUICE_F64] = "f64"};

/* The precisions and worker counts of a group's rows. */
typedef struct variety {
    bool precision[2];
    bool workers[BENCH_MAX_NAMES]; /* indexed like the contents' worker counts */
    int precisions, counts;
} variety;

static variety find_variety(const bench_contents *c, const char *group)
{
    variety v = {0};
    for (int i = 0; i < c->rows->count; i++) {
        const bench_row *r = &c->rows->row[i];
        if (strcmp(r->group, group) != 0)
            continue;
        v.precision[strstr(r->problem, ":f64:") ? SLUICE_F64 : SLUICE_F32] = true;
        for (int w = 0; w < c->worker_counts; w++)
            v.workers[w] = v.workers[w] || c->workers[w] == r->workers;
    }
    v.precisions = v.precision[0] + v.precision[1];
    for (int w = 0; w < c->worker_counts; w++)
        v.counts += v.workers[w];
    return v;
}

static void write_workers(char *out, size_t size, int workers)
{
    snprintf(out, size, "%d worker%s", workers, workers == 1 ? "" : "s");
}

/* The lightness of a worker count's colour: the more workers, the darker. */
static double worker_lightness(const bench_contents *c, const variety *v, int workers)
{
    int fewer = 0;
    for (int w = 0; w < c->worker_counts; w++)
        fewer += v->workers[w] && c->workers[w] < workers;
    return v->counts > 1 ? 0.6 * (1 - fewer / (v->counts - 1.0)) : 0;
}

/* Adds a curve for each engine; its title holds what the picture's title does not. */
static void add_engine_curves(bench_panel *panel, const bench_contents *c, const variety *v,
                              bench_choice rows, const char *note, int dash)
{
    char workers[24];
    write_workers(workers, sizeof workers, rows.workers);
    for (int e = 0; e < c->engines; e++) {
        rows.engine = c->engine[e];
        bench_curve s = {.rows = rows, .value = bench_panel_gflops, .dash = dash};
        bench_gnuplot_lighter(s.colour, bench_gnuplot_colour(c->engine[e], e),
                              worker_lightness(c, v, rows.workers));
        snprintf(s.title, sizeof s.title, "%.16s%s%s%s%s%s%s", c->engine[e], note ? ", " : "",
                 note ? note : "", v->precisions > 1 ? ", " : "",
                 v->precisions > 1 ? precision_name[rows.precision] : "", v->counts > 1 ? ", " : "",
                 v->counts > 1 ? workers : "");
        bench_panel_add(panel, c, &s);
    }
}

/* Adds the rows of a group; solid lines are the first precision with all workers. Returns the next
 * dash. */
static int add_group_curves(bench_panel *panel, const bench_contents *c, const variety *v,
                            const char *group, const char *note, int dash)
{
    size_t totals[BENCH_MAX_TOTALS];
    int batches = bench_contents_totals(totals, c, group);
    for (int precision = 0; precision < 2; precision++)
        for (int w = c->worker_counts - 1; w >= 0; w--) {
            int before = panel->count;
            for (int t = 0; t < batches && v->precision[precision] && v->workers[w]; t++) {
                bench_choice rows = {.group = group,
                                     .precision = precision,
                                     .workers = c->workers[w],
                                     .total = totals[t]};
                add_engine_curves(panel, c, v, rows, note, dash);
            }
            dash += panel->count > before;
        }
    return dash;
}

/* Writes the title: the properties that all curves share. */
static void write_title(char *out, size_t size, const bench_contents *c, const variety *v)
{
    char workers[24] = "";
    for (int w = 0; w < c->worker_counts && v->counts == 1; w++)
        if (v->workers[w])
            write_workers(workers, sizeof workers, c->workers[w]);
    snprintf(out, size, "%s%s%s",
             v->precisions == 1 ? precision_name[v->precision[SLUICE_F64] ? SLUICE_F64 : SLUICE_F32]
                                : "",
             v->precisions == 1 && v->counts == 1 ? ", " : "", workers);
}

bench_exit bench_figure_draw(const char *folder, const bench_contents *c, const char *group,
                             const bench_figure *figure)
{
    char title[128];
    variety v = find_variety(c, group);
    bench_panel panel = {.y = bench_panel_gflops_axis};
    write_title(panel.title, sizeof panel.title, c, &v);
    int dash = add_group_curves(&panel, c, &v, group, figure->label, 0);
    if (figure->with_group)
        add_group_curves(&panel, c, &v, figure->with_group, figure->with_label, dash);
    snprintf(title, sizeof title, "%s: %s", group, figure->title);
    return bench_panels_draw(folder, group, title, c, &panel, 1);
}
