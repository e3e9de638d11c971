// SPDX-License-Identifier: BSD-3-Clause
#include "sched/machine/costs.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/quote.h"
#include "core/status.h"

/* A step has at most a few thousand instructions; beyond these something else was measured. */
static const double fewest_cycles = 0.01, most_cycles = 1e7;
static const char word[] = "codelet ";

static int count_of(const sluice_machine *m)
{
    return m->table->tuning ? m->table->tuning->count(m->backend) : 0;
}

static sched_costs *new_costs(const sluice_machine *m)
{
    return core_calloc(1, sizeof(sched_costs) + (size_t)count_of(m) * sizeof(double));
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
        sched_costs *older = newest->older;
        core_free(newest);
        newest = older;
    }
}

void sched_costs_adopt(sluice_machine *m, sched_costs_draft *draft)
{
    sched_costs *costs = draft->costs;
    const size_t count = (size_t)count_of(m);

    draft->costs = NULL;
    if (!costs)
        return;
    pthread_mutex_lock(&m->wisdom_lock);
    sched_costs *now = m->costs;
    for (size_t i = 0; i < count && now; i++)
        if (costs->cycles[i] == 0)
            costs->cycles[i] = now->cycles[i];
    /* The same again, as from a file that is read twice: nothing to keep. */
    const bool news = !now || memcmp(costs->cycles, now->cycles, count * sizeof(double)) != 0;
    if (news) {
        costs->older = now;
        m->costs = costs;
        atomic_fetch_add(&m->generation, 1);
    }
    pthread_mutex_unlock(&m->wisdom_lock);
    if (!news)
        core_free(costs);
}

sluice_status sched_costs_measure(sluice_machine *m, sluice_progress *progress, void *user,
                                  sluice_diag *why)
{
    if (count_of(m) == 0)
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                         "units of kind %s have no codelets to measure", m->table->name);
    sched_costs_draft draft = {.costs = new_costs(m)};
    if (!draft.costs)
        return core_fail_memory(why);
    const sluice_status status =
        m->table->tuning->measure(m->backend, draft.costs->cycles, progress, user, why);
    if (status == SLUICE_OK)
        sched_costs_adopt(m, &draft);
    core_free(draft.costs);
    return status;
}

/* ---- lines ---- */

bool sched_costs_is_line(const char *line)
{
    return strncmp(line, word, sizeof word - 1) == 0;
}

/* Digits, a point, digits: whatever the locale, and no nan, inf or sign. */
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
    return digits > 0 && *text == '\0' && *out >= fewest_cycles && *out <= most_cycles;
}

/* The kernel of a name, the likely one asked first; -1: there is none. */
static int find_kernel(const sluice_machine *m, const char *name, size_t length, int likely)
{
    const int count = count_of(m);
    sluice_codelet_info info;

    for (int i = 0; i < count; i++) {
        const int kernel = (likely + i) % count;
        m->table->tuning->describe(m->backend, kernel, &info);
        if (strlen(info.name) == length && memcmp(info.name, name, length) == 0)
            return kernel;
    }
    return -1;
}

sluice_status sched_costs_read(sluice_machine *m, sched_costs_draft *draft, const char *line,
                               sluice_diag *why)
{
    const char *name = line + sizeof word - 1;
    const size_t length = strcspn(name, " ");
    double cycles;

    if (length == 0 || name[length] == '\0')
        return core_fail(why, SLUICE_E_PARSE, 0, "expected codelet NAME CYCLES");
    const int kernel = find_kernel(m, name, length, draft->next);
    if (kernel < 0)
        return core_fail(why, SLUICE_E_PARSE, 0, "there is no codelet %s here",
                         core_quote(name, length).text);
    if (!read_cycles(name + length + 1, &cycles))
        return core_fail(why, SLUICE_E_PARSE, 0,
                         "codelet %s: '%s' is no number of cycles from %.2f to %.0f",
                         core_quote(name, length).text, core_quote(name + length + 1, 20).text,
                         fewest_cycles, most_cycles);
    if (!draft->costs)
        draft->costs = new_costs(m);
    if (!draft->costs)
        return core_fail_memory(why);
    draft->costs->cycles[kernel] = cycles;
    draft->next = kernel + 1;
    return SLUICE_OK;
}

void sched_costs_each(sluice_machine *m, sched_costs_tell *tell, void *user)
{
    const double *costs = sched_costs_now(m);
    const int count = costs ? count_of(m) : 0;

    for (int i = 0; i < count; i++) {
        const long long hundredths = (long long)(100 * costs[i] + 0.5);
        sluice_codelet_info info;
        char line[sizeof word + sizeof info.name + 24];
        if (hundredths == 0)
            continue;
        m->table->tuning->describe(m->backend, i, &info);
        snprintf(line, sizeof line, "%s%s %lld.%02lld", word, info.name, hundredths / 100,
                 hundredths % 100);
        tell(user, line);
    }
}
