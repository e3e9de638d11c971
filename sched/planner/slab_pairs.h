// SPDX-License-Identifier: BSD-3-Clause
/* Slabs of an axis whose transform is pairs, a DFT and a fold of the rows. The DFT gives its first
 * radix to the slabs, the pairs follow on all columns, and the fold becomes part of what the blocks
 * read. */
#ifndef SCHED_SLAB_PAIRS_H
#define SCHED_SLAB_PAIRS_H

#include "sched/planner/expand.h"

/* Can an axis of this kind have this many rows, or slabs of this radix? It can if it is a DFT, or
 * such a product. */
bool sched_slab_suits(spl_kind kind, int64_t rows);
/* Does the kind change the signs of the second half of its DFT's input? */
bool sched_slab_has_signs(spl_kind kind);
/* The pairs on the left of the DFT in A_n (x) I_columns, with tags. If an order J reverses its
 * results, J is on both sides of the pairs, so that they read rows where they write them. NULL
 * if the context failed, or for a DFT. */
const spl *sched_slab_left(const sched_target *t, spl_kind kind, int64_t n, int64_t columns,
                           sched_tags tags);
/* I_pre (x) J (x) I_l for n rows, if the kind has J. J_n DFT_n becomes J_m DFT_m on the left and
 * J_r on the slabs' DFT_r. */
const spl *sched_slab_order(const sched_target *t, spl_kind kind, int64_t pre, int64_t n,
                            int64_t l);
/* The fold on the right of the DFT, `pre` times; an identity if there is none. */
const spl *sched_slab_right(const sched_target *t, spl_kind kind, int64_t n, int64_t columns,
                            int64_t pre);

#endif
