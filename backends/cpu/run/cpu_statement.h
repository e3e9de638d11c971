// SPDX-License-Identifier: BSD-3-Clause
/* Executing one op of a tape in the current iteration of the loops around it. */
#ifndef BACKENDS_CPU_STATEMENT_H
#define BACKENDS_CPU_STATEMENT_H

#include "backends/cpu/run/cpu_cursor.h"
#include "backends/cpu/run/cpu_prefetch.h"
#include "backends/cpu/run/cpu_slice.h"

/* The codelet with non-temporal stores, if there is one, the output begins with a line, and not
 * several members execute an op with several_keep; else the ordinary one. */
spl_codelet_fn *cpu_statement_codelet(const bind_op *op, const spl_call *call, bool several);
/* The data that are prefetched while an op runs from column lo on. */
cpu_prefetch cpu_statement_ahead(const cpu_program *p, const bind_op *op, const spl_call *call,
                                 char *const *base, const int64_t *var, int64_t lo);
/* The call of an op's codelet. */
void cpu_statement_call(const cpu_program *p, const bind_op *op, char *const *base,
                        const int64_t *var, spl_call *call);
void cpu_statement_kernel(const cpu_program *p, const bind_op *op, char *const *base,
                          const int64_t *var, bool several);
/* The same of an op that no loop is around, so that nothing steps, if it is one fixed call; false:
 * it is not, and nothing is done. */
bool cpu_statement_alone(const cpu_program *p, const bind_op *op, char *const *base);
/* The same by that codelet, of an op whose results are scaled, of columns and sets [0] .. [1]-1. */
void cpu_statement_scaled(const cpu_program *p, const bind_op *op, spl_codelet_fn *run,
                          spl_call *call, const size_t columns[2], const size_t sets[2]);
/* The scalars that an op's only call leaves in one array without a gap, all of them scaled; 0: not
 * so. */
size_t cpu_scaled_scalars(const bind_op *op);
void cpu_statement_move(const cpu_program *p, const bind_op *op, char *const *base,
                        const int64_t *var);
void cpu_statement_zero(const cpu_program *p, const bind_op *op, char *const *base,
                        const int64_t *var);
/* All columns of an op whose calls slices follow. */
void cpu_statement_slices(const cpu_program *p, const bind_op *op, spl_codelet_fn *run,
                          spl_call *call, cpu_slices *slices);
/* Iterations lo .. hi-1 of a loop with constant steps: addresses are computed once and advanced
 * (cpu_steps.c). */
void cpu_steps(cpu_cursor *at, const bind_op *loop, int64_t lo, int64_t hi);
/* Any op but LOOP and SYNC, outside of loops that move data in slices. */
void cpu_statement(cpu_cursor *at, const bind_op *op);

#endif
