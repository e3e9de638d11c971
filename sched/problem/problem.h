// SPDX-License-Identifier: BSD-3-Clause
/* Problems: the string, defaults, validation, derived shapes. */
#ifndef SCHED_PROBLEM_H
#define SCHED_PROBLEM_H

#include "api/sluice.h"
#include "core/text.h"
#include "sched/problem/kinds.h"

sluice_status sched_problem_parse(sluice_problem *out, const char *text, sluice_diag *why);
/* Parses from `text` up to `length` bytes (a prefix of a formula line). */
sluice_status sched_problem_parse_n(sluice_problem *out, const char *text, size_t length,
                                    sluice_diag *why);
sluice_status sched_problem_print(const sluice_problem *problem, core_text *out);
/* Checks everything that is independent of a machine (sizes, products, strides, overlapping output,
 * combinations of options) and fills in defaults (kinds, mode). */
sluice_status sched_problem_normalise(sluice_problem *problem, sluice_diag *why);

/* Points of one transform of a normalised problem; transforms in its batch. Both were checked to
 * fit. */
size_t sched_problem_points(const sluice_problem *problem);
size_t sched_problem_batch(const sluice_problem *problem);
/* The number of axes of more than one point. */
int sched_problem_axes(const sluice_problem *problem);
/* Points of the periodic signal whose DFT an axis is, such as 2n for DCT2 (norm.c); their product
 * over all axes. */
size_t sched_axis_length(const sluice_problem *problem, int axis);
long double sched_problem_length(const sluice_problem *problem);
/* The factor by which `scale` multiplies results. */
double sched_problem_factor(const sluice_problem *problem);
/* The further factor of element i of an axis on side 0 = in, 1 = out, and of element `index` of one
 * transform. */
double sched_axis_edge(const sluice_problem *problem, int axis, int side, size_t i);
double sched_side_edge(const sluice_problem *problem, int side, size_t index);
/* These factors as a diagonal along an axis; NULL: all are 1. */
const spl *sched_axis_edges(spl_ctx *ctx, const sluice_problem *problem, int axis, int side);
/* These factors as diagonal formulas of the whole batch, one for every axis that has some, except
 * axes in the bits of `without`; returns their number. */
int sched_problem_edges(spl_ctx *ctx, const sluice_problem *problem, int side, unsigned without,
                        const spl **out);
/* On side 0 = in, 1 = out: the type of elements; elements of a transform; scalars of an element, 1
 * for reals, 2 for complex numbers; bytes of a scalar; bytes of an element, whether re and im are
 * interleaved or split. */
spl_type sched_side_type(const sluice_problem *problem, int side);
size_t sched_side_elements(const sluice_problem *problem, int side);
size_t sched_side_scalars(const sluice_problem *problem, int side);
size_t sched_scalar_bytes(const sluice_problem *problem);
size_t sched_side_bytes(const sluice_problem *problem, int side);
/* The elements of dimension d (as in sched_problem_dim) on a side: n, or those of a
 * half-spectrum. */
size_t sched_problem_extent(const sluice_problem *problem, int d, int side);
/* Does a formula have the problem's rows and columns, and its types? E_INVALID. */
sluice_status sched_problem_fits(const sluice_problem *problem, const spl *formula,
                                 sluice_diag *why);
/* Dimensions: those of the batch, then the axes, each slowest first. */
static inline int sched_problem_dims(const sluice_problem *problem)
{
    return problem->batch_rank + problem->rank;
}
/* Dimension d as given. */
static inline sluice_dim sched_given_dim(const sluice_problem *problem, int d)
{
    return d < problem->batch_rank ? problem->batch[d] : problem->dim[d - problem->batch_rank];
}
static inline sluice_dim *sched_mutable_dim(sluice_problem *problem, int d)
{
    return d < problem->batch_rank ? &problem->batch[d] : &problem->dim[d - problem->batch_rank];
}
/* Dimension d with the strides of packed sides filled in. */
sluice_dim sched_problem_dim(const sluice_problem *problem, int d);
/* The dimension of the last axis of more than one point; of the first axis if there is none. */
int sched_problem_row_dim(const sluice_problem *problem);
bool sched_problem_packed(const sluice_problem *problem, int side); /* without strides */
bool sched_side_split(const sluice_problem *problem, int side);     /* re and im in two arrays */
/* Bytes of an element in one array; for a split side, of a scalar. */
size_t sched_side_step(const sluice_problem *problem, int side);
/* Does each element follow the one before it? Not in block-cyclic order, nor between rows of reals
 * in place of their half-spectra. */
bool sched_side_in_order(const sluice_problem *problem, int side);
/* The block-cyclic order of a side; parts 0: natural order. */
sluice_cyclic sched_problem_cyclic(const sluice_problem *problem, int side);
/* Smallest and largest element offset of a side, relative to its pointer. */
void sched_problem_span(const sluice_problem *problem, int side, ptrdiff_t *lo, ptrdiff_t *hi);
/* The bytes that a side touches before and from its pointer. */
void sched_problem_bytes(const sluice_problem *problem, int side, size_t *before, size_t *after);

#endif
