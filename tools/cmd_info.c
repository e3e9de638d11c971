// SPDX-License-Identifier: BSD-3-Clause
/* sluice info: the units and the copy bandwidth of the machine. */
#include <stdio.h>

#include "tools/bandwidth.h"
#include "tools/record.h"
#include "tools/tool.h"

static const tool_option options[] = {{0}};

static const char *unit_kind_name(sluice_unit_kind kind)
{
    switch (kind) {
    case SLUICE_UNIT_CPU: return "cpu";
    case SLUICE_UNIT_REF: return "ref";
    case SLUICE_UNIT_FAKE: return "fake";
    case SLUICE_UNIT_OPENCL: return "opencl";
    }
    return "unknown";
}

static void print_device(record *r, const sluice_unit_info *u)
{
    record_integer(r, "compute_units", u->compute_units);
    record_integer(r, "groups", u->groups);
    record_integer(r, "largest_group", (long long)u->largest_group);
    record_integer(r, "local_memory", (long long)u->local_memory);
    record_integer(r, "memory", (long long)u->memory);
    record_integer(r, "shares_memory", u->shares_memory);
    record_integer(r, "has_f64", u->has_f64);
    record_integer(r, "has_f16", u->has_f16);
}

static void print_unit(bool json, const sluice_unit_info *u)
{
    record r = record_open(json, "unit", u->name);
    record_text(&r, "kind", unit_kind_name(u->kind));
    record_text(&r, "isa", u->isa);
    record_integer(&r, "os_index", u->os_index);
    record_integer(&r, "numa_node", u->numa_node);
    record_integer(&r, "l1", (long long)u->l1);
    record_integer(&r, "l2", (long long)u->l2);
    record_integer(&r, "l3", (long long)u->l3);
    record_integer(&r, "line", (long long)u->line);
    record_integer(&r, "local_store", (long long)u->local_store);
    record_integer(&r, "lanes_f32", u->lanes_f32);
    record_integer(&r, "lanes_f64", u->lanes_f64);
    if (u->kind == SLUICE_UNIT_OPENCL)
        print_device(&r, u);
    record_close(&r);
}

static void print_bandwidth(bool json, int threads)
{
    double rate = bandwidth_measure(&threads);
    if (rate < 0) {
        complain("there is no memory to measure the copy bandwidth");
        return;
    }
    record r = record_open(json, "measured", "copy");
    record_integer(&r, "threads", threads);
    record_real(&r, "gbytes_s", rate); /* read and written, 10^9 bytes per second */
    record_close(&r);
}

static int print_info(session *s, const arguments *args)
{
    (void)args; /* the command has none */
    int code = session_open(s);
    if (code)
        return code;
    int units = sluice_machine_unit_count(s->machine), cores = 0;
    for (int i = 0; i < units; i++) {
        sluice_unit_info unit = {0};
        sluice_status status = sluice_machine_unit_info(s->machine, i, &unit);
        if (status != SLUICE_OK)
            return refuse(status, "cannot describe a unit", NULL);
        print_unit(s->json, &unit);
        cores += unit.kind == SLUICE_UNIT_CPU;
    }
    print_bandwidth(s->json, 1);
    if (cores > 1)
        print_bandwidth(s->json, cores);
    return TOOL_DONE;
}

const command command_info = {
    .name = "info",
    .arguments = "",
    .summary = "worker units, caches, local stores, copy bandwidth",
    .details =
        "One line a worker unit, sizes in bytes, lanes in complex numbers a vector; then the copy\n"
        "bandwidth of one thread and of a thread a core (10^9 bytes read and written a second).",
    .options = options,
    .min = 0,
    .max = 0,
    .run = print_info,
};
