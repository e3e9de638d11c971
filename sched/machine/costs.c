// SPDX-License-Identifier: BSD-3-Clause
#include "sched/machine/costs.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/quote.h"
#include "core/status.h"

/* A step has at most a few thousand instructions; values outside these limits are wrong
 * measurements. */
static const double min_cycles = 0.01, max_cycles = 1e7;
/* Limit of figures: bytes of a level, picoseconds of a line or a call. */
static const double max_figure = 1e15;
static const char word[] = "codelet ", unit_word[] = "unit ";

int sched_codelet_count(const sluice_machine *m)
{
    return m->table->tuning ? m->table->tuning->count(m->backend) : 0;
}

/* Bytes of the costs of all kernels and of the unit. */
static size_t size_of(const sluice_machine *m)
{
    return ((size_t)sched_codelet_count(m) + PRICE_FIGURES) * sizeof(double);
}

static sched_costs *new_costs(const sluice_machine *m)
{
    return core_calloc(1, sizeof(sched_costs) + size_of(m));
}

const double *sched_costs_now(sluice_machine *m)
{
    pthread_mutex_lock(&m->wisdom_lock);
    const sched_costs *now = m->costs;
    pthread_mutex_unlock(&m->wisdom_lock);
    return now ? now->cycles : NULL;
}

void sched_costs_free(sched_costs *newest)
{
    while (newest) {
        sched_costs *previous = newest->previous;
        core_free(newest);
        newest = previous;
    }
}

void sched_costs_publish(sluice_machine *m, sched_costs_reader *reader)
{
    sched_costs *costs = reader->costs;
    const size_t count = (size_t)sched_codelet_count(m);

    reader->costs = NULL;
    if (!costs)
        return;
    pthread_mutex_lock(&m->wisdom_lock);
    sched_costs *now = m->costs;
    for (size_t i = 0; i < count && now; i++)
        if (costs->cycles[i] == 0)
            costs->cycles[i] = now->cycles[i];
    if (now && costs->cycles[count + PRICE_L1] == 0)
        memcpy(costs->cycles + count, now->cycles + count, PRICE_FIGURES * sizeof(double));
    /* Equal costs, as from a file that is read twice, are dropped. */
    const bool news = !now || memcmp(costs->cycles, now->cycles, size_of(m)) != 0;
    if (news) {
        costs->previous = now;
        m->costs = costs;
        atomic_fetch_add(&m->generation, 1);
    }
    pthread_mutex_unlock(&m->wisdom_lock);
    if (!news)
        core_free(costs);
}

/* Progress over all kinds. */
typedef struct kinds_progress {
    sluice_progress *progress; /* may be NULL */
    void *user;
    size_t kind, kinds;
} kinds_progress;

static sluice_status report_progress(void *user, size_t done, size_t total)
{
    const kinds_progress *p = user;

    return p->progress ? p->progress(p->user, p->kind * total + done, p->kinds * total) : SLUICE_OK;
}

/* Measures this kind and those after it; publishes once all are measured. */
static sluice_status measure_from(sluice_machine *m, kinds_progress *p, sluice_diag *why)
{
    if (!m)
        return SLUICE_OK;
    if (sched_codelet_count(m) == 0)
        return measure_from(m->next, p, why);
    sched_costs_reader reader = {.costs = new_costs(m)};
    if (!reader.costs)
        return core_fail_memory(why);
    sluice_status status =
        m->table->tuning->measure(m->backend, reader.costs->cycles, report_progress, p, why);
    p->kind++;
    if (status == SLUICE_OK)
        status = measure_from(m->next, p, why);
    if (status == SLUICE_OK)
        sched_costs_publish(m, &reader);
    core_free(reader.costs);
    return status;
}

sluice_status sched_costs_measure(sluice_machine *machine, sluice_progress *progress, void *user,
                                  sluice_diag *why)
{
    kinds_progress p = {.progress = progress, .user = user};

    for (const sluice_machine *m = machine; m; m = m->next)
        p.kinds += sched_codelet_count(m) > 0;
    if (p.kinds == 0)
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                         "units of kind %s have no codelets to measure", machine->table->name);
    return measure_from(machine, &p, why);
}

/* ---- lines ---- */

bool sched_costs_is_line(const char *line)
{
    return strncmp(line, word, sizeof word - 1) == 0
           || strncmp(line, unit_word, sizeof unit_word - 1) == 0;
}

/* NAME=NUMBER for every figure, in order; whole numbers, and capacities must not be 0. */
static sluice_status read_unit(double *figure, const char *text, sluice_diag *why)
{
    for (int i = 0; i < PRICE_FIGURES; i++) {
        const size_t length = strlen(price_figure_names[i]);
        int digits = 0;
        double value = 0;
        if (strncmp(text, price_figure_names[i], length) == 0 && text[length] == '=')
            for (text += length + 1; isdigit((unsigned char)*text) && digits < 16; digits++)
                value = 10 * value + (*text++ - '0');
        if (digits == 0 || *text != (i == PRICE_FIGURES - 1 ? '\0' : ' ') || value > max_figure
            || (i <= PRICE_L3 && value == 0))
            return core_fail(why, SLUICE_E_PARSE, 0,
                             "unit: expected %s=NUMBER, a whole one up to %.0e, found '%s'",
                             price_figure_names[i], max_figure, core_quote(text, 30).text);
        figure[i] = value;
        text++;
    }
    return SLUICE_OK;
}

