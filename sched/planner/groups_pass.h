// SPDX-License-Identifier: BSD-3-Clause
/* A pass of groups through memory: declarations shared by groups.c and groups_reals.c. */
#ifndef SCHED_GROUPS_PASS_H
#define SCHED_GROUPS_PASS_H

#include "sched/planner/expand.h"
#include "sched/planner/groups.h"

enum { SCHED_PASS_STAGES = 4, SCHED_SECTORS = 4 /* per line; memory moves whole sectors */ };

typedef struct sched_pass {
    int stages;
    int64_t radix[SCHED_PASS_STAGES]; /* in the order of execution */
    int64_t n, largest;
    int64_t w;   /* columns of a group */
    int buffers; /* of local memory, each as long as the transform; 0: one */
    /* No remainder: what stands between several passes merges with all of one pass. */
    bool divides;
} sched_pass;

/* Items that have work for one transform of one column. The stages between the first and the last
 * work in place, all their items at once; the first and the last may take several rounds. Of one or
 * two stages the larger number counts. */
int64_t sched_group_items_of(const sched_pass *x);
/* The pass of a tree of stages, or of a transform that an item computes. */
sched_pass sched_group_pass(const sched_tree *tree);
/* Elements of a cache line, a coalesced run. */
int64_t sched_group_line(const sched_target *t);
/* Does the pass keep elements in local memory? A DFT of an item with columns does not. */
bool sched_group_exchanges(const sched_pass *x, int64_t l);
/* The smallest radix of stages from .. to - 1. */
int64_t sched_group_smallest(const sched_pass *x, int from, int to);
/* 32-bit registers of an item that computes r points, `twiddled`: followed by twiddles. */
double sched_group_registers(const sched_target *t, int64_t r, bool twiddled);
/* Transforms of a kernel (for the core of another kind, those of that kind), and how many of them
 * groups may share. */
int64_t sched_group_all(const sched_target *t, const sched_place *at);
int64_t sched_group_shared(const sched_target *t, const sched_place *at);

/* The local memory and the items that b transforms take, with a gap after each half of a line of
 * banks. `halves`: re and im are exchanged one after the other between DFTs and pairs, in half the
 * memory, if columns fill a sector; then all stages have all items at once
 * (spl/program/lower_halves.c). */
typedef struct sched_held {
    bool fits, halves;
    int64_t bytes, items;
} sched_held;

sched_held sched_group_held(const sched_target *t, const sched_pass *x, int64_t l, int64_t b);
/* Can a group hold b transforms of this pass? */
bool sched_group_fits(const sched_target *t, const sched_pass *x, int64_t l, int64_t b);

/* The factors T_{r,m} in memory are m times this many numbers. */
int64_t sched_group_turns(int64_t r);
/* x with the twiddles between stages as products of two factors. */
const spl *sched_group_split_turns(const sched_target *t, const spl *x);

/* ---- groups_price.c ---- */

/* Cycles of elements that are read and written once. */
double sched_group_bytes_cycles(const sched_target *t, int64_t elements);
/* The cost of an exchange of b transforms, relative to a pass. */
double sched_group_exchange(const sched_target *t, const sched_pass *x, int64_t l, int64_t b);
double sched_group_pass_cycles(const sched_target *t, const sched_pass *x, const sched_place *at);

/* ---- groups_expand.c ---- */

/* I_b (x) x, applied to every factor of x. */
const spl *sched_group_repeated_factors(spl_ctx *ctx, const spl *x, int64_t b);

/* ---- groups_deal.c ---- */

/* The extra price, relative, if there is less of something than wanted. */
double sched_group_lacking(double part, double wanted, double had);
/* The extra price, relative, of a side of a pass whose neighbouring items access runs of this many
 * elements. */
double sched_group_short_run(const sched_target *t, int64_t run);
/* Columns of a group, at most `most`: a divisor of l; or, if that saves more than a launch, `most`
 * or the largest half, quarter, .. of it that fits. 0: no group holds them. */
int64_t sched_group_columns(const sched_target *t, const sched_pass *x, int64_t l, int64_t batch,
                            int64_t most);
/* The preferred number of columns: enough for coalesced runs, or for work for all items. */
int64_t sched_group_most_columns(const sched_target *t, const sched_pass *x, int64_t l);
/* The number of transforms that a group computes, of `batch`; their data must be adjacent. */
int64_t sched_group_batch(const sched_target *t, const sched_pass *x, int64_t l, int64_t batch);
/* I_g (x) x, one group for each x. */
const spl *sched_group_distributed(const sched_target *t, int64_t g, const spl *x);
/* I_pre (x) L_k^n (x) I_w: makes w columns of all rows adjacent, or the reverse. */
const spl *sched_group_tiles(const sched_target *t, int64_t pre, int64_t n, int64_t k, int64_t w);

/* I_pre (x) A (x) I_l to distribute, where A has this many rows and columns. */
typedef struct sched_deal {
    int64_t pre, l, rows, cols, b, w; /* a group has b transforms, or w < l columns of one */
    const spl *moved;                 /* a permutation of A's rows after the groups; NULL: none */
    /* I_b (x) A (x) I_w, as the factors of one group. */
    const spl *(*body)(const sched_target *t, const struct sched_deal *d, int64_t b, int64_t w);
    const void *arg; /* A, for `body` */
} sched_deal;

const spl *sched_group_deal(const sched_target *t, const sched_deal *d);

/* ---- groups_convolution.c ---- */

/* Does a group's memory hold a convolution for this many points? */
bool sched_group_holds_convolution(const sched_target *t, int64_t points);
/* Is it a convolution whose transforms are passes of groups? */
bool sched_is_group_convolution(const sched_tree *tree);
/* I_pre (x) DFT_n (x) I_l by such a tree. */
const spl *sched_group_expand_convolution(const sched_target *t, const sched_tree *tree,
                                          spl_kind kind, int64_t pre, int64_t l);
/* DFT_1 (x) I_points, distributed to groups. */
const spl *sched_group_moved(const sched_target *t, int64_t points);

/* ---- groups_reals.c ---- */

/* The core of a tree with one transform: a DFT, a convolution of groups, or another transform of an
 * item. NULL: there are several transforms, or a convolution by parts. */
const sched_tree *sched_group_core(const sched_tree *tree);
/* I_b (x) x for a factor x. */
const spl *sched_group_repeated_factor(spl_ctx *ctx, int64_t b, const spl *x);
/* I_pre (x) A_n (x) I_l by a tree of a kind other than DFT, on elements of this type. */
const spl *sched_group_expand_kind(const sched_target *t, const sched_tree *tree, spl_kind kind,
                                   spl_type type, int64_t pre, int64_t l);

#endif
