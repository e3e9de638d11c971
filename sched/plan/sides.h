// SPDX-License-Identifier: BSD-3-Clause
/* Arrays of the library's own for a plan: for timing it, and for checking what it computes. */
#ifndef SCHED_SIDES_H
#define SCHED_SIDES_H

#include "sched/plan/plan.h"

/* Memory for both sides of a plan, zeroed; in place: out is in. Each array has `slack` bytes more
 * than the plan touches, to be moved in. */
typedef struct sched_sides {
    void *block[4];
    sluice_arrays arrays;
} sched_sides;
sluice_status sched_sides_open(sched_sides *s, const sluice_plan *plan, size_t slack,
                               sluice_diag *why);
/* Starts the arrays of the sides `in` and `out` bytes behind where they were opened, at most the
 * slack; in place `in` holds for both. */
void sched_sides_move(sched_sides *s, const sluice_plan *plan, size_t in, size_t out);
void sched_sides_close(sched_sides *s);

/* -1 .. 1; the state is not 0. */
double sched_sides_random(uint64_t *state);
/* Fills the input with random numbers, the same for equal plans and seeds (not 0), and the output
 * with NaNs. */
void sched_sides_fill(const sched_sides *s, const sluice_plan *plan, uint64_t seed);
/* re, im of the element `at` elements from the pointers of a side (0: in, 1: out) of `arrays`. */
void sched_sides_get(const sluice_plan *plan, const sluice_arrays *arrays, int side, ptrdiff_t at,
                     long double *out);
/* Stores one. */
void sched_sides_put(const sluice_plan *plan, const sluice_arrays *arrays, int side, ptrdiff_t at,
                     const double *x);
/* Offset of the index-th element of a side, counted in packed order over the dimensions first ..
 * last-1 of sched_problem_dim. A block-cyclic side has no batch. */
ptrdiff_t sched_sides_offset(const sluice_problem *p, int first, int last, size_t index, int side);

#endif
