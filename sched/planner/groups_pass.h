// SPDX-License-Identifier: BSD-3-Clause
/* A pass of groups through memory: what groups.c and groups_reals.c share. */
#ifndef SCHED_GROUPS_PASS_H
#define SCHED_GROUPS_PASS_H

#include "sched/planner/expand.h"
#include "sched/planner/groups.h"

enum { SCHED_PASS_STAGES = 4 };

typedef struct sched_pass {
    int stages;
    int64_t radix[SCHED_PASS_STAGES]; /* in the order in which they run */
    int64_t n, smallest, largest;
    int64_t w;   /* columns of a group */
    int buffers; /* in local memory, as long as the transform; 0: one */
} sched_pass;

/* Of a tree of stages, or of a transform that an item computes. */
sched_pass sched_group_pass(const sched_tree *tree);
/* Columns of a group: a line of them, or all if these are fewer; those of a DFT of an item as many
 * as there should be items. 0: no group holds them. */
int64_t sched_group_columns(const sched_target *t, const sched_pass *x, int64_t l);
/* How many transforms a group computes, of `batch`: they have to be adjacent. */
int64_t sched_group_batch(const sched_target *t, const sched_pass *x, int64_t l, int64_t batch);
/* I_g (x) x, a group each. */
const spl *sched_group_distributed(sched_target *t, int64_t g, const spl *x);
/* I_pre (x) L_k^n (x) I_w: w columns of all rows each side by side, or back. */
const spl *sched_group_tiles(sched_target *t, int64_t pre, int64_t n, int64_t k, int64_t w);
/* I_b (x) x, on every factor of x. */
const spl *sched_group_repeat(spl_ctx *ctx, const spl *x, int64_t b);

/* ---- groups_reals.c ---- */

/* The DFT, or other transform of an item, that a tree of one transform comes down to; NULL: there
 * are more, or it is a convolution. */
const sched_tree *sched_group_core(const sched_tree *tree);
/* I_b (x) x of a factor. */
const spl *sched_group_repeated(spl_ctx *ctx, int64_t b, const spl *x);
/* I_pre (x) A_n (x) I_l by a tree of another kind than DFT, on elements of this type. */
const spl *sched_group_expand_kind(sched_target *t, const sched_tree *tree, spl_kind kind,
                                   spl_type type, int64_t pre, int64_t l);

#endif
