// SPDX-License-Identifier: BSD-3-Clause
/* A stage: one statement of a program that computes or moves, the loops around it, and its
 * addresses as strides of these loops. The code that binds programs, prints them for devices and
 * prices them uses stages. */
#ifndef SPL_STAGE_H
#define SPL_STAGE_H

#include "spl/program/program.h"

/* Loops are listed outermost first. */
typedef struct prog_stage {
    const prog_stmt *stmt;
    int count; /* loops around this statement alone */
    const prog_stmt *loop[IX_MAX_VARS];
    int outer_count; /* loops around these, which may hold other statements too */
    const prog_stmt *outer[IX_MAX_VARS];
} prog_stage;

/* Element i of a statement, at c + row*i + SUM loop[v] * v. */
typedef struct prog_access {
    const ix *f;
    int64_t c, row;
    bool row_linear;           /* false: rows have no constant stride, `row` is not set */
    int64_t loop[IX_MAX_VARS]; /* by variable; 0 if the address is not linear in it */
    bool digits[IX_MAX_VARS];  /* not linear in this variable, but a sum of digits */
} prog_access;

/* The statement in the loops that begin at statement `at`, and these loops; outer loops are set by
 * the caller. False: the loops contain several statements. */
bool prog_stage_at(const prog *p, size_t at, prog_stage *out);
/* All loops of a stage: those around it alone, then the outer ones. */
static inline int prog_stage_loops(const prog_stage *s)
{
    return s->count + s->outer_count;
}
static inline const prog_stmt *prog_stage_loop(const prog_stage *s, int i)
{
    return i < s->count ? s->loop[i] : s->outer[i - s->count];
}
/* Reads an index function of the stage; false if it is not a sum of digits. */
bool prog_access_read(const prog_stage *stage, const ix *f, prog_access *out);
/* Does the address depend on the loop (NULL: no)? */
bool prog_access_uses(const prog_access *access, const prog_stmt *loop);

#endif
