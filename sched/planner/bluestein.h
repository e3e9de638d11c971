// SPDX-License-Identifier: BSD-3-Clause
/* Transforms whose size has a prime factor without codelet, by the rules dft-bluestein and
 * dft-rader. */
#ifndef SCHED_BLUESTEIN_H
#define SCHED_BLUESTEIN_H

#include "sched/planner/stockham.h"

/* The best convolutions for DFT_n (x) I_l; none if n is too long for them. */
void sched_find_convolutions(sched_target *t, int64_t n, int64_t l, sched_list *out);
/* x, the right-hand side of such a tree's rule, expanded (x) I_l. NULL if the context failed. */
const spl *sched_expand_convolution(sched_target *t, const sched_tree *tree, const spl *x,
                                    int64_t l, sched_tags tags);
/* DFT_1 (x) I_points: what moves elements in vectors, so that a diagonal may stand next to it. */
const spl *sched_copy_stage(sched_target *t, int64_t points, sched_tags tags);

#endif
