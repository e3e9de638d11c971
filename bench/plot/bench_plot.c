// SPDX-License-Identifier: BSD-3-Clause
/* One picture of whatever was measured. */
#include "bench/plot/bench_plot.h"

#include <stdlib.h>
#include <string.h>

#include "bench/report/bench_say.h"

enum {
    MIN_SIZES = 4, /* min sizes of a plot over N */
    COLUMNS = 3
}; /* columns of a series: figure, slowest, fastest */

/* A picture of rows: `series`, `group` and `engine` hold the index of a row that names each. */
typedef struct picture {
    const bench_rows *rows;
    const bench_row *row;
    int *series, series_count; /* distinct engine and workers, by engine, then by workers */
    int *group, group_count;   /* distinct problem                                     */
    int *engine;               /* distinct engine                                      */
} picture;

static bool same_engine(const bench_row *a, const bench_row *b)
{
    return strcmp(a->engine, b->engine) == 0;
}

static bool same_series(const bench_row *a, const bench_row *b)
{
    return same_engine(a, b) && a->workers == b->workers;
}

static bool same_group(const bench_row *a, const bench_row *b)
{
    return strcmp(a->problem, b->problem) == 0;
}

static int collect_distinct(const picture *p, int *out,
                            bool (*same)(const bench_row *, const bench_row *))
{
    int count = 0;
    for (int r = 0; r < p->rows->count; r++) {
        int i = 0;
        while (i < count && !same(&p->row[out[i]], &p->row[r]))
            i++;
        if (i == count)
            out[count++] = r;
    }
    return count;
}

/* Index of a row's engine, in order of occurrence. */
static int engine_of(const picture *p, const bench_row *r)
{
    int e = 0;
    while (!same_engine(&p->row[p->engine[e]], r))
        e++;
    return e;
}

/* Is a drawn after b? */
static bool is_later(const picture *p, const bench_row *a, const bench_row *b)
{
    int x = engine_of(p, a), y = engine_of(p, b);
    return x != y ? x > y : a->workers > b->workers;
}

static bool is_larger(const picture *p, const bench_row *a, const bench_row *b)
{
    (void)p;
    return a->points > b->points;
}

/* Insertion sort: lists are short. */
static void sort_rows(const picture *p, int *list, int count,
                      bool (*after)(const picture *, const bench_row *, const bench_row *))
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && after(p, &p->row[list[k - 1]], &p->row[list[k]]); k--) {
            int swap = list[k];
            list[k] = list[k - 1];
            list[k - 1] = swap;
        }
}

static bool sizes_are_distinct(const picture *p)
{
    for (int i = 0; i < p->group_count; i++)
        for (int k = 0; k < i; k++)
            if (p->row[p->group[i]].points == p->row[p->group[k]].points)
                return false;
    return p->group_count >= MIN_SIZES;
}

/* The row of a group in a series, NULL if that engine was omitted. */
static const bench_row *find_series_row(const picture *p, int group, int series)
{
    for (int r = 0; r < p->rows->count; r++)
        if (same_group(&p->row[r], &p->row[p->group[group]])
            && same_series(&p->row[r], &p->row[p->series[series]]))
            return &p->row[r];
    return NULL;
}

static void write_frame(FILE *out, const picture *p)
{
    if (p->rows->about[0]) {
        fputs("set title ", out);
        bench_gnuplot_quote(out, p->rows->about);
        fputs(" noenhanced font ',15' offset 0,0.5\n", out);
    }
    fputs("set key outside right center Left reverse samplen 2 spacing 1.4\n"
          "set ylabel 'Gflop/s (5 N log_2 N / t)' font ',13'\n",
          out);
}

/* Writes a table: a line for each group with its axis value, its name and the columns of each
 * series. */
static void write_data(FILE *out, const picture *p)
{
    fputs("$data << END\n", out);
    for (int g = 0; g < p->group_count; g++) {
        const bench_row *named = &p->row[p->group[g]];
        fprintf(out, "%zu \"%s\"", named->points, named->problem);
        for (int s = 0; s < p->series_count; s++) {
            const bench_row *r = find_series_row(p, g, s);
            if (r)
                fprintf(out, " %.6g %.6g %.6g", r->gflops, bench_row_slowest(r),
                        bench_row_fastest(r));
            else
                fputs(" ? ? ?", out);
        }
        fputc('\n', out);
    }
    fputs("END\n", out);
}

