// SPDX-License-Identifier: BSD-3-Clause
/* One table of fields serves both printers and the reader. */
#include "bench/report/bench_report.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/report/bench_say.h"

typedef enum field_type { TEXT, COUNT, NUMBER, OPTIONAL, FLAG } field_type;

typedef struct field {
    const char *name;
    field_type type; /* OPTIONAL: a number whose 0 means there is none */
    size_t offset, size;
    const char *format; /* printf format of a number in the table; JSON has six digits */
    int width;          /* min column width in a table printed in parts; 0: JSON only */
} field;

#define FIELD(member) offsetof(bench_row, member), sizeof(((bench_row *)0)->member)

static const field fields[] = {
    {"problem", TEXT, FIELD(problem), NULL, 26},
    {"engine", TEXT, FIELD(engine), NULL, 13},
    {"workers", COUNT, FIELD(workers), NULL, 7},
    {"data", TEXT, FIELD(data), NULL, 6},
    {"effort", TEXT, FIELD(effort), NULL, 8},
    {"plan_s", NUMBER, FIELD(plan_s), "%.3g", 8},
    {"median_s", NUMBER, FIELD(median_s), "%.4g", 9},
    {"min_s", NUMBER, FIELD(min_s), "%.4g", 9},
    {"max_s", NUMBER, FIELD(max_s), "%.4g", 9},
    {"gflops", NUMBER, FIELD(gflops), "%.2f", 6},
    {"gbytes_s", NUMBER, FIELD(gbytes_s), "%.2f", 8},
    {"bound_share", NUMBER, FIELD(bound_share), "%.3f", 11},
    {"ratio_to", OPTIONAL, FIELD(ratio_to), "%.2f", 8},
    {"bound", TEXT, FIELD(bound), NULL, 10},
    {"peak_share", OPTIONAL, FIELD(peak_share), "%.3f", 10},
    {"group", TEXT, FIELD(group), NULL, 0},
    {"judged", FLAG, FIELD(in_summary), NULL, 0},
    {"plan_first_s", NUMBER, FIELD(plan_first_s), "%.3g", 0},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static const void *field_value(const bench_row *row, const field *f)
{
    return (const char *)row + f->offset;
}

static void format_cell(char *out, size_t size, const bench_row *row, const field *f)
{
    const void *value = field_value(row, f);
    if (f->type == TEXT)
        snprintf(out, size, "%s", (const char *)value);
    else if (f->type == COUNT)
        snprintf(out, size, "%d", *(const int *)value);
    else if (f->type == OPTIONAL && *(const double *)value == 0)
        snprintf(out, size, "-");
    else if (f->type != FLAG)
        snprintf(out, size, f->format, *(const double *)value);
}

/* Text is left-aligned, numbers are right-aligned. */
static void print_cell(FILE *file, int i, const char *text, int width)
{
    bool last = i + 1 == FIELDS || fields[i + 1].width == 0;
    fprintf(file, "%*s%s", fields[i].type == TEXT ? -width : width, text, last ? "\n" : "  ");
}

static void find_widths(int *width, const bench_row *row, int rows, bool part)
{
    char text[256];
    for (int i = 0; i < FIELDS && fields[i].width > 0; i++) {
        width[i] = part ? fields[i].width : (int)strlen(fields[i].name);
        for (int r = 0; r < rows; r++) {
            format_cell(text, sizeof text, &row[r], &fields[i]);
            width[i] = (int)strlen(text) > width[i] ? (int)strlen(text) : width[i];
        }
    }
}

bool bench_report_table(FILE *file, const bench_row *row, int rows, bench_table_part part)
{
    char text[256];
    int width[FIELDS];
    find_widths(width, row, rows, part != BENCH_TABLE_WHOLE);
    for (int i = 0; i < FIELDS && fields[i].width > 0 && part != BENCH_TABLE_LATER; i++)
        print_cell(file, i, fields[i].name, width[i]);
    for (int r = 0; r < rows; r++)
        for (int i = 0; i < FIELDS && fields[i].width > 0; i++) {
            format_cell(text, sizeof text, &row[r], &fields[i]);
            print_cell(file, i, text, width[i]);
        }
    return fflush(file) == 0 && !ferror(file);
}

void bench_json_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', file);
        if ((unsigned char)*text < ' ')
            fprintf(file, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, file);
    }
    fputc('"', file);
}

