// SPDX-License-Identifier: BSD-3-Clause
/* Transforms on units whose parts are groups of work-items, such as graphics processors. Each item
 * has registers of its own, each group a local memory. */
#ifndef SCHED_GROUPS_H
#define SCHED_GROUPS_H

#include "sched/planner/find.h"

/* Is a unit of this kind? Its description has registers. */
bool sched_is_group(const sluice_unit_info *unit);
bool sched_has_groups(const sched_target *t);
/* The maximum of items in a group. */
int64_t sched_group_items(const sluice_unit_info *unit, const backend_groups *groups);
/* Does the tree of a transform of this kind come from sched_groups_find, or contain such a tree? */
bool sched_is_grouped(const sched_target *t, const sched_tree *tree, spl_kind kind);
/* Candidates for a DFT in its place, cheapest first: products of stages within groups, in several
 * passes through memory if the transform does not fit a group. None if n has a prime factor that no
 * item computes. */
void sched_groups_find(const sched_target *t, const sched_place *place, sched_list *out);
/* Convolutions, for a DFT without candidates by sched_groups_find(). None for short rows of a
 * batch. */
void sched_group_convolutions(const sched_target *t, const sched_place *place, sched_list *out);
/* Is part of what the first stage reads zero? */
bool sched_group_is_padded(const spl *formula);
/* Cycles of a transform, other than a DFT, that an item computes in its registers. */
double sched_group_leaf_cycles(const sched_target *t, const sched_place *place);
/* Cycles of stages that pair this many numbers before or after the DFT that is the core of a tree
 * of another kind in its place. Such a stage is an exchange through local memory, by halves if
 * there is no room for more, or a kernel of its own. */
double sched_group_pairs_cycles(const sched_target *t, const sched_tree *tree,
                                const sched_place *place, int64_t numbers);
/* I_pre (x) DFT_n (x) I_l by such a tree, distributed to groups. */
const spl *sched_groups_expand(const sched_target *t, const sched_tree *tree, spl_kind kind,
                               int64_t pre, int64_t l);

#endif
