// SPDX-License-Identifier: BSD-3-Clause
/* Arrays of the library's own for a plan, for timing it and for checking its results. */
#ifndef SCHED_SIDES_H
#define SCHED_SIDES_H

#include "sched/plan/plan.h"

/* Memory for both sides of a plan, zeroed; in place, out is in. Each array has `slack` extra bytes,
 * within which it can be moved. */
typedef struct sched_sides {
    void *block[4];
    sluice_arrays arrays;
} sched_sides;
sluice_status sched_sides_open(sched_sides *s, const sluice_plan *plan, size_t slack,
                               sluice_diag *why);
/* Moves the arrays of the sides `in` and `out` bytes past where they were opened, at most the
 * slack; in place `in` applies to both. */
void sched_sides_move(sched_sides *s, const sluice_plan *plan, size_t in, size_t out);
void sched_sides_close(sched_sides *s);

/* A random number from -1 to 1; the state must not be 0. */
double sched_sides_random(uint64_t *state);
/* Fills the input with random numbers, the same for equal plans and seeds (not 0), and the output
 * with NaNs. */
void sched_sides_fill(const sched_sides *s, const sluice_plan *plan, uint64_t seed);

/* The layout of a side's elements, taken from the problem once for all elements. */
typedef struct sched_side {
    size_t n[SLUICE_MAX_BATCH_RANK + SLUICE_MAX_RANK]; /* of sched_problem_dim */
    ptrdiff_t stride[SLUICE_MAX_BATCH_RANK + SLUICE_MAX_RANK];
    int batch_rank, dims;
    sluice_cyclic cyclic;
    size_t points;
    sluice_storage storage;
    ptrdiff_t scalars; /* scalars of an element */
    bool split, output;
} sched_side;
/* The layout of a plan's side 0: in, 1: out. */
sched_side sched_side_of(const sluice_plan *plan, int side);
/* Reads re, im of element `at`, counted from the pointers of a side of `arrays`. */
void sched_side_get(const sched_side *s, const sluice_arrays *arrays, ptrdiff_t at,
                    long double *out);
/* Stores such an element. */
void sched_side_put(const sched_side *s, const sluice_arrays *arrays, ptrdiff_t at,
                    const double *x);
/* Offset of the index-th element, counted in packed order over the dimensions first .. last-1. A
 * block-cyclic side has no batch. */
ptrdiff_t sched_side_offset(const sched_side *s, int first, int last, size_t index);
/* Offsets of the index-th transform of the batch, and of the index-th element of a transform. */
static inline ptrdiff_t sched_side_batch_offset(const sched_side *s, size_t index)
{
    return sched_side_offset(s, 0, s->batch_rank, index);
}
static inline ptrdiff_t sched_side_element_offset(const sched_side *s, size_t index)
{
    return sched_side_offset(s, s->batch_rank, s->dims, index);
}

#endif
