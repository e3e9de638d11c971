// SPDX-License-Identifier: BSD-3-Clause
/* Opens a machine: a unit string names a backend and what the backend opens. */
#include "sched/machine/machine.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem.h"
#include "core/quote.h"
#include "core/status.h"
#include "core/topology.h"
#include "sched/machine/costs.h"
#include "sched/machine/wisdom.h"

/* "cpu", "cpu:4", "cpu/worker", "ref". */
static const backend_table *find_backend(const char *units, const char **config)
{
    const size_t n = strcspn(units, ":/");

    *config = units[n] == ':' ? units + n + 1 : units[n] == '/' ? units + n : NULL;
    for (int i = 0; backend_tables[i]; i++)
        if (strlen(backend_tables[i]->name) == n && memcmp(backend_tables[i]->name, units, n) == 0)
            return backend_tables[i];
    return NULL;
}

/* The kind after the first in "cpu:4,fake:2,depth=3,ref", after its comma; NULL: there is none. A
 * comma within a kind's own text is not followed by the name of a backend. */
static const char *next_kind(const char *units)
{
    const char *config;

    for (const char *comma = strchr(units, ','); comma; comma = strchr(comma + 1, ',')) {
        char name[16];
        const size_t n = strcspn(comma + 1, ":/,");
        if (n >= sizeof name)
            continue;
        memcpy(name, comma + 1, n);
        name[n] = '\0';
        if (find_backend(name, &config))
            return comma + 1;
    }
    return NULL;
}

static sluice_status open_backend(sluice_machine *m, const sluice_machine_options *o,
                                  const char *units, const void *native, sluice_diag *why)
{
    backend_config config = {.native = native,
                             .local_store = o->local_store,
                             .callers = o->callers,
                             .large_callers = o->large_callers,
                             .log = &m->log};

    m->table = find_backend(units, &config.text);
    if (!m->table)
        return core_fail(
            why, SLUICE_E_INVALID, 0,
            "units '%s': expected cpu, cpu:N, cpu:N+openmp, cpu:N/fused, /worker, /helper, "
            "/measure, opencl, opencl:N, opencl:NAME, ref or all",
            core_quote(units, SIZE_MAX).text);
    const sluice_status status = m->table->discover->open(&m->backend, &config, why);
    if (status != SLUICE_OK)
        return status;
    m->units = m->table->discover->unit_count(m->backend);
    m->table->discover->unit_info(m->backend, 0, &m->unit0);
    m->table->discover->transfers(m->backend, &m->transfers);
    const int depth = m->table->team->depth ? m->table->team->depth(m->backend) : 0;
    if (depth > 0)
        m->gate = sched_gate_open(m->units, depth);
    return depth == 0 || m->gate ? SLUICE_OK : core_fail_memory(why);
}

/* SLUICE_PLAN_CACHE: bytes, only digits. */
static sluice_status read_plan_bytes(size_t *out, sluice_diag *why)
{
    static const size_t usual = (size_t)16 << 20;
    const char *text = getenv("SLUICE_PLAN_CACHE");
    char *end;

    *out = usual;
    if (!text || !*text)
        return SLUICE_OK;
    errno = 0;
    const unsigned long long bytes = strtoull(text, &end, 10);
    if (!isdigit((unsigned char)*text) || *end || errno || bytes > PTRDIFF_MAX)
        return core_fail(why, SLUICE_E_INVALID, 0, "SLUICE_PLAN_CACHE '%s': expected bytes",
                         core_quote(text, SIZE_MAX).text);
    *out = (size_t)bytes;
    return SLUICE_OK;
}

/* SLUICE_REPRODUCIBLE: 0 or 1. */
static sluice_status read_reproducible(bool *out, sluice_diag *why)
{
    const char *text = getenv("SLUICE_REPRODUCIBLE");

    *out = text && strcmp(text, "1") == 0;
    if (!text || !*text || *out || strcmp(text, "0") == 0)
        return SLUICE_OK;
    return core_fail(why, SLUICE_E_INVALID, 0, "SLUICE_REPRODUCIBLE '%s': expected 0 or 1",
                     core_quote(text, SIZE_MAX).text);
}

static void close_machine(sluice_machine *m)
{
    if (m->plans.drop)
        m->plans.drop(m);
    pthread_mutex_destroy(&m->plans.lock);
    if (m->backend)
        m->table->discover->close(m->backend);
    sched_gate_close(m->gate);
    sched_machine_release(m->next);
    sched_wisdom_free(m);
    sched_costs_free(m->costs);
    pthread_mutex_destroy(&m->wisdom_lock);
    core_fork_close(m->mark);
    core_free(m);
}

static sluice_status check_options(const sluice_machine_options *o, sluice_diag *why)
{
    for (size_t i = 0; i < sizeof o->reserved / sizeof o->reserved[0]; i++)
        if (o->reserved[i])
            return core_fail(why, SLUICE_E_INVALID, 0, "the options' reserved fields must be zero");
    if (o->callers < 0 || o->large_callers < 0 || o->callers > 4096 || o->large_callers > 4096)
        return core_fail(why, SLUICE_E_INVALID, 0, "callers must be 0 to 4096");
    return SLUICE_OK;
}

