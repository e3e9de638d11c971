// SPDX-License-Identifier: BSD-3-Clause
#include "bench/tuning/bench_choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/engine/bench_sluice.h"

/* ---- what a plan prints */

static sluice_status collect(void *user, const char *text, size_t length)
{
    return fwrite(text, 1, length, user) == length ? SLUICE_OK : SLUICE_E_MEMORY;
}

/* A level of the plan as text, freed by the caller; NULL: there is none, or memory ran out. */
static char *print_level(const sluice_plan *plan, sluice_level level)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    const sluice_status status = sluice_plan_print(plan, level, collect, out);
    if (fclose(out) == 0 && status == SLUICE_OK)
        return text;
    free(text);
    return NULL;
}

/* The number after a key of a JSON line; 0: there is none. */
static double number_of(const char *line, const char *key)
{
    const char *at = strstr(line, key);
    return at ? strtod(at + strlen(key), NULL) : 0;
}

static void read_kernel(bench_choice *c, const char *line)
{
    if (!strstr(line, "\"groups\":") || c->kernels == BENCH_CHOICE_KERNELS)
        return;
    c->kernel[c->kernels++] =
        (bench_kernel){.groups = number_of(line, "\"groups\":"),
                       .items = number_of(line, "\"items\":"),
                       .registers = number_of(line, "\"registers\":"),
                       .local_bytes = number_of(line, "\"local_bytes\":"),
                       .groups_of_unit = number_of(line, "\"groups_of_unit\":"),
                       .occupancy = number_of(line, "\"occupancy\":")};
}

/* Reads the text in between of "DFT(1024) chosen radices 32*32, predicted ..". */
static void read_radices(bench_choice *c, const char *line)
{
    static const char before[] = "radices ";
    const char *from =
        strstr(line, " chosen ") && !strstr(line, " not chosen ") ? strstr(line, before) : NULL;
    const size_t used = strlen(c->radices);
    if (!from)
        return;
    from += strlen(before);
    snprintf(c->radices + used, sizeof c->radices - used, "%s%.*s", used ? " " : "",
             (int)strcspn(from, ","), from);
}

static void read_line(bench_choice *c, const char *line)
{
    if (line[0] == '#')
        read_radices(c, line);
    else if (!c->formula)
        c->formula = strdup(line);
}

static void read_level(bench_choice *c, sluice_level level,
                       void (*read)(bench_choice *c, const char *line))
{
    char *text = print_level(c->engine.state, level), *rest = NULL;
    for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line;
         line = strtok_r(NULL, "\n", &rest))
        read(c, line);
    free(text);
}

sluice_status bench_choice_open(bench_choice *c, sluice_machine *machine,
                                const sluice_problem *problem, sluice_effort effort,
                                sluice_diag *why)
{
    *c = (bench_choice){.kernels = 0};
    const sluice_status status = bench_sluice_open(&c->engine, machine, problem, effort, why);
    if (status != SLUICE_OK)
        return status;
    read_level(c, SLUICE_LEVEL_FORMULA, read_line);
    read_level(c, SLUICE_LEVEL_COUNTS, read_kernel);
    return c->formula ? SLUICE_OK : SLUICE_E_MEMORY;
}

void bench_choice_close(bench_choice *c)
{
    if (c->engine.calls)
        bench_engine_close(&c->engine);
    free(c->formula);
    *c = (bench_choice){.kernels = 0};
}
