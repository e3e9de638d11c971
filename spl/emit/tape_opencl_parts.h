// SPDX-License-Identifier: BSD-3-Clause
/* What the files that print tapes as OpenCL C share (tape_opencl.h). */
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
    /* Of the kernel that is being printed. */
    bool uses[BIND_ARENAS];
    bool uses_table[TAPE_OPENCL_TABLES];
    int split_var; /* shares by this loop variable are `split` times as many; -1: by none */
    int64_t split;
    /* Codelets that functions call by number. */
    int codelets;
    const spl_codelet *codelet[TAPE_OPENCL_CODELETS];
} tape_opencl;

/* The number by which functions call a codelet. */
gen_name tape_opencl_codelet(tape_c *e, const spl_codelet *codelet);
/* The parameter of the kernel that is a table, one of the tape's at first. */
gen_name tape_opencl_table(tape_c *e, int number);

/* Into how many each iteration of a parallel loop may be divided, one or more, so that there are as
 * many groups as wanted (tape_opencl_split.c). */
int64_t tape_opencl_split(const tape_c *e, const bind_op *loop);

/* The tape's tables become those of the program (tape_opencl_tables.c). */
void tape_opencl_tables(tape_c *e);
/* Does a kernel have the slice of the op's table that a block reads? Steps of the loop over blocks
 * are none in it then. */
bool tape_opencl_has_slice(const tape_c *e, const bind_op *op, int var);
/* Declares wr and wi, the product of the twiddles of element `i` of an evaluated kernel: from a
 * table of all of them, since kernels have no long double. */
void tape_opencl_factors(tape_c *e, const bind_op *op, const char *i, int depth);

/* The program's text: `kernels` as C, after all that they and the codelets mention
 * (tape_opencl_text.c); false: out of memory. */
bool tape_opencl_source(const tape_c *e, const core_text *kernels, core_text *out);

#endif
