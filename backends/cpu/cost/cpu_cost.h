// SPDX-License-Identifier: BSD-3-Clause
/* What codelets and tapes cost. */
#ifndef BACKENDS_CPU_COST_H
#define BACKENDS_CPU_COST_H

#include "backends/cpu/run/cpu_state.h"

/* Cycles become seconds at this rate, and seconds cycles; what matters to planning is the ratio. */
extern const double cpu_hertz;

/* ---- what a tape costs (cpu_cost.c) ---- */
sluice_status cpu_estimate(const backend_program *program, backend_cost *out);
sluice_status cpu_stages(const backend_program *program, price_stage **out);

/* ---- kernels: the codelets of the machine's ISA and the scalar ones (cpu_kernels.c) ---- */
sluice_status cpu_kernels_open(cpu_state *b, sluice_diag *why);
void cpu_kernels_close(cpu_state *b);
/* Of the kernels' names and instructions. */
uint32_t cpu_kernels_hash(const cpu_state *b);
/* Cycles of a step: as measured, where costs (see backend.h) know it, or as predicted. `state` is a
 * cpu_state. */
double cpu_cycles(const void *state, const double *costs, const spl_codelet *codelet);
/* Seconds of a step: what was counted takes somewhat longer. */
double cpu_step_seconds(const cpu_state *b, const double *costs, const spl_codelet *codelet);

extern const backend_tuning cpu_tuning; /* cpu_tune.c */

#endif
