// SPDX-License-Identifier: BSD-3-Clause
/* Measures the costs of memory and of calls on a unit. */
#ifndef BACKENDS_CPU_TUNE_UNIT_H
#define BACKENDS_CPU_TUNE_UNIT_H

#include "backends/cpu/cost/cpu_cost.h"

/* Fills the PRICE_FIGURES, as `measure` of backend.h. Reports to `progress` the second half of 2 *
 * half steps. */
sluice_status cpu_measure_unit(const cpu_state *b, double *figure, size_t half,
                               sluice_progress *progress, void *user, sluice_diag *why);

#endif
