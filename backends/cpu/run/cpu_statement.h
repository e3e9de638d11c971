// SPDX-License-Identifier: BSD-3-Clause
/* Executes one op of a tape in the current iteration of its enclosing loops. */
#ifndef BACKENDS_CPU_STATEMENT_H
#define BACKENDS_CPU_STATEMENT_H

#include "backends/cpu/run/cpu_cursor.h"
#include "backends/cpu/run/cpu_prefetch.h"
#include "backends/cpu/run/cpu_slice.h"

/* How far the addresses of a call move: pointers in bytes, strides of rows in scalars. */
typedef struct cpu_call_step {
    ptrdiff_t in_re, in_im, out_re, out_im, tw, is, os;
} cpu_call_step;

static inline cpu_call_step cpu_call_step_of(const bind_op *op, const bind_step *by,
                                             ptrdiff_t scalar)
{
    return (cpu_call_step){.in_re = by->in * scalar,
                           .in_im = bind_im_step(op, by, false) * scalar,
                           .out_re = by->out * scalar,
                           .out_im = bind_im_step(op, by, true) * scalar,
                           .tw = by->tw * scalar,
                           .is = by->is,
                           .os = by->os};
}

static inline void cpu_call_advance(spl_call *call, const cpu_call_step *by)
{
    call->in_re = (const char *)call->in_re + by->in_re;
    call->in_im = (const char *)call->in_im + by->in_im;
    call->out_re = (char *)call->out_re + by->out_re;
    call->out_im = (char *)call->out_im + by->out_im;
    if (call->tw)
        call->tw = (const char *)call->tw + by->tw;
    call->is += by->is;
    call->os += by->os;
}

/* The codelet with non-temporal stores, if there is one, the output begins at a line, and it is not
 * an op with nt_needs_one_member that several members execute; else the ordinary codelet. */
spl_codelet_fn *cpu_statement_codelet(const bind_op *op, const spl_call *call, bool several);
/* What is prefetched while an op runs from column lo on. */
cpu_prefetch cpu_statement_prefetch(const cpu_program *p, const bind_op *op, const spl_call *call,
                                    char *const *base, const int64_t *var, int64_t lo);
/* Sets up the call of an op's codelet: its pointers, and the strides of rows. */
void cpu_statement_call(const cpu_program *p, const bind_op *op, char *const *base,
                        const int64_t *var, spl_call *call);
/* Runs a kernel: the call, then its columns by cpu_columns or one of its variants. */
void cpu_statement_kernel(const cpu_program *p, const bind_op *op, char *const *base,
                          const int64_t *var, bool several);
/* The same for an op outside of loops, whose addresses do not step, if it is one fixed call; false:
 * it is not, and nothing is done. */
bool cpu_statement_alone(const cpu_program *p, const bind_op *op, char *const *base);
/* Runs and scales columns columns[0] .. columns[1]-1, and these sets, of an op with scaled
 * results. */
void cpu_statement_scaled(const cpu_program *p, const bind_op *op, spl_codelet_fn *run,
                          spl_call *call, const size_t columns[2], const size_t sets[2]);
/* If an op's only call leaves one array without a gap, all of which is scaled: its scalars; else
 * 0. */
size_t cpu_scaled_scalars(const bind_op *op);
void cpu_statement_move(const cpu_program *p, const bind_op *op, char *const *base,
                        const int64_t *var);
void cpu_statement_zero(const cpu_program *p, const bind_op *op, char *const *base,
                        const int64_t *var);
/* Runs all columns of an op with slices of transfers after its calls. */
void cpu_statement_slices(const cpu_program *p, const bind_op *op, spl_codelet_fn *run,
                          spl_call *call, cpu_slices *slices);
/* Runs iterations lo .. hi-1 of a loop with constant steps: addresses are computed once and then
 * advanced (cpu_steps.c). */
void cpu_steps(cpu_cursor *at, const bind_op *loop, int64_t lo, int64_t hi);
/* Executes any op but LOOP and SYNC, outside of loops that move data in slices. */
void cpu_statement(cpu_cursor *at, const bind_op *op);

#endif
