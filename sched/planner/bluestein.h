// SPDX-License-Identifier: BSD-3-Clause
/* Transforms whose size has a prime factor without a codelet, by the rules dft-bluestein and
 * dft-rader. */
#ifndef SCHED_BLUESTEIN_H
#define SCHED_BLUESTEIN_H

#include "sched/planner/stockham.h"

/* The cheapest convolutions for DFT_n (x) I_l; none if n is too long. */
void sched_find_convolutions(const sched_target *t, int64_t n, int64_t l, sched_list *out);
/* x (x) I_l, where x is the right-hand side of such a tree's rule, expanded. NULL if the context
 * failed. */
const spl *sched_expand_convolution(const sched_target *t, const sched_tree *tree, const spl *x,
                                    int64_t l, sched_tags tags);
/* DFT_1 (x) I_points: a stage that only moves elements, in vectors, so that a diagonal can merge
 * into it. */
const spl *sched_copy_stage(const sched_target *t, int64_t points, sched_tags tags);

#endif
