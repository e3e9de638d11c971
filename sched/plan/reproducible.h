// SPDX-License-Identifier: BSD-3-Clause
/* Refuses units without reproducible plans. */
#ifndef SCHED_REPRODUCIBLE_H
#define SCHED_REPRODUCIBLE_H

#include "sched/machine/machine.h"

/* E_UNSUPPORTED: units of this kind cannot prepare reproducible programs. */
sluice_status sched_reproducible_units(const sluice_machine *machine, sluice_precision precision,
                                       sluice_diag *why);

#endif
