// SPDX-License-Identifier: BSD-3-Clause
/* The suites, and how their rows become problem strings. */
#include "bench/bench_suite.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TOTALS = 4, MOST_PARTS = 8, TEXT_SIZE = 64 };

/* Problems that differ in length, and in batch, precision and place. */
typedef struct family {
    const char *group;
    const char *kind;
    int rank;                       /* axes, all of one length                                  */
    size_t first, last;             /* lengths, doubling                                        */
    const size_t *lengths;          /* or these, ended by 0                                     */
    size_t totals[MOST_TOTALS + 1]; /* points a batch fills, ended by 0; none: one transform    */
    size_t judged_from;             /* points of one transform                                  */
} family;

typedef struct suite {
    const char *name, *what;
    const family *parts[MOST_PARTS + 1]; /* ended by NULL */
} suite;

/* Sizes that programs ask for: time series, audio, images; products of 2, 3, 5 and 7. */
static const size_t mixed_lengths[] = {12,   60,    96,    120,   360,    1000,    1536, 3000,
                                       5040, 10000, 15625, 44100, 100000, 1000000, 0};

static const family single = {.group = "cpu-single",
                              .kind = "c2c",
                              .rank = 1,
                              .first = 1 << 2,
                              .last = 1 << 24,
                              .judged_from = 1 << 6};
static const family batch = {.group = "cpu-batch",
                             .kind = "c2c",
                             .rank = 1,
                             .first = 1 << 2,
                             .last = 1 << 13,
                             .totals = {1 << 14, 1 << 22}};
static const family sizes = {
    .group = "cpu-sizes", .kind = "c2c", .rank = 1, .lengths = mixed_lengths};
static const family squares = {
    .group = "cpu-2d", .kind = "c2c", .rank = 2, .first = 1 << 6, .last = 1 << 12};
static const family cubes = {
    .group = "cpu-3d", .kind = "c2c", .rank = 3, .first = 1 << 5, .last = 1 << 8};

static const suite suites[] = {
    {"cpu", "all of the following", {&single, &batch, &sizes, &squares, &cubes}},
    {"cpu-single", "one transform of 2^2 to 2^24 points", {&single}},
    {"cpu-batch", "2^2 to 2^13 points, batches of 2^14 and of 2^22 points in all", {&batch}},
    {"cpu-sizes", "other lengths from 12 to 1000000", {&sizes}},
    {"cpu-2d", "squares of 64 to 4096", {&squares}},
    {"cpu-3d", "cubes of 32 to 256", {&cubes}},
};
enum { SUITES = sizeof suites / sizeof *suites };

static const suite *find(const char *name, size_t length)
{
    for (int i = 0; i < SUITES; i++)
        if (strlen(suites[i].name) == length && memcmp(suites[i].name, name, length) == 0)
            return &suites[i];
    return NULL;
}

bool bench_suite_known(const char *name, size_t length)
{
    return find(name, length) != NULL;
}

void bench_suite_help(FILE *file)
{
    for (int i = 0; i < SUITES; i++)
        fprintf(file, "  %-14s %s\n", suites[i].name, suites[i].what);
}

/* The i-th length, 0 after the last. */
static size_t length_at(const family *f, int i)
{
    if (f->lengths)
        return f->lengths[i];
    size_t length = f->first << i;
    return length <= f->last ? length : 0;
}

/* The i-th batch of transforms of `points`, 0 after the last. */
static size_t batch_at(const family *f, int i, size_t points)
{
    if (f->totals[0] == 0)
        return i == 0 ? 1 : 0;
    return f->totals[i] / points;
}

static void write_text(char *out, const family *f, bool f64, size_t length, size_t count,
                       bool in_place)
{
    int used = snprintf(out, TEXT_SIZE, "%s:%s:", f->kind, f64 ? "f64" : "f32");
    for (int i = 0; i < f->rank; i++)
        used += snprintf(out + used, TEXT_SIZE - (size_t)used, "%s%zu", i ? "x" : "", length);
    if (count > 1)
        used += snprintf(out + used, TEXT_SIZE - (size_t)used, "*%zu", count);
    snprintf(out + used, TEXT_SIZE - (size_t)used, "%s", in_place ? ":inplace" : "");
}

/* A list being made: first only counted, then filled. */
typedef struct builder {
    bench_items *items; /* whose item is NULL while counting */
    const bench_filter *filter;
} builder;

static bool is_there(const bench_items *items, const char *text)
{
    for (int i = 0; i < items->count; i++)
        if (strcmp(items->item[i].text, text) == 0)
            return true;
    return false;
}

static void add(builder *b, const family *f, bool f64, bool in_place, size_t length, size_t count)
{
    size_t points = 1;
    for (int i = 0; i < f->rank; i++)
        points *= length;
    if (b->filter->largest && points * count > b->filter->largest)
        return;
    bench_items *list = b->items;
    if (list->item) {
        char *text = list->texts + (size_t)list->count * TEXT_SIZE;
        write_text(text, f, f64, length, count, in_place);
        if (is_there(list, text))
            return;
        list->item[list->count] = (bench_item){.text = text,
                                               .group = f->group,
                                               .bytes = points * count * (f64 ? 16 : 8),
                                               .judged = points >= f->judged_from};
    }
    list->count++;
}

/* Batches outermost, lengths innermost: the order of a table's rows and of a curve's points. */
static void add_family(builder *b, const family *f)
{
    for (int total = 0; total < MOST_TOTALS && (total == 0 || f->totals[total]); total++)
        for (int f64 = 0; f64 < 2; f64++)
            for (int in_place = 0; in_place < 2; in_place++) {
                if ((b->filter->precision != BENCH_ANY && b->filter->precision != f64)
                    || (b->filter->in_place != BENCH_ANY && b->filter->in_place != in_place))
                    continue;
                size_t length;
                for (int i = 0; (length = length_at(f, i)) != 0; i++) {
                    size_t count = batch_at(f, total, length);
                    if (count > 0)
                        add(b, f, f64, in_place, length, count);
                }
            }
}

static void add_suites(builder *b, const char *names)
{
    for (size_t length; *names; names += length + (names[length] == ',')) {
        length = strcspn(names, ",");
        const suite *s = find(names, length);
        for (const family *const *part = s ? s->parts : NULL; part && *part; part++)
            add_family(b, *part);
    }
}

bool bench_suite_make(bench_items *out, const char *names, const bench_filter *filter)
{
    builder b = {.items = out, .filter = filter};
    memset(out, 0, sizeof *out);
    add_suites(&b, names);
    size_t most = (size_t)out->count + 1; /* an empty list is a list, too */
    out->item = calloc(most, sizeof *out->item);
    out->texts = calloc(most, TEXT_SIZE);
    out->count = 0;
    if (out->item && out->texts)
        add_suites(&b, names);
    return out->item && out->texts;
}

bool bench_items_given(bench_items *out, char *const *problem, int count)
{
    memset(out, 0, sizeof *out);
    out->item = calloc((size_t)count + 1, sizeof *out->item);
    if (!out->item)
        return false;
    for (int i = 0; i < count; i++)
        out->item[out->count++] = (bench_item){.text = problem[i], .judged = true};
    return true;
}

void bench_items_free(bench_items *items)
{
    free(items->item);
    free(items->texts);
    memset(items, 0, sizeof *items);
}
