// SPDX-License-Identifier: BSD-3-Clause
/* The clock that says what memory and calls cost on a unit. */
#ifndef BACKENDS_CPU_TUNE_UNIT_H
#define BACKENDS_CPU_TUNE_UNIT_H

#include "backends/cpu/cost/cpu_cost.h"

/* Fills the PRICE_FIGURES, as `measure` of backend.h. `progress` is told of 2 * half, of which half is
 * done. */
sluice_status cpu_measure_unit(const cpu_state *b, double *figure, size_t half,
                               sluice_progress *progress, void *user, sluice_diag *why);

#endif
