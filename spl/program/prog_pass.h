// SPDX-License-Identifier: BSD-3-Clause
/* Passes of a program through memory that its units cannot access: outermost STREAM loops, each
 * iteration of which gets a block, computes it and puts it. */
#ifndef SPL_PROG_PASS_H
#define SPL_PROG_PASS_H

#include "spl/program/program.h"

typedef struct prog_pass {
    int var;                     /* of the loop */
    const prog_stmt *get, *put;  /* of the program: between its buffers and the block's */
    int64_t in_elems, out_elems; /* elements of a block on the get and on the put side */
    /* The stages between them as a program with prog.blocks. Its packed IN and OUT are the blocks
     * that are got and put: one array if the block is computed in place. */
    prog *body;
} prog_pass;

/* The passes of a program, in its context's arena. E_UNSUPPORTED, with a sentence: the program does
 * not consist of such loops. */
sluice_status prog_passes(const prog *p, prog_pass **out, int *count, sluice_diag *why);

#endif
