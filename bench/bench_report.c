// SPDX-License-Identifier: BSD-3-Clause
/* Turns measured engines into rows; both printers walk the same table of fields. */
#include "bench/bench_report.h"

#include <stdlib.h>
#include <string.h>

typedef enum field_type { TEXT, COUNT, NUMBER, OPTIONAL } field_type;

typedef struct field {
    const char *name;
    field_type type; /* OPTIONAL: a number whose 0 means there is none */
    size_t offset;
    const char *format; /* of a number in the table; JSON keeps six digits of all */
} field;

static const field fields[] = {
    {"problem", TEXT, offsetof(bench_row, problem), NULL},
    {"engine", TEXT, offsetof(bench_row, engine), NULL},
    {"workers", COUNT, offsetof(bench_row, workers), NULL},
    {"effort", TEXT, offsetof(bench_row, effort), NULL},
    {"plan_s", NUMBER, offsetof(bench_row, plan_s), "%.3g"},
    {"median_s", NUMBER, offsetof(bench_row, median_s), "%.4g"},
    {"min_s", NUMBER, offsetof(bench_row, min_s), "%.4g"},
    {"max_s", NUMBER, offsetof(bench_row, max_s), "%.4g"},
    {"gflops", NUMBER, offsetof(bench_row, gflops), "%.2f"},
    {"gbytes_s", NUMBER, offsetof(bench_row, gbytes_s), "%.2f"},
    {"bound_share", NUMBER, offsetof(bench_row, bound_share), "%.3f"},
    {"ratio_to", OPTIONAL, offsetof(bench_row, ratio_to), "%.2f"},
};
enum { FIELDS = sizeof fields / sizeof *fields };

/* The shortest time of a role with these workers; copies may use fewer. 0: none. */
static double best_time(const bench_case *c, bench_role role, int workers)
{
    double best = 0;
    for (int i = 0; i < c->engines; i++) {
        const bench_engine *e = &c->engine[i];
        bool fits = role == BENCH_COPY ? e->workers <= workers : e->workers == workers;
        double time = bench_series_figure(&e->series);
        if (e->role == role && fits && (best == 0 || time < best))
            best = time;
    }
    return best;
}

static bench_row make_row(const bench_case *c, const bench_engine *e)
{
    double t = bench_series_figure(&e->series);
    double sluice = best_time(c, BENCH_SLUICE, e->workers);
    double rival = e->role == BENCH_SLUICE ? best_time(c, BENCH_PEER, e->workers) : t;
    return (bench_row){
        .problem = c->label,
        .engine = e->name,
        .effort = e->effort,
        .workers = e->workers,
        .points = c->shape.points,
        .plan_s = e->plan_s,
        .median_s = t,
        .min_s = e->series.min,
        .max_s = e->series.max,
        .gflops = c->shape.flops / t * 1e-9,
        .gbytes_s = 2.0 * (double)c->shape.data_bytes / t * 1e-9,
        .bound_share = best_time(c, BENCH_COPY, e->workers) / t,
        .ratio_to = rival / sluice,
    };
}

bench_row *bench_report_rows(const bench_case *cases, int count, int *rows)
{
    int most = 0;
    for (int i = 0; i < count; i++)
        most += cases[i].engines;
    bench_row *row = calloc((size_t)most, sizeof *row);
    *rows = 0;
    for (int i = 0; row && i < count; i++)
        for (int k = 0; k < cases[i].engines; k++)
            if (cases[i].engine[k].role != BENCH_COPY)
                row[(*rows)++] = make_row(&cases[i], &cases[i].engine[k]);
    return row;
}

static const void *value_of(const bench_row *row, const field *f)
{
    return (const char *)row + f->offset;
}

static void cell(char *out, size_t size, const bench_row *row, const field *f)
{
    const void *value = value_of(row, f);
    if (f->type == TEXT)
        snprintf(out, size, "%s", *(const char *const *)value);
    else if (f->type == COUNT)
        snprintf(out, size, "%d", *(const int *)value);
    else if (f->type == OPTIONAL && *(const double *)value == 0)
        snprintf(out, size, "-");
    else
        snprintf(out, size, f->format, *(const double *)value);
}

/* Text to the left, numbers to the right. */
static void print_cell(FILE *file, int i, const char *text, int width)
{
    const char *between = i + 1 < FIELDS ? "  " : "\n";
    fprintf(file, "%*s%s", fields[i].type == TEXT ? -width : width, text, between);
}

bool bench_report_table(FILE *file, const bench_row *row, int rows)
{
    char text[256];
    int width[FIELDS];
    for (int i = 0; i < FIELDS; i++) {
        width[i] = (int)strlen(fields[i].name);
        for (int r = 0; r < rows; r++) {
            cell(text, sizeof text, &row[r], &fields[i]);
            width[i] = (int)strlen(text) > width[i] ? (int)strlen(text) : width[i];
        }
    }
    for (int i = 0; i < FIELDS; i++)
        print_cell(file, i, fields[i].name, width[i]);
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < FIELDS; i++) {
            cell(text, sizeof text, &row[r], &fields[i]);
            print_cell(file, i, text, width[i]);
        }
    return fflush(file) == 0 && !ferror(file);
}

static void json_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', file);
        fputc(*text, file);
    }
    fputc('"', file);
}

static void json_value(FILE *file, const bench_row *row, const field *f)
{
    const void *value = value_of(row, f);
    if (f->type == TEXT)
        json_text(file, *(const char *const *)value);
    else if (f->type == COUNT)
        fprintf(file, "%d", *(const int *)value);
    else if (f->type == OPTIONAL && *(const double *)value == 0)
        fputs("null", file);
    else
        fprintf(file, "%.6g", *(const double *)value);
}

bool bench_report_json(FILE *file, const bench_row *row, int rows)
{
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < FIELDS; i++) {
            fprintf(file, "%s\"%s\":", i == 0 ? "{" : ",", fields[i].name);
            json_value(file, &row[r], &fields[i]);
            if (i + 1 == FIELDS)
                fputs("}\n", file);
        }
    return fflush(file) == 0 && !ferror(file);
}