/* Digits, a point, digits; independent of the locale, without nan, inf or sign. */
static bool read_cycles(const char *text, double *out)
{
    double value = 0, unit = 1;
    int digits = 0;

    for (; isdigit((unsigned char)*text) && digits < 12; text++, digits++)
        value = 10 * value + (*text - '0');
    if (digits > 0 && *text == '.')
        for (text++; isdigit((unsigned char)*text) && digits < 15; text++, digits++) {
            value = 10 * value + (*text - '0');
            unit *= 10;
        }
    *out = value / unit;
    return digits > 0 && *text == '\0' && *out >= min_cycles && *out <= max_cycles;
}

/* The kernel with this name, searched from `likely` on; -1: there is none. */
static int find_kernel(const sluice_machine *m, const char *name, size_t length, int likely)
{
    const int count = sched_codelet_count(m);
    sluice_codelet_info info;

    for (int i = 0; i < count; i++) {
        const int kernel = (likely + i) % count;
        m->table->tuning->describe(m->backend, kernel, &info);
        if (strlen(info.name) == length && memcmp(info.name, name, length) == 0)
            return kernel;
    }
    return -1;
}

/* Allocates the costs that lines are read into. */
static sluice_status open_reader(const sluice_machine *m, sched_costs_reader *reader,
                                 sluice_diag *why)
{
    if (!reader->costs)
        reader->costs = new_costs(m);
    return reader->costs ? SLUICE_OK : core_fail_memory(why);
}

static sluice_status read_kernel(const sluice_machine *m, sched_costs_reader *reader,
                                 const char *name, sluice_diag *why)
{
    const size_t length = strcspn(name, " ");
    double cycles;

    if (length == 0 || name[length] == '\0')
        return core_fail(why, SLUICE_E_PARSE, 0, "expected codelet NAME CYCLES");
    const int kernel = find_kernel(m, name, length, reader->next);
    if (kernel < 0)
        return core_fail(why, SLUICE_E_PARSE, 0, "there is no codelet %s here",
                         core_quote(name, length).text);
    if (!read_cycles(name + length + 1, &cycles))
        return core_fail(why, SLUICE_E_PARSE, 0,
                         "codelet %s: '%s' is no number of cycles from %.2f to %.0f",
                         core_quote(name, length).text, core_quote(name + length + 1, 20).text,
                         min_cycles, max_cycles);
    if (open_reader(m, reader, why) != SLUICE_OK)
        return SLUICE_E_MEMORY;
    reader->costs->cycles[kernel] = cycles;
    reader->next = kernel + 1;
    return SLUICE_OK;
}

sluice_status sched_costs_read(sluice_machine *m, sched_costs_reader *reader, const char *line,
                               sluice_diag *why)
{
    double figure[PRICE_FIGURES];

    if (strncmp(line, word, sizeof word - 1) == 0)
        return read_kernel(m, reader, line + sizeof word - 1, why);
    if (sched_codelet_count(m) == 0)
        return core_fail(why, SLUICE_E_PARSE, 0, "units of kind %s have no figures",
                         m->table->name);
    sluice_status status = read_unit(figure, line + sizeof unit_word - 1, why);
    if (status == SLUICE_OK)
        status = open_reader(m, reader, why);
    if (status == SLUICE_OK)
        memcpy(reader->costs->cycles + sched_codelet_count(m), figure, sizeof figure);
    return status;
}

static void visit_unit(const double *figure, sched_costs_visit *visit, void *user)
{
    char line[sizeof unit_word + PRICE_FIGURES * 40];
    size_t used = (size_t)snprintf(line, sizeof line, "unit");

    if (figure[PRICE_L1] == 0)
        return;
    for (int i = 0; i < PRICE_FIGURES; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, " %s=%.0f", price_figure_names[i],
                                 figure[i]);
    visit(user, line);
}

void sched_costs_each(sluice_machine *m, sched_costs_visit *visit, void *user)
{
    const double *costs = sched_costs_now(m);
    const int count = costs ? sched_codelet_count(m) : 0;

    if (count > 0)
        visit_unit(costs + count, visit, user);
    for (int i = 0; i < count; i++) {
        const long long hundredths = (long long)(100 * costs[i] + 0.5);
        sluice_codelet_info info;
        char line[sizeof word + sizeof info.name + 24];
        if (hundredths == 0)
            continue;
        m->table->tuning->describe(m->backend, i, &info);
        snprintf(line, sizeof line, "%s%s %lld.%02lld", word, info.name, hundredths / 100,
                 hundredths % 100);
        visit(user, line);
    }
}
