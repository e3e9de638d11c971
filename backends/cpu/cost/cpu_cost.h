// SPDX-License-Identifier: BSD-3-Clause
/* Costs of codelets and tapes. */
#ifndef BACKENDS_CPU_COST_H
#define BACKENDS_CPU_COST_H

#include "backends/cpu/run/cpu_state.h"
#include "spl/price/tape.h"

/* ---- tapes (cpu_cost.c) ---- */
sluice_status cpu_estimate(const backend_program *program, backend_cost *out);
sluice_status cpu_stages(const backend_program *program, price_stage **out);

/* The PRICE_FIGURES of a unit that was not measured, for programs whose arrays L2 holds or not. */
void cpu_model(const cpu_state *b, bool in_l2, double *figure);
/* The unit of a program as its costs (NULL: none) know it; `model` is for figures that were not
 * measured. */
price_unit cpu_price_unit(const cpu_program *p, double model[PRICE_FIGURES]);

/* ---- kernels: the codelets of the machine's ISA and the scalar ones (cpu_kernels.c) ---- */
sluice_status cpu_kernels_open(cpu_state *b, sluice_diag *why);
void cpu_kernels_close(cpu_state *b);
/* A hash of the kernels' names and instruction counts. */
uint32_t cpu_kernels_hash(const cpu_state *b);
/* Cycles of a step: measured if `costs` (see backend.h) have it, else predicted. `state` is a
 * cpu_state. */
double cpu_cycles(const void *state, const double *costs, const spl_codelet *codelet);
/* The same of a step in a stage, with spilled values: by the codelets' table, with which constants
 * of the planner's search and figures beyond L2 go; in programs in L2. */
double cpu_table_cycles(const void *state, const double *costs, const spl_codelet *codelet);
double cpu_step_cycles(const void *state, const double *costs, const spl_codelet *codelet);

extern const backend_tuning cpu_tuning; /* cpu_tune.c */

#endif