/* Opens units of one kind. */
static sluice_status open_kind(sluice_machine **out, const sluice_machine_options *o,
                               const char *units, const void *native, sluice_diag *why)
{
    sluice_machine *m = core_calloc(1, sizeof *m);

    if (!m)
        return core_fail_memory(why);
    atomic_init(&m->refcount, 1);
    pthread_mutex_init(&m->wisdom_lock, NULL);
    core_log_open(&m->log, o->log, o->log_user);
    m->mark = core_fork_open();
    pthread_mutex_init(&m->plans.lock, NULL);
    atomic_init(&m->generation, 0);
    sluice_status status =
        m->mark ? read_plan_bytes(&m->plans.max_bytes, why) : core_fail_memory(why);
    if (status == SLUICE_OK)
        status = read_reproducible(&m->reproducible, why);
    if (status == SLUICE_OK)
        status = open_backend(m, o, units, native, why);
    if (status == SLUICE_OK)
        *out = m;
    else
        close_machine(m);
    return status;
}

/* Opens the kinds of a text, which is modified. */
static sluice_status open_kinds(sluice_machine **out, const sluice_machine_options *o, char *units,
                                sluice_diag *why)
{
    char *rest = (char *)(uintptr_t)next_kind(units);

    if (rest)
        rest[-1] = '\0';
    sluice_status status = open_kind(out, o, units, NULL, why);
    if (status != SLUICE_OK || !rest)
        return status;
    status = open_kinds(&(*out)->next, o, rest, why);
    if (status != SLUICE_OK) {
        sched_machine_release(*out);
        *out = NULL;
    }
    return status;
}

static void number_units(sluice_machine *first)
{
    for (sluice_machine *m = first; m->next; m = m->next)
        m->next->first_unit = m->first_unit + m->units;
}

/* The number of the host's cores that a kind computes on. */
static int host_cores(const sluice_machine *m)
{
    return m->table->discover->host_cores ? m->table->discover->host_cores(m->backend) : 0;
}

/* Kinds that compute on cores of the host take part as long as there are cores for them. */
static sluice_status share_cores(sluice_machine *first, sluice_diag *why)
{
    core_topology *topology;
    int taken = host_cores(first);

    if (!first->next)
        return SLUICE_OK;
    const sluice_status status = core_topology_open(&topology, why);
    if (status != SLUICE_OK)
        return status;
    const int count = core_topology_count(topology);
    core_topology_close(topology);
    for (sluice_machine *m = first->next; m; m = m->next) {
        const int needed = host_cores(m);
        if (needed > 0 && taken + needed > count)
            snprintf(m->left_out, sizeof m->left_out,
                     "it would compute on %d of the host's %d cores, and %d are taken by kinds "
                     "before it",
                     needed, count, taken);
        else
            taken += needed;
    }
    return SLUICE_OK;
}

/* A copy of a unit string that may be modified; "all" becomes every kind that exists. NULL: out of
 * memory. */
static char *write_units(const char *units)
{
    core_text all = {0};

    if (strcmp(units, "all") != 0)
        return core_strdup(units);
    for (int i = 0; backend_tables[i]; i++)
        if (backend_tables[i]->discover->list)
            backend_tables[i]->discover->list(&all);
    if (all.failed) {
        core_text_free(&all);
        return NULL;
    }
    all.data[all.length - 1] = '\0'; /* the CPU always exists, so there is a trailing comma */
    return all.data;
}

sluice_status sched_machine_open(sluice_machine **out, const sluice_machine_options *options,
                                 sluice_diag *why)
{
    static const sluice_machine_options defaults;
    const sluice_machine_options *o = options ? options : &defaults;
    const char *units = o->units ? o->units : getenv("SLUICE_UNITS");

    *out = NULL;
    sluice_status status = check_options(o, why);
    if (status != SLUICE_OK)
        return status;
    char *text = write_units(units && *units ? units : "cpu");
    status = text ? open_kinds(out, o, text, why) : core_fail_memory(why);
    core_free(text);
    if (status == SLUICE_OK) {
        number_units(*out);
        status = share_cores(*out, why);
    }
    if (status != SLUICE_OK) {
        sched_machine_release(*out);
        *out = NULL;
    }
    return status;
}

sluice_status sched_machine_open_native(sluice_machine **out, const sluice_machine_options *options,
                                        const char *backend_name, const void *native,
                                        sluice_diag *why)
{
    static const sluice_machine_options defaults;
    const sluice_machine_options *o = options ? options : &defaults;
    const char *units = o->units ? o->units : backend_name;
    const size_t n = strlen(backend_name);
    const sluice_status status = check_options(o, why);

    *out = NULL;
    if (status != SLUICE_OK)
        return status;
    if (strncmp(units, backend_name, n) != 0 || (units[n] && units[n] != ':') || next_kind(units))
        return core_fail(why, SLUICE_E_INVALID, 0, "units '%s': expected %s with settings",
                         core_quote(units, SIZE_MAX).text, backend_name);
    return open_kind(out, o, units, native, why);
}

void sched_machine_retain(sluice_machine *m)
{
    atomic_fetch_add_explicit(&m->refcount, 1, memory_order_relaxed);
}

void sched_machine_release(sluice_machine *m)
{
    /* acq_rel: all other uses of the machine happened before it is closed. */
    if (m && atomic_fetch_sub_explicit(&m->refcount, 1, memory_order_acq_rel) == 1)
        close_machine(m);
}
