// SPDX-License-Identifier: BSD-3-Clause
/* Measured costs of kernels and memory. A machine's costs are an array that never changes: new
 * figures make a new array, and plans keep the one that they were made with. */
#ifndef SCHED_COSTS_H
#define SCHED_COSTS_H

#include "sched/machine/machine.h"

struct sched_costs {
    sched_costs *previous;
    double cycles[]; /* `costs` of backend.h */
};

/* The number of codelets of one kind of a machine's units; 0: its backend measures none. */
int sched_codelet_count(const sluice_machine *kind);
/* The current costs (`costs` of backend.h); NULL: none. Valid as long as the machine.
 * Thread-safe. */
const double *sched_costs_now(sluice_machine *machine);
/* Measures all codelets and the units of every kind that has codelets. E_UNSUPPORTED if no kind
 * has, E_MEMORY, or the status of `progress`; in these cases nothing has changed. */
sluice_status sched_costs_measure(sluice_machine *machine, sluice_progress *progress, void *user,
                                  sluice_diag *why);
void sched_costs_free(sched_costs *newest);

/* ---- in wisdom: lines "codelet NAME CYCLES" and "unit FIGURE=NUMBER .." ---- */
/* Costs being read; must begin as {0}. */
typedef struct sched_costs_reader {
    sched_costs *costs; /* NULL: no line was read yet */
    int next;           /* the kernel that the next line probably names */
} sched_costs_reader;

bool sched_costs_is_line(const char *line);
/* E_PARSE with a sentence, E_MEMORY. */
sluice_status sched_costs_read(sluice_machine *machine, sched_costs_reader *reader,
                               const char *line, sluice_diag *why);
/* Adds the costs that were read to the known ones. Thread-safe. */
void sched_costs_publish(sluice_machine *machine, sched_costs_reader *reader);
/* Visits the lines of the current costs. */
typedef void sched_costs_visit(void *user, const char *line);
void sched_costs_each(sluice_machine *machine, sched_costs_visit *visit, void *user);

#endif
