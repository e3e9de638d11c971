// SPDX-License-Identifier: BSD-3-Clause
/* What kernels and memory cost on a machine, as measured. A machine's costs are an array that never
 * changes: new figures make a new one, and the old stay with the plans that were made by them. */
#ifndef SCHED_COSTS_H
#define SCHED_COSTS_H

#include "sched/machine/machine.h"

struct sched_costs {
    sched_costs *older;
    double cycles[]; /* `costs` of backend.h */
};

/* Those known now, `costs` of backend.h; NULL: none; valid as long as the machine. Thread-safe. */
const double *sched_costs_now(sluice_machine *machine);
/* Measures all kernels and the unit. E_UNSUPPORTED where the backend has none, E_MEMORY, or what
 * `progress` answered. */
sluice_status sched_costs_measure(sluice_machine *machine, sluice_progress *progress, void *user,
                                  sluice_diag *why);
void sched_costs_free(sched_costs *newest);

/* ---- in wisdom: lines "codelet NAME CYCLES" and "unit FIGURE=NUMBER .." ---- */
/* Costs being read; begins as {0}. */
typedef struct sched_costs_reader {
    sched_costs *costs; /* NULL: there was no line yet */
    int next;           /* the kernel that the next line is likely to name */
} sched_costs_reader;

bool sched_costs_is_line(const char *line);
/* E_PARSE with a sentence, E_MEMORY. */
sluice_status sched_costs_read(sluice_machine *machine, sched_costs_reader *draft, const char *line,
                               sluice_diag *why);
/* Adds what was read to what is known. Thread-safe. */
void sched_costs_publish(sluice_machine *machine, sched_costs_reader *draft);
/* Tells the lines of what is known, one by one. */
typedef void sched_costs_visit(void *user, const char *line);
void sched_costs_each(sluice_machine *machine, sched_costs_visit *tell, void *user);

#endif
