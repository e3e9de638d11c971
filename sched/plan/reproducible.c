// SPDX-License-Identifier: BSD-3-Clause
#include "sched/plan/reproducible.h"

#include "core/status.h"

sluice_status sched_reproducible_units(const sluice_machine *machine, sluice_precision precision,
                                       sluice_diag *why)
{
    const backend_team *team = machine->table->team;

    if (team->alike_lanes && team->alike_lanes(machine->backend, precision) > 0)
        return SLUICE_OK;
    return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "%s units make no reproducible plans",
                     machine->table->name);
}
