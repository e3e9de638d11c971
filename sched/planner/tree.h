// SPDX-License-Identifier: BSD-3-Clause
/* What the planner chooses: trees of rules. A place is a transform together with its position in
 * the problem; a candidate for a place is a tree with its price. */
#ifndef SCHED_TREE_H
#define SCHED_TREE_H

#include "core/text.h"
#include "sched/planner/radix.h"
#include "spl/rules/rule.h"

/* Of members that say which side a stage transposes, BACKEND_ROWS_IN or BACKEND_ROWS_OUT: neither.
 *  */
#define SCHED_NOT_TRANSPOSING BACKEND_STAGE

/* How a transform is made: the rule that breaks it down, and how the transforms on the rule's
 * right-hand side are made, from left to right. Trees live as long as their context. */
typedef struct sched_tree {
    const spl_rule *rule; /* NULL: a codelet */
    spl_params params;
    int64_t n;         /* points; 0: a problem, whose kids are its axes */
    bool packed_sides; /* a problem: strided sides are moved to packed arrays (sides_packed.c) */
    /* A rule around one codelet: moves copy its rows in and out, so that several rows share a call
     * (rows_moved.c). */
    bool moved_rows;
    int64_t tile; /* columns of a tile, processed together; 0: all columns at once */
    int64_t
        block_rows;  /* rows that are computed as columns together (rows_as_columns.c); 0: none */
    bool pairs_rows; /* with block_rows: pairs of reals are complex numbers */
    /* the core of a right-hand side whose ends are moved with the rows (rows_transposed.c) */
    bool moved_ends;
    double cycles; /* price of one transform and its columns; 0: included in the parent's */
    int nkids;
    const struct sched_tree *kid[SLUICE_MAX_RANK]; /* NULL: an axis of one point */
} sched_tree;

/* Candidates, cheapest first. */
typedef struct sched_list {
    int count;
    const sched_tree *tree[SCHED_MAX_CANDIDATES];
} sched_list;

/* A copy of *x in ctx; NULL if out of memory. */
const sched_tree *sched_tree_new(spl_ctx *ctx, sched_tree x);
/* Do both make the same choices? */
bool sched_tree_equal(const sched_tree *a, const sched_tree *b);
/* Are any of its stages fused on tiles? False for a problem of several axes, which may differ in
 * this. */
bool sched_tree_fuses(const sched_tree *x);
/* Does the tree compute rows as columns (rows_as_columns.c)? */
bool sched_tree_has_columns(const sched_tree *x);
bool sched_tree_has_halves(const sched_tree *x);
/* Does a stage transpose between columns and rows (transposing_stages.c)? */
bool sched_tree_transposes(const sched_tree *x);
/* Is it a convolution? */
bool sched_tree_convolves(const sched_tree *x);
/* Inserts by price, after trees of equal price; drops the most expensive if there are more than
 * SCHED_MAX_CANDIDATES. */
void sched_list_insert(spl_ctx *ctx, sched_list *list, const sched_tree *x);
/* Is one of them a codelet? */
bool sched_list_has_codelet(const sched_list *list);
/* Is the list full, and does none of its trees cost more than `cycles`? */
bool sched_list_refuses(const sched_list *list, double cycles);
/* "32x4*16": the codelets in the order in which they run, '*' between fused ones, 'x' between
 * others. */
void sched_tree_print(const sched_tree *x, core_text *out);

#endif
