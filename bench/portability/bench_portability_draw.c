// SPDX-License-Identifier: BSD-3-Clause
/* Tables of all runs and of the paper's longest spectrum, and pictures like its figures 3 (mean and
 * least time), 4 and 5 (differences) and 6 (distributions). */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sys/stat.h>

#include "bench/plot/bench_gnuplot.h"
#include "bench/portability/bench_portability.h"
#include "bench/report/bench_say.h"

enum { WIDTH = 900, HEIGHT = 600, SPECTRUM = 2048 };
static const double micro = 1e6;

static const char *file_in(char out[PATH_MAX], const char *folder, const char *name)
{
    snprintf(out, PATH_MAX, "%s/%s", folder, name);
    return out;
}

static bench_exit close_table(FILE *file, const char *name)
{
    const bool bad = ferror(file) != 0;
    return fclose(file) != 0 || bad ? bench_cannot_write(name) : BENCH_DONE;
}

static bench_exit write_runs(const char *name, const bench_portability *p)
{
    char problem[48];
    FILE *out = fopen(name, "w");
    if (!out)
        return bench_cannot_write(name);
    fputs("unit,problem,run,seconds\n", out);
    for (int u = 0; u < p->units; u++)
        for (int i = 0; i < p->lengths; i++) {
            const bench_portable *r = &p->result[u][i];
            bench_portability_problem(problem, sizeof problem, &p->shape[i]);
            for (size_t k = 0; r->run_s && k < r->runs; k++)
                fprintf(out, "%s,%s,%zu,%.9g\n", p->unit[u].name, problem, k + 1, r->run_s[k]);
        }
    return close_table(out, name);
}

/* The length whose spectra are drawn: the paper's longest, or the longest measured. */
static int spectrum_length(const bench_portability *p)
{
    int found = p->lengths - 1;
    for (int i = 0; i < p->lengths; i++)
        if (p->shape[i].points == SPECTRUM)
            found = i;
    return found;
}

/* Was every length measured, so that there is something to draw? */
static bool is_drawn(const bench_portability *p, int unit)
{
    bool drawn = true;
    for (int i = 0; i < p->lengths; i++)
        drawn = drawn && p->result[unit][i].run_s;
    return drawn;
}

static double relative_difference(const bench_portability *p, int unit, int length, size_t k)
{
    const double native = p->result[0][length].magnitude[k];
    return fabs(p->result[unit][length].magnitude[k] - native) / native;
}

static bench_exit write_spectrum(const char *name, const bench_portability *p)
{
    const int length = spectrum_length(p);
    FILE *out = fopen(name, "w");
    if (!out)
        return bench_cannot_write(name);
    fputs("unit,k,magnitude,difference\n", out);
    for (int u = 0; u < p->units; u++)
        for (size_t k = 0; is_drawn(p, u) && k < p->shape[length].points; k++)
            fprintf(out, "%s,%zu,%.9g,%.3g\n", p->unit[u].name, k,
                    p->result[u][length].magnitude[k], relative_difference(p, u, length, k));
    return close_table(out, name);
}

/* ---- pictures: a gnuplot program first names all curves, then their data follow ---- */

/* Starts a picture of curves over `x`; `more` holds further settings. */
static FILE *start_picture(const char *file, const char *title, const char *x, const char *y,
                           const char *more)
{
    FILE *out = bench_gnuplot_open(file, WIDTH, HEIGHT);
    if (!out)
        return NULL;
    fputs("set title ", out);
    bench_gnuplot_quote(out, title);
    fprintf(out, " noenhanced\nset xlabel '%s'\nset ylabel '%s'\n%splot ", x, y, more);
    return out;
}

/* Names a curve of each unit that is drawn. */
static void name_curves(FILE *out, const bench_portability *p, const char *what, const char *style,
                        bool first)
{
    char title[96];
    for (int u = 0; u < p->units; u++) {
        if (!is_drawn(p, u))
            continue;
        snprintf(title, sizeof title, "%s%s", p->unit[u].name, what);
        fprintf(out, "%s'-' %s lc rgb '%s' title ", first ? "" : ", ", style,
                bench_gnuplot_colour(p->unit[u].name, u));
        bench_gnuplot_quote(out, title);
        first = false;
    }
}