static int column_of(int series)
{
    return 3 + COLUMNS * series;
}

/* Writes the colour of a series: the more workers, the darker. */
static void name_colour(char out[BENCH_COLOUR_TEXT], const picture *p, int series)
{
    const bench_row *r = &p->row[p->series[series]];
    int fewer = 0, counts = 0;
    for (int s = 0; s < p->series_count; s++) {
        const bench_row *other = &p->row[p->series[s]];
        counts += same_engine(other, r);
        fewer += same_engine(other, r) && other->workers < r->workers;
    }
    const char *colour = bench_gnuplot_colour(r->engine, engine_of(p, r));
    bench_gnuplot_lighter(out, colour, counts > 1 ? 0.6 * (1 - fewer / (counts - 1.0)) : 0);
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

static void write_line_plot(FILE *out, const picture *p)
{
    char colour[BENCH_COLOUR_TEXT];
    fputs("set logscale x 2\nset format x '2^{%L}'\nset xlabel 'N' font ',13'\n"
          "set xrange [*:*] noextend\nset offsets graph 0.02, graph 0.02, graph 0.05, 0\n"
          "set bars 0.6\nplot ",
          out);
    for (int s = 0; s < p->series_count; s++) {
        int column = column_of(s);
        name_colour(colour, p, s);
        fprintf(out,
                "%s$data using ($1*%.4f):%d:%d:%d with yerrorbars lw 1 ps 0 lc rgb '%s' notitle",
                s ? ", " : "", bench_gnuplot_offset(s, p->series_count), column, column + 1,
                column + 2, colour);
        fprintf(out, ", $data using 1:%d with linespoints lw 2 pt %d ps 1.2 lc rgb '%s'", column,
                5 + 2 * (s % 5), colour);
        write_series_title(out, &p->row[p->series[s]]);
    }
    fputc('\n', out);
}

static void write_bar_plot(FILE *out, const picture *p)
{
    char colour[BENCH_COLOUR_TEXT];
    fputs("set style data histograms\nset style histogram errorbars gap 1.5 lw 1\n"
          "set boxwidth 0.95\nset bars 0.6\n"
          "unset grid\nset grid ytics lt 1 lw 1 lc rgb '#D8D8D8'\n"
          "set style fill solid 0.9 border lc rgb '#404040'\n"
          "set xtics rotate by -20 left noenhanced\nplot ",
          out);
    for (int s = 0; s < p->series_count; s++) {
        int column = column_of(s);
        name_colour(colour, p, s);
        fprintf(out, "%s$data using %d:%d:%d:xticlabels(2) lc rgb '%s'", s ? ", " : "", column,
                column + 1, column + 2, colour);
        write_series_title(out, &p->row[p->series[s]]);
    }
    fputc('\n', out);
}

static bench_exit draw_picture(const char *file, const picture *p)
{
    FILE *pipe = bench_gnuplot_open(file, 1200, 700);
    if (pipe) {
        write_frame(pipe, p);
        write_data(pipe, p);
        (sizes_are_distinct(p) ? write_line_plot : write_bar_plot)(pipe, p);
    }
    return bench_gnuplot_close(pipe, file);
}

bench_exit bench_plot(const char *file, const bench_rows *rows)
{
    picture p = {.rows = rows, .row = rows->row};
    int *lists = calloc(3 * (size_t)rows->count, sizeof *lists);
    if (!lists) {
        bench_complain("%s: there is no memory for the picture", file);
        return BENCH_IO;
    }
    p.series = lists;
    p.group = lists + rows->count;
    p.engine = p.group + rows->count;
    p.series_count = collect_distinct(&p, p.series, same_series);
    p.group_count = collect_distinct(&p, p.group, same_group);
    collect_distinct(&p, p.engine, same_engine);
    sort_rows(&p, p.series, p.series_count, is_later);
    if (sizes_are_distinct(&p))
        sort_rows(&p, p.group, p.group_count, is_larger);
    bench_exit status = draw_picture(file, &p);
    free(lists);
    return status;
}
