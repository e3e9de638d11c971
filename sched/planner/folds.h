// SPDX-License-Identifier: BSD-3-Clause
/* Permutations in the right-hand sides of rules for real transforms, as DCT2_n = PAIRS DFT_n
 * P(fold): a codelet reads and writes rows evenly apart, so they belong into the addresses of
 * another stage than that of the adjacent DFT. */
#ifndef SCHED_FOLDS_H
#define SCHED_FOLDS_H

#include "sched/planner/expand.h"
#include "sched/planner/tree.h"
#include "spl/rules/factors.h"

/* Are factors first .. end-1 of a product any that read and write every element? */
bool sched_has_stage(const spl *x, int first, int end);
/* A diagonal that stages of the transform on its right multiply their rows by, as columns share it:
 * signs, or roots of unity in order. */
bool sched_are_row_factors(const spl *x, int64_t l);
/* Can all stages of such a transform have their share of roots? */
bool sched_takes_roots(const sched_tree *tree);
/* Is factor i of a product a copy on l columns whose diagonal, of twiddles, the last stage of the
 * DFTs on its right has codelets for? */
bool sched_is_spare_copy(const spl *x, int i, int64_t l);
/* Is factor i of a product a permutation, gather or diagonal next to a transform? */
bool sched_is_fold(const spl *x, int i);
/* That factor on l columns: as it is, where a stage on its right writes what it reads; as a gather,
 * where a stage on its left reads what it writes; else with a copy stage between the transform and
 * it. `roots`: the transform beside it takes roots. */
const spl *sched_expand_fold(sched_target *t, const spl *x, int i, int64_t l, sched_tags tags,
                             bool roots);
/* Gives the stages of a transform of columns the roots x on its left:
 *     diag(w^{s i}) = PROD_q (I (x) diag(w^{s d_q i_q}) (x) I),   i = SUM_q d_q i_q,
 * i_q the row of stage q. Each has 1 in row 0. */
const spl *sched_with_roots(sched_target *t, const spl *x, const spl *stages);
/* The same of signs, Q_n = Q_r (x) I_(n/r), as factors of the last stage, of an even number r of
 * rows. NULL: these are no signs, or there is no such stage. */
const spl *sched_with_signs(sched_target *t, const spl *x, const spl *stages);

#endif
