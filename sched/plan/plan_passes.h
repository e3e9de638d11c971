// SPDX-License-Identifier: BSD-3-Clause
/* Plans in passes through the host's memory (mode BACKEND_BLOCKS): each stream of the formula is a
 * pipeline of blocks, whose units compute them, while the calling thread copies them from the
 * host's arrays and back. */
#ifndef SCHED_PASSES_H
#define SCHED_PASSES_H

#include "sched/plan/plan.h"
#include "spl/program/move.h"
#include "spl/program/prog_pass.h"

/* The plan's body, pass by pass, prepared by its units' backend; its table has what a plan asks of
 * a program. E_UNSUPPORTED: the body is no product of streams. */
sluice_status sched_passes_prepare(const sluice_plan *plan, backend_program **out,
                                   sluice_diag *why);

/* ---- pass_move.c ---- */

/* A buffer of the host's: re and im apart, or side by side (im NULL). */
typedef struct sched_host_array {
    char *re, *im;
} sched_host_array;

/* A copy of a pass as packets. */
typedef struct sched_pass_move {
    prog_move move;
    const ix *host; /* where element i of a block lies in the host's array */
    bool packets;   /* else element by element */
} sched_pass_move;

/* E_UNSUPPORTED: elements have other places in the block as well. */
sluice_status sched_pass_move_of(sched_pass_move *out, const prog *p, const prog_stmt *copy,
                                 size_t scalar, sluice_diag *why);

/* Some elements of iteration k of loop `var`. */
typedef struct sched_pass_part {
    bool put; /* from the block */
    int var;
    int64_t iteration, first, count;
} sched_pass_part;

/* `block`: where its element `first` lies. */
void sched_pass_move_run(const sched_pass_move *m, const sched_pass_part *part,
                         sched_host_array host, char *block);

#endif
