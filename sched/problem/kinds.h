// SPDX-License-Identifier: BSD-3-Clause
/* Kinds of problems: the transforms along their axes, and which axis runs first. */
#ifndef SCHED_KINDS_H
#define SCHED_KINDS_H

#include "api/sluice.h"
#include "spl/formula/spl.h"

/* The transforms of a kind of problem. */
typedef struct sched_kind {
    spl_kind axis;                /* the transform along an axis of this kind; c2c: forward */
    bool stands_last;             /* for the last axis only; the axes before it are c2c */
    bool inverse;                 /* stands_last: the axes before it are inverse */
    int half;                     /* stands_last: the side of the half-spectrum, 0 = in, 1 = out */
    spl_kind packed, halfcomplex; /* the transform if that side has this layout */
} sched_kind;

const sched_kind *sched_kind_of(sluice_kind kind);

/* The transform along an axis of a normalised problem. */
spl_kind sched_axis_kind(const sluice_problem *problem, int axis);
/* The type of the elements that it reads: a real transform acts on complex numbers if any axis has
 * another kind. */
spl_type sched_axis_type(const sluice_problem *problem, int axis);
bool sched_all_dft(const sluice_problem *problem); /* is every axis c2c? */
/* The axis whose transform is the i-th to run. The order is from the last axis to the first, except
 * that a transform that reads a half-spectrum runs last, and that among reals the last axis runs
 * after columns that leave their rows folded. */
int sched_axis_order(const sluice_problem *problem, int i);
/* The elements of an axis that are columns for the other axes: n, or those of the half-spectrum. */
size_t sched_axis_columns(const sluice_problem *problem, int axis);
/* Does an axis have n elements on one side and the half-spectrum of n on the other? */
bool sched_axis_has_half_spectrum(const sluice_problem *problem, int axis);
/* The number by which an axis of one point multiplies, so that it needs no stage: 1 for a DFT; the
 * matrix's entry for a real matrix if another axis has more points. 0: the axis is no such number,
 * as it changes the type of elements, yields zeros, or has more points. */
double sched_axis_constant(const sluice_problem *problem, int axis);
/* The product of these numbers over all axes. */
double sched_problem_constant(const sluice_problem *problem);

#endif
