// SPDX-License-Identifier: BSD-3-Clause
/* Problems: the string, defaults, validation, derived shapes. */
#ifndef SCHED_PROBLEM_H
#define SCHED_PROBLEM_H

#include "api/sluice.h"
#include "core/text.h"
#include "spl/formula/spl.h"

sluice_status sched_problem_parse(sluice_problem *out, const char *text, sluice_diag *why);
/* Parses from `text` up to `length` bytes (a prefix of a formula line). */
sluice_status sched_problem_parse_n(sluice_problem *out, const char *text, size_t length,
                                    sluice_diag *why);
sluice_status sched_problem_print(const sluice_problem *problem, core_text *out);
/* Checks everything that can be said without a machine: sizes, products, strides, overlapping
 * output, combinations of options; fills in defaults (kinds, mode). */
sluice_status sched_problem_normalise(sluice_problem *problem, sluice_diag *why);

/* Of a normalised problem: points of one transform, transforms in the batch, both checked to
 * fit. */
size_t sched_problem_points(const sluice_problem *problem);
size_t sched_problem_batch(const sluice_problem *problem);
/* Its axes of more than one point. */
int sched_problem_axes(const sluice_problem *problem);
/* Has a formula as many rows and columns as the problem has points in all? E_INVALID. */
sluice_status sched_problem_fits(const sluice_problem *problem, const spl *formula,
                                 sluice_diag *why);
/* Strides of dimension d in 0 .. batch_rank+rank-1 (batch first, slowest first), packed ones filled
 * in; side 0 = in, 1 = out. Fills n, in_stride, out_stride. */
sluice_dim sched_problem_dim(const sluice_problem *problem, int d);
bool sched_problem_packed(const sluice_problem *problem, int side);
/* The block-cyclic order of a side; parts 0: natural order. */
sluice_cyclic sched_problem_cyclic(const sluice_problem *problem, int side);
/* Smallest and largest element offset of a side, relative to its pointer. */
void sched_problem_span(const sluice_problem *problem, int side, ptrdiff_t *lo, ptrdiff_t *hi);
/* The bytes before and from its pointer that a side touches. */
void sched_problem_bytes(const sluice_problem *problem, int side, size_t *before, size_t *after);

#endif
