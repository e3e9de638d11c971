// SPDX-License-Identifier: BSD-3-Clause
/* Writes panels as gnuplot programs. */
#include "bench/suites/bench_panel.h"

#include <string.h>

enum { COLUMNS = 2, PANEL_WIDTH = 720, PANEL_HEIGHT = 480, TITLE_HEIGHT = 60 };
enum { MIN_SIZES = 4 }; /* sizes of a curve */

const char bench_panel_gflops_axis[] = "Gflop/s (5 N log_2 N / t)";

double bench_panel_gflops(const bench_rows *rows, const bench_row *row)
{
    (void)rows;
    return row->gflops;
}

static bool is_in_place(const bench_row *r)
{
    return strstr(r->problem, ":inplace") != NULL;
}

static int row_precision(const bench_row *r)
{
    return strstr(r->problem, ":f64:") ? SLUICE_F64 : SLUICE_F32;
}

static bool is_chosen(const bench_choice *c, const bench_row *r)
{
    size_t total = r->total == r->points ? 0 : r->total;
    return r->workers == c->workers && (c->total == BENCH_ALL_TOTALS || total == c->total)
           && row_precision(r) == c->precision && is_in_place(r) == (c->in_place != 0)
           && strcmp(r->engine, c->engine) == 0 && strcmp(r->group, c->group) == 0;
}

static void add_name(const char **names, int *count, const char *name)
{
    for (int i = 0; i < *count; i++)
        if (strcmp(names[i], name) == 0)
            return;
    if (*count < BENCH_MAX_NAMES)
        names[(*count)++] = name;
}

void bench_contents_find(bench_contents *c, const bench_rows *rows)
{
    memset(c, 0, sizeof *c);
    c->rows = rows;
    for (int i = 0; i < rows->count; i++) {
        const bench_row *r = &rows->row[i];
        int k = 0;
        if (r->group[0])
            add_name(c->group, &c->groups, r->group);
        add_name(c->engine, &c->engines, r->engine);
        while (k < c->worker_counts && c->workers[k] != r->workers)
            k++;
        if (k == c->worker_counts && k < BENCH_MAX_NAMES)
            c->workers[c->worker_counts++] = r->workers;
    }
}

int bench_contents_totals(size_t *totals, const bench_contents *c, const char *group)
{
    int count = 0;
    if (!bench_contents_over_sizes(c, group))
        totals[count++] = BENCH_ALL_TOTALS;
    for (int i = 0; i < c->rows->count && bench_contents_over_sizes(c, group); i++) {
        const bench_row *r = &c->rows->row[i];
        size_t total = r->total == r->points ? 0 : r->total;
        int k = 0;
        if (strcmp(r->group, group) != 0)
            continue;
        while (k < count && totals[k] != total)
            k++;
        if (k == count && count < BENCH_MAX_TOTALS)
            totals[count++] = total;
    }
    return count;
}

bool bench_contents_over_sizes(const bench_contents *c, const char *group)
{
    size_t min = SIZE_MAX, max = 0;
    for (int i = 0; i < c->rows->count; i++) {
        const bench_row *r = &c->rows->row[i];
        if (strcmp(r->group, group) != 0)
            continue;
        if (strchr(r->problem, 'x') || (r->points & (r->points - 1)) != 0)
            return false;
        min = r->points < min ? r->points : min;
        max = r->points > max ? r->points : max;
    }
    return max >= min << (MIN_SIZES - 1);
}

void bench_panel_add(bench_panel *p, const bench_contents *c, const bench_curve *s)
{
    for (int i = 0; i < c->rows->count && p->count < BENCH_MAX_SERIES; i++) {
        const bench_row *r = &c->rows->row[i];
        if (is_chosen(&s->rows, r) && s->value(c->rows, r) > 0) {
            p->series[p->count++] = *s;
            return;
        }
    }
}

/* ---- from panels to gnuplot */

/* The value with its range: Gflop/s of the slowest and the fastest sample if these are drawn, else
 * the value itself. */
