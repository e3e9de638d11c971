// SPDX-License-Identifier: BSD-3-Clause
/* A bound program as C: what the files that print it share. */
#ifndef BACKENDS_CPU_EMIT_H
#define BACKENDS_CPU_EMIT_H

#include "backends/cpu/run/cpu_state.h"
#include "spl/emit/print_c.h"

typedef struct cpu_emitter {
    const bind_tape *p;
    bool team; /* several members may run it */
    spl_c c;   /* statements in c.text, their static data in c.data */
} cpu_emitter;

sluice_status cpu_emit(const backend_program *program, backend_source *out, sluice_diag *why);
/* The tape from op `from` on as statements of run_member (cpu_emit_ops.c). */
void cpu_emit_ops(cpu_emitter *e, size_t from, size_t to, int depth, bool in_par);
/* One kernel with evaluated addresses (cpu_emit_eval.c). */
void cpu_emit_eval(cpu_emitter *e, const bind_op *op, int depth);
void cpu_emit_zero(cpu_emitter *e, const bind_op *op, int depth);
/* A get or a put, in line whoever does it in the library (cpu_emit_eval.c). */
void cpu_emit_transfer(cpu_emitter *e, const bind_op *op, int depth);
/* The number of a table of the program's: each is printed once. */
int cpu_emit_table(const bind_tape *p, const bind_table *table);
/* A pointer into an arena, a constant number of bytes from its start. */
void cpu_emit_pointer(cpu_emitter *e, const bind_base *begin);
/* What steps `from` .. add to an address, in bytes: which = 0 in, 1 out, 2 table. */
void cpu_emit_steps(cpu_emitter *e, const bind_op *op, int from, int which);
/* A line of the statements, without its end. */
void cpu_emit_line(cpu_emitter *e, int depth, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
