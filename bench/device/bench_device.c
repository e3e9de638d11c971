// SPDX-License-Identifier: BSD-3-Clause
#include "bench/device/bench_device.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/report/bench_say.h"

static const bench_route *const routes[] = {
#if SLUICE_HAVE_OPENCL
    &bench_route_opencl,
#endif
    &bench_route_cuda,
    NULL,
};

enum { MOST_MACHINES = 8 };

static struct {
    sluice_machine *machine;
    const bench_route *route;
} opened[MOST_MACHINES];

static int find_machine(const sluice_machine *machine)
{
    int i = 0;
    while (i < MOST_MACHINES && opened[i].machine != machine)
        i++;
    return i;
}

const bench_route *bench_device_route(const sluice_machine *machine)
{
    const int i = machine ? find_machine(machine) : MOST_MACHINES;
    return i < MOST_MACHINES ? opened[i].route : NULL;
}

sluice_status bench_work_reserve(bench_work *w, size_t bytes, void *(*make)(size_t bytes),
                                 void (*release)(void *block), sluice_diag *why)
{
    if (bytes <= w->bytes)
        return SLUICE_OK;
    if (w->block)
        release(w->block);
    w->block = make(bytes);
    w->bytes = w->block ? bytes : 0;
    if (w->block)
        return SLUICE_OK;
    snprintf(why->message, sizeof why->message, "the device has no %zu bytes for a work area",
             bytes);
    return SLUICE_E_MEMORY;
}

/* Tries the routes; reports the reason of the first that fails. */
sluice_status bench_device_open(sluice_machine **out, const peer_settings *s, const char *units,
                                sluice_diag *why)
{
    const int place = find_machine(NULL);
    sluice_status status = SLUICE_E_UNSUPPORTED;
    sluice_diag reason, *to = why;
    *out = NULL;
    snprintf(why->message, sizeof why->message,
             "data cannot be on a device of %.100s, to which the bench has no route", units);
    for (const bench_route *const *r = routes; *r && status != SLUICE_OK && place < MOST_MACHINES;
         r++) {
        if (!(*r)->suits(units))
            continue;
        status = (*r)->open(out, s, units, to);
        to = &reason;
        opened[place].machine = *out;
        opened[place].route = *r;
    }
    return status;
}

static bool is_in_use(const bench_route *route)
{
    bool used = false;
    for (int i = 0; i < MOST_MACHINES; i++)
        used = used || (opened[i].machine && opened[i].route == route);
    return used;
}

void bench_device_close(sluice_machine *machine)
{
    const bench_route *route = bench_device_route(machine);
    if (route)
        opened[find_machine(machine)].machine = NULL;
    sluice_machine_close(machine);
    if (route && !is_in_use(route))
        route->close();
}

/* ---- the choice */

void bench_device_units(bench_options *o)
{
    const char *units = getenv("SLUICE_UNITS");
    if (!o->units && units && *units)
        o->units = units;
    o->peer.units = o->units;
}

/* Does the device have memory of its own, in which programs would keep their data? */
static bool is_away(const sluice_machine *machine)
{
    sluice_unit_info unit;
    return sluice_machine_unit_count(machine) == 1
           && sluice_machine_unit_info(machine, 0, &unit) == SLUICE_OK
           && unit.kind == SLUICE_UNIT_OPENCL && !unit.shares_memory;
}

bench_exit bench_device_choose(bench_options *o, sluice_machine **machine)
{
    sluice_diag why = {.message = "--units names no device"};
    sluice_machine *there = NULL;
    if (o->data == BENCH_ON_HOST || (o->data == BENCH_ANYWHERE && !is_away(*machine)))
        return BENCH_DONE;
    o->peer.on_device = true; /* so that peers open the device */
    if (o->units && bench_device_open(&there, &o->peer, o->units, &why) == SLUICE_OK) {
        sluice_machine_close(*machine);
        *machine = there;
        return BENCH_DONE;
    }
    o->peer.on_device = false;
    if (o->data == BENCH_ON_DEVICE)
        bench_complain("--data device: %s", why.message);
    else
        bench_warn_once("sluice's data stay in the host's memory, transfers are timed: %s",
                        why.message);
    return o->data == BENCH_ON_DEVICE ? BENCH_USAGE : BENCH_DONE;
}
