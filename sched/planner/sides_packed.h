// SPDX-License-Identifier: BSD-3-Clause
/* Strided sides of transforms of reals, computed where they are adjacent: sides_packed.c. */
#ifndef SCHED_SIDES_PACKED_H
#define SCHED_SIDES_PACKED_H

#include "sched/planner/find.h"

/* Transforms of which no row has gaps, all of a batch or a block of it, and the target that they are
 * planned for. */
typedef struct sched_packed {
    sluice_problem problem;
    sched_target target;
    bool moved[2];      /* the sides that lie elsewhere */
    int64_t all, block; /* transforms of the whole batch, and of the problem above */
} sched_packed;

/* false: no row has gaps, or what has is not moved: complex numbers, split or cyclic sides. */
bool sched_pack_sides(const sched_target *t, const sluice_problem *p, sched_packed *out);
/* The same for a block of `count` transforms. */
sched_packed sched_packed_block(const sched_packed *x, int64_t count);
/* Adds to the candidates of the problem the first of each kind of those of a block. */
void sched_add_packed(sched_target *t, const sched_packed *x, const sched_list *packed,
                      sched_list *all);
/* a, a formula of a block, between moves from and to where it lies. */
const spl *sched_with_packed_sides(sched_target *t, const sched_packed *x, const spl *a);

#endif
