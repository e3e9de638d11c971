// SPDX-License-Identifier: BSD-3-Clause
/* Kinds of problems: what the transforms along their axes are, and which one runs first. */
#ifndef SCHED_KINDS_H
#define SCHED_KINDS_H

#include "api/sluice.h"
#include "spl/formula/spl.h"

/* A kind of problem: what it is made of. */
typedef struct sched_kind {
    spl_kind axis;    /* the transform along an axis of this kind; c2c: forward      */
    bool stands_last; /* on the last axis, and the axes before it are c2c            */
    bool inverse;     /* ... which are inverse                                       */
    int half;         /* the side of the half-spectrum, 0 = in, 1 = out, if it stands last */
    spl_kind packed, halfcomplex; /* the transform where that side has this layout   */
} sched_kind;

const sched_kind *sched_kind_of(sluice_kind kind);

/* Of a normalised problem: the transform along an axis. */
spl_kind sched_axis_kind(const sluice_problem *problem, int axis);
/* What the elements are that it reads: a real transform acts on complex numbers if any axis has
 * another kind. */
spl_type sched_axis_type(const sluice_problem *problem, int axis);
bool sched_all_dft(const sluice_problem *problem); /* is every axis c2c? */
/* The axis whose transform is the i-th to run: from the last axis to the first one, but what takes
 * a half-spectrum is the last to run, and of reals the last axis runs after columns that leave
 * their rows folded. */
int sched_axis_order(const sluice_problem *problem, int i);
/* Elements of an axis that the other axes have as columns: n, or those of the half-spectrum. */
size_t sched_axis_columns(const sluice_problem *problem, int axis);
/* Does an axis have n elements on one side and the half-spectrum of n on the other? */
bool sched_axis_halves(const sluice_problem *problem, int axis);
/* The number that an axis of one point multiplies by, so that it needs no stage: of a DFT 1, of a
 * real matrix if another axis has more points. 0: it has none, as it changes the type of elements,
 * leaves zeros, or has more points. */
double sched_axis_constant(const sluice_problem *problem, int axis);
/* The product of those that are numbers. */
double sched_problem_constant(const sluice_problem *problem);

#endif
