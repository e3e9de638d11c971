// SPDX-License-Identifier: BSD-3-Clause
/* Passes of a program through memory that its units do not see: outermost STREAM loops, each of
 * which gets a block, computes it and puts it. */
#ifndef SPL_PROG_PASS_H
#define SPL_PROG_PASS_H

#include "spl/program/program.h"

typedef struct prog_pass {
    int var;                     /* of the loop */
    const prog_stmt *get, *put;  /* of the program: between its buffers and the block's */
    int64_t in_elems, out_elems; /* of a block, as it is got and as it is put */
    /* What lies between them as a program with prog.blocks, whose IN and OUT, packed, are what is
     * got and what is put: one array where the block is computed in place. */
    prog *body;
} prog_pass;

/* The passes of a program, in its context's arena. E_UNSUPPORTED, with a sentence: it is no such
 * program. */
sluice_status prog_passes(const prog *p, prog_pass **out, int *count, sluice_diag *why);

#endif
