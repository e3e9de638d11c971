// SPDX-License-Identifier: BSD-3-Clause
/* sluice.h: status, machine, problem, tuning, wisdom, memory. */
#include <stdio.h>
#include <string.h>

#include "api/sluice.h"
#include "core/mem.h"
#include "core/status.h"
#include "sched/machine/costs.h"
#include "sched/machine/machine.h"
#include "sched/machine/wisdom.h"
#include "sched/problem/problem.h"

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

const char *sluice_strerror(sluice_status status)
{
    return core_strerror(status);
}

const char *sluice_version(void)
{
    return TEXT(SLUICE_VERSION_MAJOR) "." TEXT(SLUICE_VERSION_MINOR) "." TEXT(SLUICE_VERSION_PATCH);
}

sluice_status sluice_machine_open(sluice_machine **out, const sluice_machine_options *options,
                                  sluice_diag *why)
{
    if (!out)
        return core_fail(why, SLUICE_E_INVALID, 0, "out is NULL");
    *out = NULL;
    return sched_machine_open(out, options, why);
}

void sluice_machine_close(sluice_machine *machine)
{
    sched_machine_release(machine);
}

int sluice_machine_unit_count(const sluice_machine *machine)
{
    int units = 0;

    for (const sluice_machine *m = machine; m; m = m->next)
        units += m->units;
    return units;
}

/* The kind that a unit belongs to; *unit becomes its number there. NULL: there is no such unit. */
static const sluice_machine *find_unit(const sluice_machine *machine, int *unit)
{
    if (*unit < 0)
        return NULL;
    for (; machine && *unit >= machine->units; machine = machine->next)
        *unit -= machine->units;
    return machine;
}

sluice_status sluice_machine_unit_info(const sluice_machine *machine, int unit,
                                       sluice_unit_info *out)
{
    const sluice_machine *kind = find_unit(machine, &unit);
    int number = unit;

    if (!kind || !out)
        return SLUICE_E_INVALID;
    kind->table->discover->unit_info(kind->backend, unit, out);
    for (const sluice_machine *m = machine; m != kind; m = m->next)
        number += m->table == kind->table ? m->units : 0;
    snprintf(out->name, sizeof out->name, "%s:%d", kind->table->name, number);
    return SLUICE_OK;
}

sluice_status sluice_machine_fault(const sluice_machine *machine, int unit, sluice_diag *out)
{
    const sluice_machine *kind = find_unit(machine, &unit);

    return kind ? kind->table->discover->fault(kind->backend, unit, out) : SLUICE_E_INVALID;
}

sluice_status sluice_problem_parse(sluice_problem *out, const char *text, sluice_diag *why)
{
    if (!out || !text)
        return core_fail(why, SLUICE_E_INVALID, 0, "out or text is NULL");
    return sched_problem_parse(out, text, why);
}

sluice_status sluice_problem_print(const sluice_problem *problem, char *text, size_t size)
{
    core_text line = {0};
    sluice_problem p;

    if (!problem || !text)
        return SLUICE_E_INVALID;
    p = *problem;
    sluice_status status = sched_problem_normalise(&p, NULL);
    if (status == SLUICE_OK)
        status = sched_problem_print(&p, &line);
    if (status == SLUICE_OK && line.length >= size)
        status = SLUICE_E_INVALID;
    if (status == SLUICE_OK)
        memcpy(text, line.data, line.length + 1);
    core_text_free(&line);
    return status;
}

int sluice_machine_codelet_count(const sluice_machine *machine)
{
    int count = 0;

    for (const sluice_machine *m = machine; m; m = m->next)
        count += sched_codelet_count(m);
    return count;
}

sluice_status sluice_machine_codelet_info(const sluice_machine *machine, int codelet,
                                          sluice_codelet_info *out)
{
    if (!out || codelet < 0 || codelet >= sluice_machine_codelet_count(machine))
        return SLUICE_E_INVALID;
    const sluice_machine *kind = machine;
    for (; codelet >= sched_codelet_count(kind); kind = kind->next)
        codelet -= sched_codelet_count(kind);
    kind->table->tuning->describe(kind->backend, codelet, out);
    /* Only the lock is changed, hence the cast. */
    const double *costs = sched_costs_now((sluice_machine *)(uintptr_t)kind);
    out->measured = costs ? costs[codelet] : 0;
    return SLUICE_OK;
}

sluice_status sluice_machine_tune(sluice_machine *machine, const sluice_tune_options *options,
                                  sluice_diag *why)
{
    static const sluice_tune_options defaults;
    const sluice_tune_options *o = options ? options : &defaults;

    if (!machine)
        return core_fail(why, SLUICE_E_INVALID, 0, "machine is NULL");
    for (size_t i = 0; i < sizeof o->reserved / sizeof o->reserved[0]; i++)
        if (o->reserved[i])
            return core_fail(why, SLUICE_E_INVALID, 0, "the options' reserved fields must be zero");
    return sched_costs_measure(machine, o->progress, o->user, why);
}

sluice_status sluice_wisdom_save(const sluice_machine *machine, const char *path)
{
    if (!machine || !path)
        return SLUICE_E_INVALID;
    /* Only the lock is changed, hence the cast. */
    return sched_wisdom_save((sluice_machine *)(uintptr_t)machine, path);
}

sluice_status sluice_wisdom_load(sluice_machine *machine, const char *path, sluice_diag *why)
{
    if (!machine || !path)
        return core_fail(why, SLUICE_E_INVALID, 0, "machine or path is NULL");
    return sched_wisdom_load(machine, path, why);
}

void *sluice_alloc(size_t bytes)
{
    return core_aligned_alloc(bytes);
}

void sluice_free(void *block)
{
    core_aligned_free(block);
}