static void write_times(FILE *out, const bench_portability *p, int unit, bool least, bool kernel)
{
    for (int i = 0; i < p->lengths; i++) {
        const bench_portable *r = &p->result[unit][i];
        const double total = least ? r->total.min : r->total.mean;
        const double alone = least ? r->kernel_min_s : r->kernel_mean_s;
        fprintf(out, "%zu %.6g\n", p->shape[i].points, micro * (kernel ? alone : total));
    }
}

static bench_exit draw_times(const char *file, const bench_portability *p, bool least)
{
    FILE *out = start_picture(file, least ? "least time" : "mean time", "points", "us",
                              "set logscale x 2\nset logscale y\nset yrange [*:*]\n"
                              "set key left top\n");
    if (!out)
        return bench_gnuplot_close(out, file);
    name_curves(out, p, "", "with linespoints pt 7", true);
    name_curves(out, p, ", computing alone", "with linespoints pt 6 dt 2", false);
    for (int kernel = 0; kernel < 2; kernel++)
        for (int u = 0; u < p->units; u++)
            if (is_drawn(p, u)) {
                fputc('\n', out);
                write_times(out, p, u, least, kernel);
                fputs("e", out);
            }
    fputc('\n', out);
    return bench_gnuplot_close(out, file);
}

/* Writes every run in order, which shows outliers and drifts. */
static void write_run_points(FILE *out, const bench_portability *p, int unit, int length)
{
    const bench_portable *r = &p->result[unit][length];
    for (size_t k = 0; k < r->runs; k++)
        fprintf(out, "%zu %.6g\n", k + 1, micro * r->run_s[k]);
}

static void write_differences(FILE *out, const bench_portability *p, int unit, int length)
{
    for (size_t k = 0; k < p->shape[length].points; k++)
        fprintf(out, "%zu %.6g\n", k, relative_difference(p, unit, length, k));
}

/* Points of each unit at the length of spectra. */
static bench_exit draw_points(FILE *out, const char *file, const bench_portability *p,
                              void (*write)(FILE *out, const bench_portability *p, int unit,
                                            int length))
{
    if (!out)
        return bench_gnuplot_close(out, file);
    name_curves(out, p, "", "with points pt 7 ps 0.4", true);
    for (int u = 0; u < p->units; u++)
        if (is_drawn(p, u)) {
            fputc('\n', out);
            write(out, p, u, spectrum_length(p));
            fputs("e", out);
        }
    fputc('\n', out);
    return bench_gnuplot_close(out, file);
}

static bench_exit draw_runs(const char *file, const bench_portability *p)
{
    char title[64];
    snprintf(title, sizeof title, "%zu points: every run", p->shape[spectrum_length(p)].points);
    return draw_points(
        start_picture(file, title, "run", "us", "set logscale y\nset yrange [*:*]\n"), file, p,
        write_run_points);
}

static bench_exit draw_differences(const char *file, const bench_portability *p)
{
    char title[96];
    snprintf(title, sizeof title, "%zu points: difference of |X_k| from %s",
             p->shape[spectrum_length(p)].points, p->unit[0].name);
    return draw_points(start_picture(file, title, "k", "relative difference", ""), file, p,
                       write_differences);
}

bench_exit bench_portability_draw(const char *folder, const bench_portability *p)
{
    char name[PATH_MAX];
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return bench_cannot_write(folder);
    bench_exit status = write_runs(file_in(name, folder, "portability-runs.csv"), p);
    if (status == BENCH_DONE)
        status = write_spectrum(file_in(name, folder, "portability-spectrum.csv"), p);
    if (status != BENCH_DONE || !is_drawn(p, 0))
        return status;
    status = draw_times(file_in(name, folder, "portability-mean.png"), p, false);
    if (status == BENCH_DONE)
        status = draw_times(file_in(name, folder, "portability-least.png"), p, true);
    if (status == BENCH_DONE)
        status = draw_runs(file_in(name, folder, "portability-runs.png"), p);
    return status == BENCH_DONE
               ? draw_differences(file_in(name, folder, "portability-difference.png"), p)
               : status;
}
