// SPDX-License-Identifier: BSD-3-Clause
/* Makes problem strings from the table of suites. */
#include "bench/suites/bench_suite_table.h"

#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 96 };

static const bench_suite *find_suite(const char *name, size_t length)
{
    for (const bench_suite *s = bench_suites; s->name; s++)
        if (strlen(s->name) == length && memcmp(s->name, name, length) == 0)
            return s;
    return NULL;
}

/* Returns the first suite of a list of names and advances the list to the next name. */
static const bench_suite *next_suite(const char **names)
{
    size_t length = strcspn(*names, ",");
    const bench_suite *s = find_suite(*names, length);
    *names += length + ((*names)[length] == ',');
    return s;
}

bool bench_suite_known(const char *name, size_t length)
{
    return find_suite(name, length) != NULL;
}

void bench_suite_help(FILE *file)
{
    for (const bench_suite *s = bench_suites; s->name; s++)
        fprintf(file, "  %-14s %s\n", s->name, s->description);
}

bool bench_suite_doubles(const char *names)
{
    bool doubles = false;
    while (*names) {
        const bench_suite *s = next_suite(&names);
        doubles = doubles || (s && s->doubling);
    }
    return doubles;
}

const bench_figure *bench_suite_figure(const char *group)
{
    for (const bench_suite *s = bench_suites; s->name; s++)
        for (const bench_family *const *part = s->parts; *part; part++)
            if (strcmp((*part)->group, group) == 0)
                return (*part)->figure;
    return NULL;
}

/* The i-th length, 0 after the last. */
static size_t length_at(const bench_family *f, int i)
{
    if (f->lengths)
        return f->lengths[i];
    size_t length = f->first << i; /* 0 where a family has shapes alone */
    return length <= f->last ? length : 0;
}

/* Writes the i-th worker count that has a problem of its own; 0: all counts share one problem.
 * False after the last. */
static bool workers_at(int *workers, const bench_family *f, const bench_filter *filter, int i)
{
    *workers = 0;
    if (f->counts == BENCH_COUNTS_ALL)
        return i == 0;
    for (int k = 0; k < filter->worker_counts; k++)
        if ((filter->workers[k] == 1) == (f->counts == BENCH_COUNTS_ONE) && i-- == 0) {
            *workers = filter->workers[k];
            return true;
        }
    return false;
}

/* One problem of a family. */
typedef struct choice {
    const bench_family *family;
    bool f64, in_place;
    const char *shape; /* sizes as text; NULL: of length and count */
    size_t length, count;
    int workers;
} choice;

/* The product of a shape's sizes up to `end`, a character or 0; strides do not count. */
static size_t shape_product(const char *shape, char end)
{
    size_t points = 1;
    while (*shape && *shape != end) {
        points *= (size_t)strtoull(shape, NULL, 10);
        shape += strcspn(shape, "x*");
        shape += *shape && *shape != end;
    }
    return points;
}

static size_t choice_points(const choice *c)
{
    size_t points = 1;
    if (c->shape)
        return shape_product(c->shape, '*');
    for (int i = 0; i < c->family->rank; i++)
        points *= c->length;
    return points;
}

static size_t choice_total(const choice *c)
{
    return c->shape ? shape_product(c->shape, 0) : choice_points(c) * c->count;
}

static bool is_cyclic(const bench_family *f)
{
    return f->in_rows > 0;
}

/* Do all workers have the same number of columns? */
static bool can_be_distributed(const choice *c)
{
    const bench_family *f = c->family;
    size_t points = choice_points(c), parts = (size_t)c->workers;
    return !is_cyclic(f)
           || (points % (f->in_rows * parts) == 0 && points % (f->out_rows * parts) == 0);
}

/* Returns the end of the text. */
static char *write_sizes(char *out, const char *end, const choice *c)
{
    if (c->shape)
        return out + snprintf(out, (size_t)(end - out), "%s", c->shape);
    for (int i = 0; i < c->family->rank; i++)
        out += snprintf(out, (size_t)(end - out), "%s%zu", i ? "x" : "", c->length);
    if (c->count > 1)
        out += snprintf(out, (size_t)(end - out), "*%zu", c->count);
    return out;
}

