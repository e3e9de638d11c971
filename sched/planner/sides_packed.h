// SPDX-License-Identifier: BSD-3-Clause
/* Transforms of reals with strided sides, computed on packed rows: sides_packed.c. */
#ifndef SCHED_SIDES_PACKED_H
#define SCHED_SIDES_PACKED_H

#include "sched/planner/find.h"

/* The problem without gaps in rows, for all transforms of a batch or a block of them, and the
 * target that it is planned for. */
typedef struct sched_packed {
    sluice_problem problem;
    sched_target target;
    bool moved[2];      /* the sides that are moved */
    int64_t all, block; /* transforms of the whole batch; transforms of `problem` */
} sched_packed;

/* False: no row has gaps, or rows with gaps are not moved (complex numbers, split or cyclic
 * sides). */
bool sched_pack_sides(const sched_target *t, const sluice_problem *p, sched_packed *out);
/* The same for a block of `count` transforms. */
sched_packed sched_packed_block(const sched_packed *x, int64_t count);
/* Adds to the candidates of the problem the cheapest of each kind (transposed.h) for a block. */
void sched_add_packed(const sched_target *t, const sched_packed *x, const sched_list *packed,
                      sched_list *all);
/* a, a formula of a block, between the moves of its sides. */
const spl *sched_with_packed_sides(const sched_target *t, const sched_packed *x, const spl *a);

#endif
