// SPDX-License-Identifier: BSD-3-Clause
/* Slabs of an axis whose transform is a pass, a DFT and a fold of the rows: the DFT gives its first
 * radix to them, the pass follows on all columns, and the fold goes into what the blocks read. */
#ifndef SCHED_SLAB_PASSES_H
#define SCHED_SLAB_PASSES_H

#include "sched/planner/expand.h"

/* Can an axis of this many rows, or slabs of that radix, be of this kind: a DFT, or such a
 * product? */
bool sched_slab_suits(spl_kind kind, int64_t rows);
/* The pass on the left of the DFT in A_n (x) I_columns, with tags. NULL if the context failed, or
 * of a DFT. */
const spl *sched_slab_left(sched_target *t, spl_kind kind, int64_t n, int64_t columns,
                           sched_tags tags);
/* The fold on its right, `pre` times; an identity if there is none. */
const spl *sched_slab_right(sched_target *t, spl_kind kind, int64_t n, int64_t columns,
                            int64_t pre);

#endif
