// SPDX-License-Identifier: BSD-3-Clause
/* Costs of codelets and tapes. */
#ifndef BACKENDS_CPU_COST_H
#define BACKENDS_CPU_COST_H

#include "backends/cpu/run/cpu_state.h"
#include "spl/price/tape.h"

/* ---- tapes (cpu_cost.c) ---- */
sluice_status cpu_estimate(const backend_program *program, backend_cost *out);
sluice_status cpu_stages(const backend_program *program, price_stage **out);

/* Models the PRICE_FIGURES of a unit that was not measured; in_l2: for programs whose arrays L2
 * holds. */
void cpu_model(const cpu_state *b, bool in_l2, double *figure);
/* The unit of a program, with its measured costs if there are any, else with figures in `model`. */
price_unit cpu_price_unit(const cpu_program *p, double model[PRICE_FIGURES]);

/* ---- kernels: the codelets of the machine's ISA and the scalar ones (cpu_kernels.c) ---- */
sluice_status cpu_kernels_open(cpu_state *b, sluice_diag *why);
void cpu_kernels_close(cpu_state *b);
/* A hash of the names and instruction counts of the kernels. */
uint32_t cpu_kernels_hash(const cpu_state *b);
/* Cycles of a step: measured if `costs` (see backend.h) have it, else predicted. `state` is a
 * cpu_state. */
double cpu_cycles(const void *state, const double *costs, const spl_codelet *codelet);
/* The same for a step in a stage, including spilled values. cpu_table_cycles predicts from the
 * codelets' table, as the constants of the planner's search and the figures beyond L2 assume;
 * cpu_step_cycles is for programs in L2. */
double cpu_table_cycles(const void *state, const double *costs, const spl_codelet *codelet);
double cpu_step_cycles(const void *state, const double *costs, const spl_codelet *codelet);

extern const backend_tuning cpu_tuning; /* cpu_tune.c */

#endif
