// SPDX-License-Identifier: BSD-3-Clause
/* Plans in passes through the host's memory (mode BACKEND_BLOCKS). Each stream of the formula is a
 * pipeline of blocks: the units compute blocks while the calling thread copies others from and to
 * the host's arrays. */
#ifndef SCHED_PASSES_H
#define SCHED_PASSES_H

#include "sched/plan/plan.h"
#include "spl/program/move.h"
#include "spl/program/prog_pass.h"

/* The plan's body, pass by pass, prepared by its units' backend; its table has the functions that a
 * plan calls. E_UNSUPPORTED: the body is not a product of streams. */
sluice_status sched_passes_prepare(const sluice_plan *plan, backend_program **out,
                                   sluice_diag *why);

/* ---- pass_move.c ---- */

/* A buffer in the host's memory: re and im apart, or interleaved (im NULL). */
typedef struct sched_host_array {
    char *re, *im;
} sched_host_array;

/* A transfer of a pass as packets. */
typedef struct sched_pass_move {
    prog_move move;
    const ix *host; /* element i of a block -> element of the host's array */
    bool packets;   /* false: element by element */
} sched_pass_move;

/* E_UNSUPPORTED: elements are permuted in the block as well. */
sluice_status sched_pass_move_of(sched_pass_move *out, const prog *p, const prog_stmt *copy,
                                 size_t scalar, sluice_diag *why);

/* Some elements of iteration `iteration` of loop `var`. */
typedef struct sched_pass_part {
    bool put; /* from the block to the host */
    int var;
    int64_t iteration, first, count;
} sched_pass_part;

/* `block` points to element `first`. */
void sched_pass_move_run(const sched_pass_move *m, const sched_pass_part *part,
                         sched_host_array host, char *block);

#endif