static void write_value(FILE *out, const bench_curve *s, const bench_row *r, double y)
{
    const bool spread = s->value == bench_panel_gflops;
    fprintf(out, " %.6g %.6g %.6g", y, spread ? bench_row_slowest(r) : y,
            spread ? bench_row_fastest(r) : y);
}

static void write_points(FILE *out, const bench_contents *c, const bench_panel *p)
{
    for (int s = 0; s < p->count; s++) {
        fprintf(out, "$d%d << END\n", s);
        for (int i = 0; i < c->rows->count; i++) {
            const bench_row *r = &c->rows->row[i];
            double y = is_chosen(&p->series[s].rows, r) ? p->series[s].value(c->rows, r) : 0;
            if (y <= 0)
                continue;
            fprintf(out, "%zu", r->points);
            write_value(out, &p->series[s], r, y);
            fputc('\n', out);
        }
        fputs("? ? ? ?\nEND\n", out); /* gnuplot rejects empty data blocks */
    }
}

static void write_curves(FILE *out, const bench_panel *p)
{
    fputs("set style data linespoints\nset logscale x 2\nset format x '2^{%L}'\n"
          "set xlabel 'N' offset 0,0.8\nset xtics 4,4\nset mxtics 2\nset bars 0.3\nplot ",
          out);
    if (p->at_one)
        fputs("1 lw 1.5 lc rgb '#404040' notitle, ", out);
    for (int s = 0; s < p->count; s++)
        if (p->series[s].value == bench_panel_gflops) {
            char light[BENCH_COLOUR_TEXT];
            bench_gnuplot_lighter(light, p->series[s].colour, 0.5);
            fprintf(out,
                    "$d%d using ($1*%.4f):2:3:4 with yerrorbars ps 0 lw 0.7 lc rgb '%s' notitle, ",
                    s, bench_gnuplot_offset(s, p->count), light);
        }
    for (int s = 0; s < p->count; s++) {
        const bench_curve *e = &p->series[s];
        bool ours = strcmp(e->rows.engine, "sluice") == 0 && e->dash == 0;
        fprintf(out, "%s$d%d using 1:2 lw %s pt %d ps %s dt %d lc rgb '%s' title ", s ? ", " : "",
                s, ours ? "3" : "1.5", 5 + 2 * (s % 5), ours ? "1.1" : "0.8", e->dash + 1,
                e->colour);
        bench_gnuplot_quote(out, e->title);
        fputs(" noenhanced", out);
    }
    fputc('\n', out);
}

/* The sizes in a problem string: "1024x1024". */
static void size_text(char *out, size_t size, const bench_row *r)
{
    const char *first = strchr(r->problem, ':');
    const char *begin = first ? strchr(first + 1, ':') : NULL;
    begin = begin ? begin + 1 : r->problem;
    snprintf(out, size, "%.*s", (int)strcspn(begin, ":"), begin);
}

/* The row of a series with a size; NULL: none. */
static const bench_row *find_size_row(const bench_contents *c, const bench_curve *s,
                                      const char *size)
{
    char text[48];
    for (int i = 0; i < c->rows->count; i++) {
        const bench_row *r = &c->rows->row[i];
        if (!is_chosen(&s->rows, r))
            continue;
        size_text(text, sizeof text, r);
        if (strcmp(text, size) == 0)
            return r;
    }
    return NULL;
}

/* A table with a line for each size of the first series and a column for each series. */
static void write_table(FILE *out, const bench_contents *c, const bench_panel *p)
{
    char size[48];
    fputs("$d << END\n", out);
    for (int i = 0; i < c->rows->count; i++) {
        if (!is_chosen(&p->series[0].rows, &c->rows->row[i]))
            continue;
        size_text(size, sizeof size, &c->rows->row[i]);
        fprintf(out, "\"%s\"", size);
        for (int s = 0; s < p->count; s++) {
            const bench_row *r = find_size_row(c, &p->series[s], size);
            double y = r ? p->series[s].value(c->rows, r) : 0;
            if (y > 0)
                write_value(out, &p->series[s], r, y);
            else
                fputs(" ? ? ?", out);
        }
        fputc('\n', out);
    }
    fputs("END\n", out);
}