static void write_problem(char *out, const choice *c)
{
    const bench_family *f = c->family;
    char *end = out + TEXT_SIZE;
    out += snprintf(out, TEXT_SIZE, "%s:%s:", f->kind, c->f64 ? "f64" : "f32");
    out = write_sizes(out, end, c);
    out += snprintf(out, (size_t)(end - out), "%s%s", c->in_place ? ":inplace" : "",
                    f->options ? f->options : "");
    if (is_cyclic(f)) {
        size_t columns = choice_points(c) / (size_t)c->workers;
        snprintf(out, (size_t)(end - out), ":in_cyclic=%zu/%d:out_cyclic=%zu/%d",
                 columns / f->in_rows, c->workers, columns / f->out_rows, c->workers);
    }
}

/* A list under construction: first its items are counted, then it is filled. */
typedef struct builder {
    bench_items *items; /* items->item is NULL while counting */
    const bench_filter *filter;
} builder;

static bool is_listed(const bench_items *items, const bench_item *item)
{
    for (int i = 0; i < items->count; i++)
        if (items->item[i].workers == item->workers && strcmp(items->item[i].text, item->text) == 0
            && strcmp(items->item[i].group, item->group) == 0)
            return true;
    return false;
}

static void add_problem(builder *b, const choice *c)
{
    size_t points = choice_points(c), total = choice_total(c);
    bench_items *list = b->items;
    if ((b->filter->largest && total > b->filter->largest) || !can_be_distributed(c))
        return;
    if (list->item) {
        char *text = list->texts + (size_t)list->count * TEXT_SIZE;
        write_problem(text, c);
        bench_item item = {.text = text,
                           .group = c->family->group,
                           .workers = c->workers,
                           .bytes = total * (c->f64 ? 16 : 8),
                           .in_summary = points >= c->family->in_summary_from};
        if (is_listed(list, &item))
            return;
        list->item[list->count] = item;
    }
    list->count++;
}

/* Adds problems that differ in length only. */
static void add_lengths(builder *b, choice c, size_t total)
{
    for (int i = 0; (c.length = length_at(c.family, i)) != 0; i++) {
        c.count = total ? total / c.length : 1;
        if (c.count > 0)
            add_problem(b, &c);
    }
}

static void add_shapes(builder *b, choice c)
{
    for (int i = 0; c.family->shapes && (c.shape = c.family->shapes[i]) != NULL; i++)
        add_problem(b, &c);
}

static bool is_omitted(const builder *b, const choice *c)
{
    const bench_filter *filter = b->filter;
    return (c->family->only_f32 && c->f64) || (c->family->only_out && c->in_place)
           || (filter->precision != BENCH_ANY && filter->precision != c->f64)
           || (filter->in_place != BENCH_ANY && filter->in_place != c->in_place);
}

/* The loops over worker counts and batches are outermost, the loop over lengths is innermost: the
 * order of a table's rows and of a curve's points. */
static void add_family(builder *b, const bench_family *f)
{
    choice c = {.family = f};
    for (int w = 0; workers_at(&c.workers, f, b->filter, w); w++)
        for (int total = 0; total == 0 || f->totals[total]; total++)
            for (int kind = 0; kind < 4; kind++) {
                c.f64 = kind / 2;
                c.in_place = kind % 2;
                if (is_omitted(b, &c))
                    continue;
                add_lengths(b, c, f->totals[total]);
                if (total == 0)
                    add_shapes(b, c);
            }
}

static void add_suites(builder *b, const char *names)
{
    while (*names) {
        const bench_suite *s = next_suite(&names);
        for (const bench_family *const *part = s ? s->parts : NULL; part && *part; part++)
            add_family(b, *part);
    }
}

bool bench_suite_make(bench_items *out, const char *names, const bench_filter *filter)
{
    builder b = {.items = out, .filter = filter};
    memset(out, 0, sizeof *out);
    add_suites(&b, names);
    size_t capacity = (size_t)out->count + 1; /* not 0, for which calloc may return NULL */
    out->item = calloc(capacity, sizeof *out->item);
    out->texts = calloc(capacity, TEXT_SIZE);
    out->count = 0;
    if (out->item && out->texts)
        add_suites(&b, names);
    return out->item && out->texts;
}

bool bench_items_from_arguments(bench_items *out, char *const *problem, int count)
{
    memset(out, 0, sizeof *out);
    out->item = calloc((size_t)count + 1, sizeof *out->item);
    if (!out->item)
        return false;
    for (int i = 0; i < count; i++)
        out->item[out->count++] = (bench_item){.text = problem[i], .in_summary = true};
    return true;
}

void bench_items_free(bench_items *items)
{
    free(items->item);
    free(items->texts);
    memset(items, 0, sizeof *items);
}
