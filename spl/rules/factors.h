// SPDX-License-Identifier: BSD-3-Clause
/* A product of Sigma-SPL as stages. A stage is the factors around one core that reads and writes;
 * merge rules match stages. */
#ifndef SPL_FACTORS_H
#define SPL_FACTORS_H

#include "spl/formula/spl.h"

/* Factors [left, core) scatter: S, diagonals, permutations, V^-1. [core, right) is the core or
 * nothing: a loop, a sum, a leaf, EMBED, RE. [right, end) gather: G, V, and permutations without a
 * scatter on their right that could absorb them. */
typedef struct spl_stage {
    int left, core, right, end;
} spl_stage;

/* The factors of a product; of anything else x alone. */
int spl_factors(const spl *const *x, const spl *const **factor);
/* Advances to the next stage of these factors; to the first if s->end is 0. False: no more. */
bool spl_next_stage(const spl *const *factor, int count, spl_stage *s);
/* Is there a core, and is it a loop or a sum? */
bool spl_has_core(const spl_stage *s);
bool spl_is_loop_or_sum(const spl *x);
/* x with `count` of its factors from `at` on replaced. */
const spl *spl_splice(spl_ctx *ctx, const spl *x, int at, int count, int with_count,
                      const spl *const *with);

/* The index of the leftmost or rightmost two adjacent factors that form such a pair; -1: none. */
typedef bool spl_pair(const spl *left, const spl *right);
int spl_find_pair(const spl *x, spl_pair *is_pair, bool rightmost);

bool spl_is_retype(const spl *x, spl_retype how);
/* V(m) or V(m)^-1? These move nothing: they belong to the gathers and the scatters around them. */
bool spl_is_pair_view(const spl *x);
bool spl_is_plain(const spl *x, spl_op op); /* a plain gather or scatter */
/* The first of factors [from, to) that is such a node; -1: none. */
int spl_find_factor(const spl *const *factor, int from, int to, spl_op op);
/* Does the first (last) stage inside loop x begin (end) with a copying scatter (gather)? */
bool spl_copies_inside(const spl *x, spl_op side);

#endif
