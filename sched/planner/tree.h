// SPDX-License-Identifier: BSD-3-Clause
/* What the planner chooses: trees of rules. A place is a transform where it stands; a candidate for
 * it is a tree with its price. */
#ifndef SCHED_TREE_H
#define SCHED_TREE_H

#include "core/text.h"
#include "sched/planner/radix.h"
#include "spl/rules/rule.h"

/* How a transform is made: the rule that breaks it down, and how the transforms on the rule's
 * right-hand side are made, from left to right. Trees live as long as their context. */
typedef struct sched_tree {
    const spl_rule *rule; /* NULL: a codelet */
    spl_params params;
    int64_t n;     /* points; 0: a problem, whose axes are the kids                   */
    int64_t tile;  /* columns that are done together, as a tile; 0: all of them        */
    double cycles; /* the price: of one transform and its columns; 0: in that above it */
    int nkids;
    const struct sched_tree *kid[SLUICE_MAX_RANK]; /* NULL: an axis of one point */
} sched_tree;

/* Candidates, cheapest first. */
typedef struct sched_list {
    int count;
    const sched_tree *tree[SCHED_MAX_CANDIDATES];
} sched_list;

/* A copy of *x in ctx; NULL where that failed. */
const sched_tree *sched_tree_new(spl_ctx *ctx, sched_tree x);
/* Do both make the same choices? */
bool sched_tree_equal(const sched_tree *a, const sched_tree *b);
/* Inserts by price, after those of the same; of more than SCHED_MAX_CANDIDATES the dearest goes. */
void sched_list_insert(spl_ctx *ctx, sched_list *list, const sched_tree *x);
/* Is there no place in the list for something at that price? */
bool sched_list_refuses(const sched_list *list, double cycles);
/* "32x4*16": the codelets in the order in which they run, '*' between those that share tiles. */
void sched_tree_print(const sched_tree *x, core_text *out);

#endif
