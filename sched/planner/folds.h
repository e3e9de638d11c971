// SPDX-License-Identifier: BSD-3-Clause
/* Permutations in the right-hand sides of rules for real transforms, as DCT2_n = PAIRS DFT_n
 * P(fold): a codelet reads and writes rows evenly apart, so they belong into the addresses of
 * another stage than that of the DFT beside them. */
#ifndef SCHED_FOLDS_H
#define SCHED_FOLDS_H

#include "sched/planner/expand.h"

/* V or V^-1? */
bool sched_is_view(const spl *x);
/* Are factors first .. end-1 of a product any that read and write every element? */
bool sched_has_stage(const spl *x, int first, int end);
/* Signs that the last stage of the transform on their right gives its rows, as columns share them? */
bool sched_are_row_signs(const spl *x, int64_t l);
/* Is factor i of a product a permutation, gather or diagonal beside a transform? */
bool sched_is_fold(const spl *x, int i);
/* That factor on l columns: as it is, where a stage on its right writes what it reads; as a gather,
 * where a stage on its left reads what it writes; else with a copy stage between the transform and
 * it. */
const spl *sched_expand_fold(sched_target *t, const spl *x, int i, int64_t l, sched_tags tags);

#endif
