// SPDX-License-Identifier: BSD-3-Clause
/* One picture of whatever was measured. Colours go by order: an engine occurs once for each worker
 * count. */
#include "bench/bench_plot.h"

#include <stdlib.h>
#include <string.h>

#include "bench/bench_machine.h"

enum { FEWEST_SIZES = 4 }; /* of a plot over N */

/* A picture of rows: `series` and `group` hold the index of a row that names each. */
typedef struct picture {
    const bench_row *row;
    int rows;
    int *series, series_count; /* distinct engine and workers */
    int *group, group_count;   /* distinct problem            */
} picture;

static bool same_series(const bench_row *a, const bench_row *b)
{
    return strcmp(a->engine, b->engine) == 0 && a->workers == b->workers;
}

static bool same_group(const bench_row *a, const bench_row *b)
{
    return strcmp(a->problem, b->problem) == 0;
}

static int distinct(const picture *p, int *out, bool (*same)(const bench_row *, const bench_row *))
{
    int count = 0;
    for (int r = 0; r < p->rows; r++) {
        int i = 0;
        while (i < count && !same(&p->row[out[i]], &p->row[r]))
            i++;
        if (i == count)
            out[count++] = r;
    }
    return count;
}

static bool over_sizes(const picture *p)
{
    for (int i = 0; i < p->group_count; i++)
        for (int k = 0; k < i; k++)
            if (p->row[p->group[i]].points == p->row[p->group[k]].points)
                return false;
    return p->group_count >= FEWEST_SIZES;
}

/* The row of a group in a series, NULL where that engine was skipped. */
static const bench_row *find(const picture *p, int group, int series)
{
    for (int r = 0; r < p->rows; r++)
        if (same_group(&p->row[r], &p->row[p->group[group]])
            && same_series(&p->row[r], &p->row[p->series[series]]))
            return &p->row[r];
    return NULL;
}

static void write_frame(FILE *out)
{
    char title[256];
    bench_machine_about(title, sizeof title);
    fputs("set title ", out);
    bench_gnuplot_quote(out, title);
    fputs(" noenhanced font ',15' offset 0,0.5\n"
          "set key outside right center Left reverse samplen 2 spacing 1.4\n"
          "set ylabel 'Gflop/s (5 N log_2 N / t)' font ',13'\n",
          out);
}

/* One table: a line for each group with its axis value, its name and a column for each series. */
static void write_data(FILE *out, const picture *p)
{
    fputs("$data << END\n", out);
    for (int g = 0; g < p->group_count; g++) {
        const bench_row *named = &p->row[p->group[g]];
        fprintf(out, "%zu \"%s\"", named->points, named->problem);
        for (int s = 0; s < p->series_count; s++) {
            const bench_row *r = find(p, g, s);
            if (r)
                fprintf(out, " %.6g", r->gflops);
            else
                fputs(" ?", out);
        }
        fputc('\n', out);
    }
    fputs("END\n", out);
}

static void write_series_title(FILE *out, const bench_row *r)
{
    char title[96];
    snprintf(title, sizeof title, "%s, %d worker%s", r->engine, r->workers,
             r->workers == 1 ? "" : "s");
    fputs(" title ", out);
    bench_gnuplot_quote(out, title);
    fputs(" noenhanced", out);
}

static void write_lines(FILE *out, const picture *p)
{
    fputs("set logscale x 2\nset format x '2^{%L}'\nset xlabel 'N' font ',13'\n"
          "set xrange [*:*] noextend\nset offsets graph 0.02, graph 0.02, graph 0.05, 0\nplot ",
          out);
    for (int s = 0; s < p->series_count; s++) {
        fprintf(out, "%s$data using 1:%d smooth unique with linespoints", s ? ", " : "", s + 3);
        fprintf(out, " lw 2 pt %d ps 1.2 lc rgb '%s'", 5 + 2 * (s % 5),
                bench_gnuplot_colour("", s));
        write_series_title(out, &p->row[p->series[s]]);
    }
    fputc('\n', out);
}

static void write_bars(FILE *out, const picture *p)
{
    fputs("set style data histograms\nset style histogram clustered gap 1.5\nset boxwidth 0.95\n"
          "unset grid\nset grid ytics lt 1 lw 1 lc rgb '#D8D8D8'\n"
          "set xtics rotate by -20 left noenhanced\nplot ",
          out);
    for (int s = 0; s < p->series_count; s++) {
        fprintf(out, "%s$data using %d:xticlabels(2) lc rgb '%s'", s ? ", " : "", s + 3,
                bench_gnuplot_colour("", s));
        write_series_title(out, &p->row[p->series[s]]);
    }
    fputc('\n', out);
}

static bench_exit draw(const char *file, const picture *p)
{
    FILE *pipe = bench_gnuplot_open(file, 1200, 700);
    if (pipe) {
        write_frame(pipe);
        write_data(pipe, p);
        (over_sizes(p) ? write_lines : write_bars)(pipe, p);
    }
    return bench_gnuplot_close(pipe, file);
}

bench_exit bench_plot(const char *file, const bench_row *row, int rows)
{
    picture p = {.row = row, .rows = rows};
    bench_exit status = BENCH_IO;
    p.series = calloc((size_t)rows, sizeof *p.series);
    p.group = calloc((size_t)rows, sizeof *p.group);
    if (p.series && p.group) {
        p.series_count = distinct(&p, p.series, same_series);
        p.group_count = distinct(&p, p.group, same_group);
        status = draw(file, &p);
    }
    free(p.series);
    free(p.group);
    return status;
}