static void json_value(FILE *file, const bench_row *row, const field *f)
{
    const void *value = field_value(row, f);
    if (f->type == TEXT)
        bench_json_text(file, value);
    else if (f->type == FLAG)
        fputs(*(const bool *)value ? "true" : "false", file);
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

bool bench_report_refusal(FILE *file, const char *problem, const char *why, const size_t *offset)
{
    fputs("{\"problem\":", file);
    bench_json_text(file, problem);
    fputs(",\"result\":\"REFUSED\",\"why\":", file);
    bench_json_text(file, why);
    if (offset)
        fprintf(file, ",\"offset\":%zu", *offset);
    fputs("}\n", file);
    return fflush(file) == 0 && !ferror(file);
}

/* The text after a key in a line, NULL if the key is missing. */
static const char *json_find(const char *line, const char *name)
{
    char key[32];
    int length = snprintf(key, sizeof key, "\"%s\":", name);
    const char *found = strstr(line, key);
    return found ? found + length : NULL;
}

static bool read_text(char *out, size_t size, const char *at)
{
    size_t used = 0;
    if (*at++ != '"')
        return false;
    for (; *at && *at != '"' && used + 1 < size; at++) {
        at += *at == '\\' && at[1];
        out[used++] = *at;
    }
    out[used] = 0;
    return *at == '"';
}

static bool read_value(bench_row *row, const field *f, const char *at)
{
    void *value = (char *)row + f->offset;
    double number = 0;
    switch (f->type) {
    case TEXT: return read_text(value, f->size, at);
    case FLAG: *(bool *)value = strncmp(at, "true", 4) == 0; return true;
    case COUNT: *(int *)value = atoi(at); return true;
    default: number = strtod(at, NULL); /* null reads as 0 */
    }
    *(double *)value = number;
    return isfinite(number);
}

/* Lines written before devices were supported do not say where data were. */
static bool may_lack(const field *f)
{
    return f->width == 0 || f->offset == offsetof(bench_row, data);
}

/* False for lines of another kind and incomplete lines. */
static bool read_row(bench_row *row, const char *line)
{
    sluice_problem problem;
    bench_shape shape;
    memset(row, 0, sizeof *row);
    row->in_summary = true; /* defaults */
    snprintf(row->data, sizeof row->data, "host");
    for (int i = 0; i < FIELDS; i++) {
        const char *at = json_find(line, fields[i].name);
        if (at ? !read_value(row, &fields[i], at) : !may_lack(&fields[i]))
            return false;
    }
    if (row->median_s <= 0 || sluice_problem_parse(&problem, row->problem, NULL) != SLUICE_OK
        || bench_shape_make(&shape, &problem, NULL) != SLUICE_OK)
        return false;
    row->points = shape.points;
    row->total = shape.total;
    return true;
}

static bool keep_row(bench_rows *rows, const bench_row *row)
{
    for (int i = 0; i < rows->count; i++) {
        bench_row *old = &rows->row[i];
        if (old->workers == row->workers && bench_row_same_problem(old, row)
            && strcmp(old->engine, row->engine) == 0) {
            *old = *row;
            return true;
        }
    }
    return bench_rows_add(rows, row);
}

/* Reads a suite's line about the machine. */
static void read_about(bench_rows *rows, const char *line)
{
    char model[128], version[32], date[32];
    const char *at[] = {json_find(line, "machine"), json_find(line, "sluice"),
                        json_find(line, "date")};
    if (at[0] && at[1] && at[2] && read_text(model, sizeof model, at[0])
        && read_text(version, sizeof version, at[1]) && read_text(date, sizeof date, at[2]))
        snprintf(rows->about, sizeof rows->about, "sluice %s on %s, %s", version, model, date);
}

/* Accepts the incomplete line of an interrupted run and the empty line after it. */
static bool may_be_json(const char *line)
{
    return line[0] == '{' || line[strspn(line, " \t\r\n")] == 0;
}

bench_exit bench_report_read(bench_rows *rows, FILE *file, const char *name)
{
    char *line = NULL;
    size_t capacity = 0, number = 0;
    bench_exit status = BENCH_DONE;
    bench_row row;
    errno = 0;
    for (ssize_t length; status == BENCH_DONE && (length = getline(&line, &capacity, file)) > 0;) {
        number++;
        if (!may_be_json(line)) {
            bench_complain("%s: line %zu is no JSON object, as sluice-bench --json writes them",
                           name, number);
            status = BENCH_USAGE;
        } else if (line[length - 1] != '\n' || !read_row(&row, line)) {
            read_about(rows, line);
        } else if (!keep_row(rows, &row)) {
            bench_complain("%s: there is no memory for its figures", name);
            status = BENCH_IO;
        }
    }
    free(line);
    return status == BENCH_DONE && ferror(file) ? bench_cannot_read(name) : status;
}
