// SPDX-License-Identifier: BSD-3-Clause
/* Expands a tree to its formula, with the tags of the machine. */
#ifndef SCHED_EXPAND_H
#define SCHED_EXPAND_H

#include "sched/planner/formula.h"

/* The tags of each factor of a product. */
typedef enum sched_tags {
    SCHED_BARE,  /* none: the product as a whole has them */
    SCHED_LANES, /* vec       */
    SCHED_PARTS  /* vec, spe  */
} sched_tags;

/* x with the tag, unless the machine has no use for it. */
const spl *sched_with_vec(const sched_target *t, const spl *x);
const spl *sched_with_spe(const sched_target *t, const spl *x, int64_t parts, int64_t mu);
/* Do all parts have work if rows are distributed? A device has more parts than it computes at a
 * time, so a few rows for each compute unit are enough: distributing the work within rows would
 * take launches for each row. */
bool sched_fill_parts(const sched_target *t, int64_t rows);
/* Parts for each unit of long batches on cores, so that a delayed unit claims fewer of them. */
enum { SCHED_UNIT_PARTS = 4 };
/* I_batch (x) x, whole transforms for each part. Long batches on cores have SCHED_UNIT_PARTS times
 * as many parts as there are units. Groups of a device outnumber its units anyway. */
const spl *sched_with_batch_spe(const sched_target *t, const spl *x, int64_t batch);
/* A (x) I with these tags, in tiles of `tile` columns (0: no tiles). */
const spl *sched_with_columns(const sched_target *t, const spl *x, int64_t tile, sched_tags tags);
bool sched_is_trivial(const spl *x); /* DFT(1) */
/* DFT(1) (x) I(n): a stage that only moves elements */
bool sched_is_copy(const spl *x);
/* Is x a sum that contains transforms, between moves? */
bool sched_is_sum(const spl *x);
/* Does `is` hold for any node of the formula? */
bool sched_has(const spl *x, bool (*is)(const spl *));
/* x with every transform as a codelet on vectors of columns. */
const spl *sched_with_leaves(const sched_target *t, const spl *x);
/* x, a loop or a sum of loops, with its iterations distributed to the parts. */
const spl *sched_with_shares(const sched_target *t, const spl *x);

/* Is x DFT_n with columns and rows, I_a (x) DFT_n (x) I_b? */
bool sched_is_dft_stage(const spl *x);

/* A_n (x) I_l by a tree for A_n, a transform of this kind. A tree for a DFT serves the inverse DFT
 * as well. NULL if the context failed. */
const spl *sched_expand(const sched_target *t, const sched_tree *x, spl_kind kind, int64_t l,
                        sched_tags tags);
/* The same by applying the tree's rule and expanding its factors one by one. */
const spl *sched_expand_rule(const sched_target *t, const sched_tree *tree, spl_kind kind,
                             int64_t l, sched_tags tags);

#endif
