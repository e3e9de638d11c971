// SPDX-License-Identifier: BSD-3-Clause
/* Wisdom in files (the machine keeps it, see sched/machine.h). */
#ifndef SCHED_WISDOM_H
#define SCHED_WISDOM_H

#include "sched/machine.h"

/* The file is there whole or as it was before. E_IO where it cannot be written. */
sluice_status sched_wisdom_save(sluice_machine *machine, const char *path);
/* Keeps the lines that parse. E_INVALID: another machine's file; E_PARSE: some lines were rejected,
 * the sentence says how many and why the first; E_IO. */
sluice_status sched_wisdom_load(sluice_machine *machine, const char *path, sluice_diag *why);

#endif
