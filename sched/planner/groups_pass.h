// SPDX-License-Identifier: BSD-3-Clause
/* A pass of groups through memory: what groups.c and groups_reals.c share. */
#ifndef SCHED_GROUPS_PASS_H
#define SCHED_GROUPS_PASS_H

#include "sched/planner/expand.h"
#include "sched/planner/groups.h"

enum { SCHED_PASS_STAGES = 4, SCHED_SECTORS = 4 /* of a line, what is moved at once at least */ };

typedef struct sched_pass {
    int stages;
    int64_t radix[SCHED_PASS_STAGES]; /* in the order in which they run */
    int64_t n, largest;
    int64_t w;    /* columns of a group */
    int buffers;  /* in local memory, as long as the transform; 0: one */
    bool divides; /* nothing is left over: what is between several passes merges with all of one */
} sched_pass;

/* Items that have work for one transform of one column: of stages between others, which work in
 * place, all at once; the first and the last one take turns. Of one or two stages those of
 * either. */
int64_t sched_group_items_of(const sched_pass *x);
/* Of a tree of stages, or of a transform that an item computes. */
sched_pass sched_group_pass(const sched_tree *tree);
/* Elements of a line of memory, a coalesced run. */
int64_t sched_group_line(const sched_target *t);
/* Does the pass keep elements in local memory? A DFT of an item with columns does not. */
bool sched_group_exchanges(const sched_pass *x, int64_t l);
/* The smallest radix of stages from .. to - 1. */
int64_t sched_group_smallest(const sched_pass *x, int from, int to);
/* 32-bit registers of an item that computes r points, with factors behind them or without. */
double sched_group_registers(const sched_target *t, int64_t r, bool turned);
/* Transforms of a kernel: of one that another kind comes down to as many as of that; and those that
 * groups share. */
int64_t sched_group_all(const sched_target *t, const sched_place *at);
int64_t sched_group_shared(const sched_target *t, const sched_place *at);

/* How b transforms lie in local memory, with a gap after each half of a line of banks: as numbers,
 * or as re, then im where DFTs and passes exchange them, of a sector or more, all stages at once
 * (spl/program/lower_halves.c). */
typedef struct sched_held {
    bool fits, halves;
    int64_t bytes, items;
} sched_held;

sched_held sched_group_held(const sched_target *t, const sched_pass *x, int64_t l, int64_t b);
/* Does a group hold b transforms of this pass? */
bool sched_group_fits(const sched_target *t, const sched_pass *x, int64_t l, int64_t b);

/* Factors T_{r,m} are m times so many numbers in memory. */
int64_t sched_group_turns(int64_t r);
/* Factors between stages, of a product's, as products of two. */
const spl *sched_group_split_turns(sched_target *t, const spl *x);

/* ---- groups_price.c ---- */

/* Of data that are read and written once. */
double sched_group_bytes_cycles(const sched_target *t, int64_t elements);
/* What an exchange of b transforms is of a pass. */
double sched_group_exchange(const sched_target *t, const sched_pass *x, int64_t l, int64_t b);
double sched_group_pass_cycles(const sched_target *t, const sched_pass *x, const sched_place *at);

/* ---- groups_expand.c ---- */

/* I_b (x) x, on every factor of x. */
const spl *sched_group_repeat(spl_ctx *ctx, const spl *x, int64_t b);

/* ---- groups_deal.c ---- */

/* What is added to a price where there is less of something than there should be. */
double sched_group_lacking(double part, double wanted, double had);
/* By how much a pass costs more on a side where neighbouring items reach runs of so many
 * elements. */
double sched_group_short_run(const sched_target *t, int64_t run);
/* Columns of a group, at most so many: those that divide all of them; or, where that is worth a
 * launch, `most` or the largest half, quarter, .. of it that fits. 0: no group holds them. */
int64_t sched_group_columns(const sched_target *t, const sched_pass *x, int64_t l, int64_t batch,
                            int64_t most);
/* As many as should be side by side, and items have work for. */
int64_t sched_group_most_columns(const sched_target *t, const sched_pass *x, int64_t l);
/* How many transforms a group computes, of `batch`: they have to be adjacent. */
int64_t sched_group_batch(const sched_target *t, const sched_pass *x, int64_t l, int64_t batch);
/* I_g (x) x, a group each. */
const spl *sched_group_distributed(sched_target *t, int64_t g, const spl *x);
/* I_pre (x) L_k^n (x) I_w: w columns of all rows each side by side, or back. */
const spl *sched_group_tiles(sched_target *t, int64_t pre, int64_t n, int64_t k, int64_t w);

/* I_pre (x) A (x) I_l, A of so many rows and columns. */
typedef struct sched_deal {
    int64_t pre, l, rows, cols, b, w; /* a group has b transforms, or w < l columns of one */
    const spl *moved;                 /* a permutation of A's rows behind the groups; NULL: none */
    /* I_b (x) A (x) I_w, by the factors of one group. */
    const spl *(*body)(sched_target *t, const struct sched_deal *d, int64_t b, int64_t w);
    const void *arg; /* A, for `body` */
} sched_deal;

const spl *sched_group_deal(sched_target *t, const sched_deal *d);

/* ---- groups_convolution.c ---- */

/* Does a group's memory hold a convolution for so many points? */
bool sched_group_holds_convolution(const sched_target *t, int64_t points);
/* Is it one whose transforms are passes of groups? */
bool sched_is_group_convolution(const sched_tree *tree);
/* I_pre (x) DFT_n (x) I_l by such a tree. */
const spl *sched_group_expand_convolution(sched_target *t, const sched_tree *tree, spl_kind kind,
                                          int64_t pre, int64_t l);
/* DFT_1 (x) I_points, dealt out to groups. */
const spl *sched_group_moved(sched_target *t, int64_t points);

/* ---- groups_reals.c ---- */

/* The DFT, convolution of groups, or other transform of an item that a tree of one transform comes
 * down to; NULL: there are more, or it is a convolution by parts. */
const sched_tree *sched_group_core(const sched_tree *tree);
/* I_b (x) x of a factor. */
const spl *sched_group_repeated(spl_ctx *ctx, int64_t b, const spl *x);
/* I_pre (x) A_n (x) I_l by a tree of another kind than DFT, on elements of this type. */
const spl *sched_group_expand_kind(sched_target *t, const sched_tree *tree, spl_kind kind,
                                   spl_type type, int64_t pre, int64_t l);

#endif
