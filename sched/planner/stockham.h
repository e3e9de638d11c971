// SPDX-License-Identifier: BSD-3-Clause
/* Products of stages: DFT_n as a formula, once its radices are chosen; and the tags of the machine
 * on parts of it. */
#ifndef SCHED_STOCKHAM_H
#define SCHED_STOCKHAM_H

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
const spl *sched_with_leaves(sched_target *t, const spl *x);
const spl *sched_with_shares(sched_target *t, const spl *x);

/* A local store holds two blocks to be filled, two to be emptied, two between stages (rule local). */
enum { SCHED_STREAM_BLOCKS = 6 };

int64_t sched_element_bytes(const sched_target *t); /* of a complex number */
/* Complex numbers of one or two cache lines, whole vectors. */
int64_t sched_tile_columns(const sched_target *t);
/* The planner's model of DFT_n with `columns` beside it and `batch` of them in turn. */
sched_radix_model sched_model(const sched_target *t, int64_t columns, int64_t batch);

/* DFT_n (x) I_l, n the product of the radices. NULL where the context failed. */
const spl *sched_stockham(sched_target *t, const sched_radices *radices, bool inverse, int64_t l,
                          sched_tags tags);

#endif
