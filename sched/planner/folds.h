// SPDX-License-Identifier: BSD-3-Clause
/* Folds: permutations next to a transform in the right-hand sides of rules for real transforms, as
 * in DCT2_n = PAIRS DFT_n P(fold). A codelet reads and writes rows at one stride, so the DFT next
 * to a fold cannot take it into its addresses; a stage on the other side of the fold may. */
#ifndef SCHED_FOLDS_H
#define SCHED_FOLDS_H

#include "sched/planner/expand.h"
#include "sched/planner/tree.h"
#include "spl/rules/factors.h"

/* Does any of the factors first .. end-1 of a product read and write every element? */
bool sched_has_stage(const spl *x, int first, int end);
/* Is x a diagonal of factors of rows, which stages of the transform on its right multiply their
 * rows by? All l columns share the factors, which are signs, or roots of unity in order. */
bool sched_are_row_factors(const spl *x, int64_t l);
/* Can each stage of the tree's transform take its share of roots? */
bool sched_takes_roots(const sched_tree *tree);
/* Is factor i of a product an unnecessary copy on l columns? The diagonal on its left holds
 * twiddles, for which the last stage of the DFTs on its right has codelets. */
bool sched_is_spare_copy(const spl *x, int i, int64_t l);
/* Is factor i of a product a permutation, gather or diagonal next to a transform? */
bool sched_is_fold(const spl *x, int i);
/* That factor on l columns. Unchanged if a stage on its right writes what it reads; a gather if a
 * stage on its left reads what it writes; otherwise with a copy stage between the transform and the
 * fold. `roots`: the adjacent transform takes roots. */
const spl *sched_expand_fold(const sched_target *t, const spl *x, int i, int64_t l, sched_tags tags,
                             bool roots);
/* Gives the stages of a transform of columns the roots x on its left:
 *
 *     diag(w^{s i}) = PROD_q (I (x) diag(w^{s d_q i_q}) (x) I),   i = SUM_q d_q i_q
 *
 * where i_q is the row of stage q and d_q its stride. The factor of row 0 is 1 in each. */
const spl *sched_with_roots(const sched_target *t, const spl *x, const spl *stages);
/* The same for signs, Q_n = Q_r (x) I_(n/r), as factors of the last stage, which has an even number
 * r of rows. NULL: x are no signs, or there is no such stage. */
const spl *sched_with_signs(const sched_target *t, const spl *x, const spl *stages);

#endif
