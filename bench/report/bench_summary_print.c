// SPDX-License-Identifier: BSD-3-Clause
/* Prints summaries as a table, followed by the problems that miss a goal, and as JSON. */
#include <stdlib.h>
#include <string.h>

#include "bench/report/bench_report.h"
#include "bench/report/bench_summary.h"

static void print_ratio(FILE *file, const bench_ratio *r, bool below)
{
    if (r->count == 0)
        fprintf(file, below ? "       -      -     - " : "       -      - ");
    else if (below)
        fprintf(file, " %7.2f %6.2f %5d ", bench_ratio_mean(r), r->min, r->below);
    else
        fprintf(file, " %7.2f %6.2f ", bench_ratio_mean(r), r->min);
}

static void print_summary(FILE *file, const bench_summary *s)
{
    fprintf(file, "%-12s %-9s %7d %8d  ", s->group[0] ? s->group : "-", s->precision, s->workers,
            s->problems);
    print_ratio(file, &s->fftw, true);
    print_ratio(file, &s->best, true);
    print_ratio(file, &s->share, false);
    print_ratio(file, &s->scaling, false);
    if (s->copy.count)
        fprintf(file, " %6.2f\n", bench_ratio_mean(&s->copy));
    else
        fputs("      -\n", file);
}

/* A problem whose ratio misses a goal. */
typedef struct miss {
    const bench_row *sluice, *peer;
    double ratio;
} miss;

static int by_ratio(const void *a, const void *b)
{
    double x = ((const miss *)a)->ratio, y = ((const miss *)b)->ratio;
    return (x > y) - (x < y);
}

static bool print_misses(FILE *file, const bench_rows *rows, const char *title, double goal,
                         const bench_row *(*find_peer)(const bench_rows *, const bench_row *))
{
    miss *m = calloc((size_t)rows->count + 1, sizeof *m);
    int count = 0;
    for (int i = 0; m && i < rows->count; i++) {
        const bench_row *r = &rows->row[i];
        bool ours = r->in_summary && strncmp(r->engine, "sluice", 6) == 0;
        const bench_row *peer = ours ? find_peer(rows, r) : NULL;
        if (peer && peer->median_s / r->median_s < goal)
            m[count++] = (miss){r, peer, peer->median_s / r->median_s};
    }
    if (count > 0) {
        qsort(m, (size_t)count, sizeof *m, by_ratio);
        fprintf(file, "\n%d below %.2f of %s:\n", count, goal, title);
    }
    for (int i = 0; i < count; i++)
        fprintf(file, "%6.2f  %-26s %d worker%s  %s\n", m[i].ratio, m[i].sluice->problem,
                m[i].sluice->workers, m[i].sluice->workers == 1 ? " " : "s", m[i].peer->engine);
    free(m);
    return m != NULL;
}

static bool first_of_engine(const bench_rows *rows, int i)
{
    for (int k = 0; k < i; k++)
        if (strcmp(rows->row[k].engine, rows->row[i].engine) == 0)
            return false;
    return true;
}

static double sum_plan_seconds(const bench_rows *rows, const char *engine)
{
    double sum = 0;
    for (int i = 0; i < rows->count; i++)
        if (strcmp(rows->row[i].engine, engine) == 0)
            sum += rows->row[i].plan_first_s;
    return sum;
}

bool bench_summary_table(FILE *file, const bench_rows *rows)
{
    int count;
    bench_summary *s = bench_summary_make(rows, &count);
    if (!s)
        return false;
    fprintf(file,
            "\n%-12s %-9s %7s %8s   |fftw: mean   min below| best: mean   min below"
            "|share: mean min|scaling: mean min copy\n",
            "group", "precision", "workers", "problems");
    for (int i = 0; i < count; i++)
        print_summary(file, &s[i]);
    free(s);
    bool good = print_misses(file, rows, "the system's FFTW", bench_fftw_goal, bench_best_fftw)
                && print_misses(file, rows, "the best peer", bench_best_goal, bench_best_peer);
    fputs("\nplanning, all problems:", file);
    for (int i = 0; i < rows->count; i++)
        if (first_of_engine(rows, i))
            fprintf(file, " %s %.3g s", rows->row[i].engine,
                    sum_plan_seconds(rows, rows->row[i].engine));
    fputc('\n', file);
    return good && fflush(file) == 0 && !ferror(file);
}

static void json_ratio(FILE *file, const char *name, const bench_ratio *r, bool below)
{
    if (r->count == 0)
        return;
    fprintf(file, ",\"%s_mean\":%.6g,\"%s_min\":%.6g,\"%s_at\":", name, bench_ratio_mean(r), name,
            r->min, name);
    bench_json_text(file, r->worst_row->problem);
    if (below) {
        fprintf(file, ",\"%s_by\":", name);
        bench_json_text(file, r->compared_with->engine);
        fprintf(file, ",\"%s_below\":%d", name, r->below);
    }
}

bool bench_summary_json(FILE *file, const bench_rows *rows)
{
    int count;
    bench_summary *s = bench_summary_make(rows, &count);
    if (!s)
        return false;
    for (int i = 0; i < count; i++) {
        fputs("{\"summary\":", file);
        bench_json_text(file, s[i].group);
        fprintf(file, ",\"precision\":\"%s\",\"workers\":%d,\"problems\":%d", s[i].precision,
                s[i].workers, s[i].problems);
        json_ratio(file, "fftw", &s[i].fftw, true);
        json_ratio(file, "best", &s[i].best, true);
        json_ratio(file, "share", &s[i].share, false);
        json_ratio(file, "scaling", &s[i].scaling, false);
        json_ratio(file, "copy", &s[i].copy, false);
        fputs("}\n", file);
    }
    free(s);
    for (int i = 0; i < rows->count; i++)
        if (first_of_engine(rows, i)) {
            fputs("{\"summary\":\"planning\",\"engine\":", file);
            bench_json_text(file, rows->row[i].engine);
            fprintf(file, ",\"plan_s\":%.6g}\n", sum_plan_seconds(rows, rows->row[i].engine));
        }
    return fflush(file) == 0 && !ferror(file);
}
