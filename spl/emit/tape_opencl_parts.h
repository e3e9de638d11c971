// SPDX-License-Identifier: BSD-3-Clause
/* Shared by the files that print tapes as OpenCL C (tape_opencl.h). */
#ifndef SPL_TAPE_OPENCL_PARTS_H
#define SPL_TAPE_OPENCL_PARTS_H

#include "spl/codelet/gen.h"
#include "spl/emit/tape_c.h"
#include "spl/emit/tape_opencl.h"

enum { TAPE_OPENCL_CODELETS = 256, TAPE_OPENCL_TABLES = 256 };

typedef struct tape_opencl {
    const tape_opencl_how *how;
    device_program *out;
    sluice_status status; /* the first failure, with its sentence in *why */
    sluice_diag *why;
    /* The kernel that is being printed: arenas and tables that it uses. */
    bool uses[BIND_ARENAS];
    bool uses_table[TAPE_OPENCL_TABLES];
    int split_var; /* loops have `split` times as many shares by this variable; -1: by none */
    int64_t split;
    /* Codelets that functions call by number. */
    int codelets;
    const spl_codelet *codelet[TAPE_OPENCL_CODELETS];
} tape_opencl;

/* The text of the number by which functions call a codelet. */
gen_name tape_opencl_codelet(tape_c *e, const spl_codelet *codelet);
/* The kernel's parameter for a table; the tape's tables have the first numbers. */
gen_name tape_opencl_table(tape_c *e, int number);

/* Into how many groups each iteration of a parallel loop may be divided, one or more, so that there
 * are as many groups as wanted (tape_opencl_split.c). */
int64_t tape_opencl_split(const tape_c *e, const bind_op *loop);

/* Adds the tape's tables to the program (tape_opencl_tables.c). */
void tape_opencl_tables(tape_c *e);
/* Does the kernel get only the slice of the op's table that a block reads? Then steps of the loop
 * over blocks do not move the table's address. */
bool tape_opencl_has_slice(const tape_c *e, const bind_op *op, int var);
/* Declares wr and wi, the product of the twiddles of element `i` of an evaluated kernel. They are
 * read from a table of all such products, since kernels have no long double. */
void tape_opencl_factors(tape_c *e, const bind_op *op, const char *i, int depth);

/* The program's text: `kernels` as C, after all that they and the codelets mention
 * (tape_opencl_text.c); false: out of memory. */
bool tape_opencl_source(const tape_c *e, const core_text *kernels, core_text *out);

#endif
