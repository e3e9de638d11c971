// SPDX-License-Identifier: BSD-3-Clause
/* What has no reproducible plan is refused. */
#ifndef SCHED_REPRODUCIBLE_H
#define SCHED_REPRODUCIBLE_H

#include "sched/machine/machine.h"
#include "spl/program/program.h"

/* E_UNSUPPORTED: units of this kind prepare no such programs. */
sluice_status sched_reproducible_units(const sluice_machine *machine, sluice_precision precision,
                                       sluice_diag *why);
/* E_UNSUPPORTED: a kernel of the program has other bits on other processors. */
sluice_status sched_reproducible_check(const prog *body, sluice_diag *why);

#endif
