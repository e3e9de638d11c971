// SPDX-License-Identifier: BSD-3-Clause
/* Phases: what a team does between two of its barriers. A driver of units that gets, computes and
 * puts blocks has one phase in hand at a time. */
#ifndef SPL_PHASE_H
#define SPL_PHASE_H

#include "spl/program/program.h"

/* Statements first..end-1, in the same loops, without SYNC. A loop counts once what is in it. */
typedef struct prog_phase {
    size_t first, end;
    int stages, moves; /* kernels and ZERO; COPY */
    int64_t parts;     /* iterations of its widest PAR loop, which units share; 1: one unit alone */
} prog_phase;

/* The phase behind *phase, the first one if that is zeroed, in the order of statements: loops that
 * hold SYNC are entered. False: there is none. */
bool prog_phase_next(const prog *p, prog_phase *phase);
/* Is one of the statements from..to-1, or in them, a barrier of the team? */
bool prog_has_sync(const prog *p, size_t from, size_t to);

#endif
