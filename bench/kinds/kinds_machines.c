// SPDX-License-Identifier: BSD-3-Clause
#include "bench/kinds/kinds_machines.h"

#include <stdio.h>
#include <string.h>

#include "bench/device/bench_device.h"
#include "bench/report/bench_say.h"

static void name_machines(kinds_machines *m, const char *device, const sluice_unit_info *unit)
{
    const size_t size = sizeof m->units[0];
    snprintf(m->units[KINDS_DEVICE], size, "%s", device);
    snprintf(m->units[KINDS_CHAINED], size, "%s", device);
    if (!unit->shares_memory) {
        snprintf(m->units[KINDS_CORES], size, "cpu");
        snprintf(m->units[KINDS_BOTH], size, "cpu,%.150s", device);
        return;
    }
    snprintf(m->units[KINDS_CORES], size, "cpu:%d", unit->compute_units);
    if (unit->compute_units > 1)
        snprintf(m->units[KINDS_BOTH], size, "cpu:%d,%.150s:cores=1", unit->compute_units - 1,
                 device);
}

static sluice_status open_one(kinds_machines *m, kinds_machine which, sluice_diag *why)
{
    const sluice_machine_options options = {.units = m->units[which]};
    sluice_machine **out = &m->machine[which];
    if (which == KINDS_DEVICE || m->units[which][0] == 0)
        return SLUICE_OK;
    if (which == KINDS_CHAINED)
        return bench_device_open(out, &m->setting, m->units[which], why);
    return sluice_machine_open(out, &options, why);
}

bench_exit kinds_machines_open(kinds_machines *out, const bench_options *o, sluice_machine *device)
{
    sluice_diag why = {0};
    sluice_unit_info unit = {0};
    sluice_status status = sluice_machine_unit_info(device, 0, &unit);
    *out = (kinds_machines){.machine = {[KINDS_DEVICE] = device}, .setting = o->peer};
    out->setting.on_device = out->setting.without_order = true;
    name_machines(out, o->units, &unit);
    for (int i = 0; i < KINDS_MACHINES && status == SLUICE_OK; i++) {
        status = open_one(out, (kinds_machine)i, &why);
        if (status != SLUICE_OK)
            bench_complain("%s: %s", out->units[i],
                           why.message[0] ? why.message : sluice_strerror(status));
    }
    if (status == SLUICE_OK)
        out->cores = sluice_machine_unit_count(out->machine[KINDS_CORES]);
    else
        kinds_machines_close(out);
    return bench_exit_of(status);
}

void kinds_machines_close(kinds_machines *m)
{
    bench_device_close(m->machine[KINDS_CHAINED]);
    sluice_machine_close(m->machine[KINDS_CORES]);
    sluice_machine_close(m->machine[KINDS_BOTH]);
}
