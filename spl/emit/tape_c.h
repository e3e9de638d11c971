// SPDX-License-Identifier: BSD-3-Clause
/* A bound program as C: codelets, tables, tape, threads. Besides codelets it calls functions of the
 * library's own sources, which are printed with it (spl_snippets_common). */
#ifndef SPL_TAPE_C_H
#define SPL_TAPE_C_H

#include "spl/bind/bind_tape.h"
#include "spl/emit/c_text.h"
#include "spl/emit/snippets.h"

sluice_status tape_c_print(const bind_tape *tape, spl_c_source *out, sluice_diag *why);

/* ---- shared by the files that print it ---- */

typedef struct tape_c {
    const bind_tape *p;
    bool team;                  /* several members may run the program */
    spl_c c;                    /* statements in c.text, their static data in c.data */
    struct tape_opencl *opencl; /* not NULL: the language is OpenCL C */
} tape_c;

/* Lists each codelet of a program once, also those with non-temporal stores; returns their
 * number. */
size_t tape_c_list_codelets(const bind_tape *p, const spl_codelet **out);
/* Prints the codelets of one ISA as functions, after the words of a vocabulary that they mention
 * and that were not given before. `rename`: the names of scalar vectors, f32x2, f64x1 .., become
 * f32s2, f64s1 .. False: out of memory. */
bool tape_c_codelets(const spl_codelet *const *list, size_t count, core_isa isa, bool rename,
                     const spl_snippet *snippets, bool *given, core_text *out);
/* E_UNSUPPORTED if the tape has steps that cannot be printed. */
sluice_status tape_c_check_evaluated(const bind_tape *p, const char *language, sluice_diag *why);

/* Prints ops from .. to-1 as statements of run_member (tape_c_ops.c). */
void tape_c_ops(tape_c *e, size_t from, size_t to, int depth, bool in_par);
/* Prints the body of a loop. */
void tape_c_body(tape_c *e, const bind_op *loop, int depth, bool in_par);

/* A kernel with evaluated addresses (tape_c_eval.c): does it call a codelet? Then printing it. */
bool tape_c_computes(const bind_op *op);
void tape_c_eval(tape_c *e, const bind_op *op, int depth);
void tape_c_zero(tape_c *e, const bind_op *op, int depth);
/* Prints a transfer, always as a synchronous copy. */
void tape_c_transfer(tape_c *e, const bind_op *op, int depth);
/* Prints a pointer into an arena, a constant number of bytes from its start. */
void tape_c_pointer(tape_c *e, const bind_base *base);
/* To what steps are added: an address, in bytes; a row stride, in scalars or in bytes. */
typedef enum tape_c_stepped {
    TAPE_C_IN = 0,
    TAPE_C_OUT,
    TAPE_C_TABLE,
    TAPE_C_IN_ROWS,
    TAPE_C_OUT_ROWS,
    TAPE_C_IN_ROW_BYTES,
    TAPE_C_OUT_ROW_BYTES
} tape_c_stepped;
/* Prints what steps from number `from` on add to it. */
void tape_c_steps(tape_c *e, const bind_op *op, int from, tape_c_stepped to);

/* Prints the tables, each once; returns their number (tape_c_tables.c). */
int tape_c_tables(const bind_tape *p, core_text *out);
/* The index of a table among them. */
int tape_c_table(const bind_tape *p, const bind_table *table);

#endif
