// SPDX-License-Identifier: BSD-3-Clause
/* From a tree to its formula, with the tags of the machine. */
#ifndef SCHED_EXPAND_H
#define SCHED_EXPAND_H

#include "sched/planner/formula.h"

/* What the factors of a product carry themselves. */
typedef enum sched_tags {
    SCHED_BARE,  /* nothing: lanes and parts come from around the product */
    SCHED_LANES, /* vec       */
    SCHED_PARTS  /* vec, spe  */
} sched_tags;

/* The tags; each is left out where the machine has no use for it. */
const spl *sched_with_vec(sched_target *t, const spl *x);
const spl *sched_with_spe(sched_target *t, const spl *x, int64_t parts, int64_t mu);
/* A (x) I with the tags that are wanted, in tiles of so many columns (0: none). */
const spl *sched_with_columns(sched_target *t, const spl *x, int64_t tile, sched_tags tags);
/* x with every transform a codelet, on vectors of columns. */
const spl *sched_with_leaves(sched_target *t, const spl *x);
/* The loops that x consists of, shared by the parts. */
const spl *sched_with_shares(sched_target *t, const spl *x);

/* DFT_n (x) I_l, or its inverse, as the tree says. NULL where the context failed. */
const spl *sched_expand(sched_target *t, const sched_tree *x, bool inverse, int64_t l,
                        sched_tags tags);

#endif
