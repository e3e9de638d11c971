// SPDX-License-Identifier: BSD-3-Clause
/* From a tree to its formula, with the tags of the machine. */
#ifndef SCHED_EXPAND_H
#define SCHED_EXPAND_H

#include "sched/planner/formula.h"

/* The tags that each factor of a product gets. */
typedef enum sched_tags {
    SCHED_BARE,  /* none: they are on the product as a whole */
    SCHED_LANES, /* vec       */
    SCHED_PARTS  /* vec, spe  */
} sched_tags;

/* With a tag, unless the machine has no use for it. */
const spl *sched_with_vec(sched_target *t, const spl *x);
const spl *sched_with_spe(sched_target *t, const spl *x, int64_t parts, int64_t mu);
/* Have all parts work if rows are distributed? A device has more of them than it computes at a
 * time: so many that each of its units has some rows are enough, as what is distributed within rows
 * takes launches for each. */
bool sched_fill_parts(const sched_target *t, int64_t rows);
/* I_batch (x) x, whole transforms for each part. Long batches have more parts than there are units:
 * a unit that is delayed claims fewer of them. Groups are more than the units that run them. */
const spl *sched_with_batch_spe(sched_target *t, const spl *x, int64_t batch);
/* A (x) I with these tags, in tiles of `tile` columns (0: none). */
const spl *sched_with_columns(sched_target *t, const spl *x, int64_t tile, sched_tags tags);
bool sched_is_trivial(const spl *x); /* DFT(1) */
/* DFT(1) (x) I(n): a stage that only moves elements */
bool sched_is_copy(const spl *x);
/* A sum of transforms between moves. */
bool sched_is_sum(const spl *x);
/* Is a node of the formula one? */
bool sched_has(const spl *x, bool (*is)(const spl *));
/* x with every transform as a codelet on vectors of columns. */
const spl *sched_with_leaves(sched_target *t, const spl *x);
/* x, a loop or a sum of loops, with the iterations shared by the parts. */
const spl *sched_with_shares(sched_target *t, const spl *x);

/* A_n (x) I_l by a tree for A_n, the transform of a kind, or for its inverse if that is a DFT. NULL
 * if the context failed. */
const spl *sched_expand(sched_target *t, const sched_tree *x, spl_kind kind, int64_t l,
                        sched_tags tags);
/* The same by the tree's rule, its factors one by one. */
const spl *sched_expand_rule(sched_target *t, const sched_tree *tree, spl_kind kind, int64_t l,
                             sched_tags tags);

#endif