static void write_bars(FILE *out, const bench_panel *p)
{
    const bool spread = p->series[0].value == bench_panel_gflops;
    fprintf(out,
            "set style data histograms\nset style histogram %s gap 1.2\nset boxwidth 1\n"
            "set bars 0.4\nset style fill solid 0.9 border lc rgb '#404040'\n",
            spread ? "errorbars lw 0.7" : "clustered");
    fputs("unset logscale x\nunset grid\nset grid ytics lt 1 lw 1 lc rgb '#D8D8D8'\n"
          "unset xlabel\nset xtics rotate by -30 left noenhanced\nplot ",
          out);
    if (p->at_one)
        fputs("1 with lines lw 1.5 lc rgb '#404040' notitle, ", out);
    for (int s = 0; s < p->count; s++) {
        const int column = 2 + 3 * s;
        fprintf(out, "%s$d using %d", s ? ", " : "", column);
        if (spread)
            fprintf(out, ":%d:%d", column + 1, column + 2);
        fprintf(out, ":xticlabels(1) lc rgb '%s' title ", p->series[s].colour);
        bench_gnuplot_quote(out, p->series[s].title);
        fputs(" noenhanced", out);
    }
    fputc('\n', out);
}

/* One scale for all panels of a picture; the axis of ratios includes 1. */
static double find_largest(const bench_contents *c, const bench_panel *panels, int count)
{
    double largest = 0;
    for (int i = 0; i < count; i++)
        for (int s = 0; s < panels[i].count; s++)
            for (int r = 0; r < c->rows->count; r++) {
                const bench_curve *curve = &panels[i].series[s];
                const bench_row *row = &c->rows->row[r];
                double y = is_chosen(&curve->rows, row) ? curve->value(c->rows, row) : 0;
                if (y > 0 && curve->value == bench_panel_gflops)
                    y = bench_row_fastest(row);
                largest = y > largest ? y : largest;
            }
    if (panels[0].max > 0 && largest > panels[0].max)
        return panels[0].max;
    return panels[0].at_one && largest < 1.1 ? 1.1 : largest;
}

static void write_panel(FILE *out, const bench_contents *c, const bench_panel *p)
{
    fputs("set title ", out);
    bench_gnuplot_quote(out, p->title);
    fputs(" noenhanced\nset ylabel ", out);
    bench_gnuplot_quote(out, p->y);
    fputs("\nset key outside bottom center horizontal samplen 2 width -1 height 0.5\n", out);
    if (p->bars) {
        write_table(out, c, p);
        write_bars(out, p);
    } else {
        write_points(out, c, p);
        write_curves(out, p);
    }
}

bench_exit bench_panels_draw(const char *folder, const char *name, const char *title,
                             const bench_contents *c, const bench_panel *panels, int count)
{
    char file[1024];
    int there = 0, columns = COLUMNS;
    for (int i = 0; i < count; i++)
        there += panels[i].count > 0;
    if (there == 0)
        return BENCH_DONE;
    if (there < columns)
        columns = there;
    int lines = (there + columns - 1) / columns;
    snprintf(file, sizeof file, "%s/%s.png", folder, name);
    FILE *out =
        bench_gnuplot_open(file, columns * PANEL_WIDTH, lines * PANEL_HEIGHT + TITLE_HEIGHT);
    if (out) {
        fprintf(out, "set multiplot layout %d,%d title ", lines, columns);
        bench_gnuplot_quote(out, title);
        fputs(".\"\\n\".", out);
        bench_gnuplot_quote(out, c->rows->about);
        fputs(" noenhanced font ',14'\n", out);
        fprintf(out, "set yrange [0:%.6g]\n", 1.03 * find_largest(c, panels, count));
        for (int i = 0; i < count; i++)
            if (panels[i].count > 0)
                write_panel(out, c, &panels[i]);
        fputs("unset multiplot\n", out);
    }
    return bench_gnuplot_close(out, file);
}
