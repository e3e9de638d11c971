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

/* Passes of reals are computed with re and im apart in some places and together in others, whose sums are
 * rounded in another order. */
sluice_status sched_reproducible_check(const prog *p, sluice_diag *why)
{
    for (size_t i = 0; i < p->nstmts; i++) {
        const prog_stmt *s = &p->stmt[i];
        if (s->op == PROG_KERN
            && (s->kernel == SPL_PAIR || (s->kernel == SPL_TRANSFORM && !prog_is_dft(s))))
            return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                             "plans of real data are not reproducible in this version");
    }
    return SLUICE_OK;
}
