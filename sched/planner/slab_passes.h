// SPDX-License-Identifier: BSD-3-Clause
/* Slabs of an axis whose transform is a pass, a DFT and a fold of the rows: the DFT gives its first
 * radix to them, the pass follows on all columns, and the fold goes into what the blocks read. */
#ifndef SCHED_SLAB_PASSES_H
#define SCHED_SLAB_PASSES_H

#include "sched/planner/expand.h"

/* Can an axis of this many rows, or slabs of that radix, be of this kind: a DFT, or such a
 * product? */
bool sched_slab_suits(spl_kind kind, int64_t rows);
/* Does the kind change the signs of the second half of what its DFT reads? */
bool sched_slab_has_signs(spl_kind kind);
/* The pass on the left of the DFT in A_n (x) I_columns, with tags; what reverses its results, J, is
 * on both sides of it, so that it reads rows where it writes them. NULL if the context failed, or
 * of a DFT. */
const spl *sched_slab_left(sched_target *t, spl_kind kind, int64_t n, int64_t columns,
                           sched_tags tags);
/* J (x) I_l of n rows, I_pre (x) that, if the kind has it: J_n DFT_n is J_m DFT_m on the left and
 * J_r on the slabs' DFT_r. */
const spl *sched_slab_order(sched_target *t, spl_kind kind, int64_t pre, int64_t n, int64_t l);
/* The fold on its right, `pre` times; an identity if there is none. */
const spl *sched_slab_right(sched_target *t, spl_kind kind, int64_t n, int64_t columns,
                            int64_t pre);

#endif
