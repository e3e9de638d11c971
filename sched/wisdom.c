// SPDX-License-Identifier: BSD-3-Clause
/* Wisdom: formulas that measuring chose and what codelets cost, kept per machine and in files.
 *
 *   sluice-wisdom 1 VERSION SIGNATURE
 *   codelet NAME CYCLES
 *   ...
 *   PROBLEM := FORMULA
 *   ...
 * A file whose first line differs from this machine's is rejected as a whole; a line that does not
 * parse, or names a codelet that is not there, is rejected alone. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "core/file.h"
#include "core/mem.h"
#include "core/quote.h"
#include "core/status.h"
#include "sched/costs.h"
#include "sched/problem.h"
#include "sched/wisdom.h"
#include "spl/spl.h"

static sched_wisdom *find(sluice_machine *m, const char *problem)
{
    for (size_t i = 0; i < m->wisdom_count; i++)
        if (strcmp(m->wisdom[i].problem, problem) == 0)
            return &m->wisdom[i];
    return NULL;
}

char *sched_wisdom_find(sluice_machine *m, const char *problem)
{
    pthread_mutex_lock(&m->wisdom_lock);
    const sched_wisdom *w = find(m, problem);
    char *formula = w ? core_strdup(w->formula) : NULL;
    pthread_mutex_unlock(&m->wisdom_lock);
    return formula;
}

static bool make_room(sluice_machine *m)
{
    if (m->wisdom_count < m->wisdom_capacity)
        return true;
    const size_t capacity = m->wisdom_capacity ? 2 * m->wisdom_capacity : 16;
    sched_wisdom *larger = core_realloc(m->wisdom, capacity * sizeof *larger);
    if (!larger)
        return false;
    m->wisdom = larger;
    m->wisdom_capacity = capacity;
    return true;
}

sluice_status sched_wisdom_keep(sluice_machine *m, const char *problem, const char *formula)
{
    char *key = core_strdup(problem), *value = core_strdup(formula);
    bool kept = false;

    pthread_mutex_lock(&m->wisdom_lock);
    sched_wisdom *w = find(m, problem);
    if (key && value && w) {
        char *old = w->formula;
        w->formula = value;
        value = old;
        kept = true;
    } else if (key && value && make_room(m)) {
        m->wisdom[m->wisdom_count++] = (sched_wisdom){.problem = key, .formula = value};
        key = value = NULL;
        kept = true;
    }
    pthread_mutex_unlock(&m->wisdom_lock);
    core_free(key);
    core_free(value);
    return kept ? SLUICE_OK : SLUICE_E_MEMORY;
}

static void signature(const sluice_machine *m, core_text *out)
{
    core_text_printf(out, "sluice-wisdom 1 %d.%d.%d ", SLUICE_VERSION_MAJOR, SLUICE_VERSION_MINOR,
                     SLUICE_VERSION_PATCH);
    m->table->discover->signature(m->backend, out);
}

sluice_status sched_wisdom_save(sluice_machine *m, const char *path)
{
    core_text text = {0};

    signature(m, &text);
    core_text_printf(&text, "\n");
    sched_costs_print(m, &text);
    pthread_mutex_lock(&m->wisdom_lock);
    for (size_t i = 0; i < m->wisdom_count; i++)
        core_text_printf(&text, "%s := %s\n", m->wisdom[i].problem, m->wisdom[i].formula);
    pthread_mutex_unlock(&m->wisdom_lock);
    const sluice_status status =
        text.failed ? SLUICE_E_MEMORY : core_file_write(path, text.data, text.length);
    core_text_free(&text);
    return status;
}

/* Does the line parse, problem and formula? Keeps it. */
static sluice_status accept(sluice_machine *m, char *line, sluice_diag *why)
{
    char *colon = strstr(line, " := ");
    sluice_problem p;
    const spl *formula = NULL;

    if (!colon)
        return core_fail(why, SLUICE_E_PARSE, 0, "expected PROBLEM := FORMULA");
    *colon = '\0';
    sluice_status status = sched_problem_parse(&p, line, why);
    spl_ctx *ctx = status == SLUICE_OK ? spl_ctx_open() : NULL;
    if (status == SLUICE_OK && !ctx)
        status = core_fail_memory(why);
    if (status == SLUICE_OK)
        status = spl_parse(ctx, colon + 4, &formula, why);
    spl_ctx_close(ctx);
    if (status == SLUICE_OK)
        status = sched_wisdom_keep(m, line, colon + 4);
    return status;
}

/* A file being read. */
typedef struct loader {
    sluice_machine *machine;
    sched_costs_draft costs;
    size_t rejected, first_rejected; /* lines; the number of the first */
    sluice_diag first;               /* why */
} loader;

/* Keeps the line or counts it as rejected. E_MEMORY. */
static sluice_status load_line(loader *l, char *line, size_t number)
{
    sluice_diag reason = {0};
    sluice_status status = SLUICE_OK;

    if (*line == '#' || *line == '\0')
        return SLUICE_OK;
    if (sched_costs_is_line(line))
        status = sched_costs_read(l->machine, &l->costs, line, &reason);
    else
        status = accept(l->machine, line, &reason);
    if (status == SLUICE_OK || status == SLUICE_E_MEMORY)
        return status;
    if (l->rejected++ == 0) {
        l->first_rejected = number;
        l->first = reason;
    }
    return SLUICE_OK;
}

static sluice_status load_lines(loader *l, char *text, const char *expected, sluice_diag *why)
{
    sluice_status status = SLUICE_OK;
    size_t number = 1;
    char *next = strchr(text, '\n');

    if (next)
        *next++ = '\0';
    if (strcmp(text, expected) != 0)
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "wisdom of another machine or version: '%s', here '%.90s'",
                         core_quote(text, SIZE_MAX).text, expected);
    for (char *line = next; line && status == SLUICE_OK; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        status = load_line(l, line, ++number);
    }
    sched_costs_adopt(l->machine, &l->costs);
    if (status != SLUICE_OK)
        return core_fail_memory(why);
    if (l->rejected == 0)
        return SLUICE_OK;
    return core_fail(why, SLUICE_E_PARSE, l->first_rejected,
                     "%zu lines rejected, line %zu first: %.160s", l->rejected, l->first_rejected,
                     l->first.message);
}

/* The whole file as a string. */
static sluice_status read_file(const char *path, core_text *out, sluice_diag *why)
{
    char chunk[4096];
    size_t n;
    FILE *file = fopen(path, "r");

    if (!file)
        return core_fail(why, SLUICE_E_IO, 0, "%.100s: %s", path, strerror(errno));
    while ((n = fread(chunk, 1, sizeof chunk, file)) > 0)
        core_text_add(out, chunk, n);
    const bool failed = ferror(file) != 0;
    fclose(file);
    if (failed)
        return core_fail(why, SLUICE_E_IO, 0, "%.100s: cannot be read", path);
    if (out->failed)
        return core_fail_memory(why);
    if (out->length == 0)
        return core_fail(why, SLUICE_E_PARSE, 0, "%.100s: empty", path);
    return SLUICE_OK;
}

sluice_status sched_wisdom_load(sluice_machine *m, const char *path, sluice_diag *why)
{
    core_text text = {0}, expected = {0};
    loader l = {.machine = m};

    sluice_status status = read_file(path, &text, why);
    if (status == SLUICE_OK) {
        signature(m, &expected);
        status =
            expected.failed ? core_fail_memory(why) : load_lines(&l, text.data, expected.data, why);
    }
    core_text_free(&text);
    core_text_free(&expected);
    return status;
}
