// SPDX-License-Identifier: BSD-3-Clause
/* The figures of the suite `tuning` as a table and a picture. */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "bench/plot/bench_gnuplot.h"
#include "bench/report/bench_say.h"
#include "bench/tuning/bench_tuning.h"

enum { WIDTH = 900, HEIGHT = 600 };

static bench_exit write_table(const char *name, const bench_tuning *t)
{
    FILE *out = fopen(name, "w");
    if (!out)
        return bench_cannot_write(name);
    fputs("family,problem,n,ratio\n", out);
    for (int i = 0; i < t->rows; i++)
        if (t->row[i].found_s > 0)
            fprintf(out, "%s,%s,%zu,%.6g\n", t->row[i].family, t->row[i].problem, t->row[i].n,
                    t->row[i].chosen_s / t->row[i].found_s);
    const bool bad = ferror(out) != 0;
    return fclose(out) != 0 || bad ? bench_cannot_write(name) : BENCH_DONE;
}

/* Does a curve begin here? Rows of a family and a precision follow each other, and each is a
 * curve. */
static bool is_first(const bench_tuning *t, int i)
{
    const bench_tuning_row *row = &t->row[i], *before = row - 1;
    return i == 0 || before->family != row->family || before->n > row->n;
}

static void name_curves(FILE *out, const bench_tuning *t)
{
    char title[64];
    int curves = 0;
    fputs("plot ", out);
    for (int i = 0; i < t->rows; i++) {
        if (!is_first(t, i))
            continue;
        snprintf(title, sizeof title, "%s %.3s", t->row[i].family,
                 strchr(t->row[i].problem, ':') + 1);
        fprintf(out, "%s'-' with linespoints pt 7 lc %d title ", curves ? ", " : "", curves + 1);
        bench_gnuplot_quote(out, title);
        curves++;
    }
}

static bench_exit draw_ratios(const char *file, const bench_tuning *t)
{
    FILE *out = bench_gnuplot_open(file, WIDTH, HEIGHT);
    if (!out)
        return bench_gnuplot_close(out, file);
    fputs("set title 'choice by the model / best found'\nset xlabel 'points along an axis'\n"
          "set ylabel 'time / time'\nset logscale x 2\nset yrange [0.9:*]\nset key left top\n",
          out);
    name_curves(out, t);
    for (int i = 0; i < t->rows; i++) {
        const bench_tuning_row *row = &t->row[i];
        if (is_first(t, i))
            fputs(i > 0 ? "e\n" : "\n", out);
        if (row->found_s > 0)
            fprintf(out, "%zu %.6g\n", row->n, row->chosen_s / row->found_s);
        else
            fprintf(out, "%zu NaN\n", row->n);
    }
    fputs("e\n", out);
    return bench_gnuplot_close(out, file);
}

bench_exit bench_tuning_draw(const char *folder, const bench_tuning *t)
{
    char name[PATH_MAX];
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return bench_cannot_write(folder);
    snprintf(name, sizeof name, "%s/tuning.csv", folder);
    const bench_exit status = write_table(name, t);
    if (status != BENCH_DONE)
        return status;
    snprintf(name, sizeof name, "%s/tuning.png", folder);
    return draw_ratios(name, t);
}
