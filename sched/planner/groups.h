// SPDX-License-Identifier: BSD-3-Clause
/* Transforms on units whose parts are groups of work-items, each item with registers of its own,
 * each group with a local memory: a graphics processor. */
#ifndef SCHED_GROUPS_H
#define SCHED_GROUPS_H

#include "sched/planner/find.h"

/* Is a unit such? Its description has registers. */
bool sched_is_group(const sluice_unit_info *unit);
bool sched_has_groups(const sched_target *t);
/* How many items a group has at most. */
int64_t sched_group_items(const sluice_unit_info *unit);
/* Is the tree of a transform of this kind one of sched_groups_find, or around one? */
bool sched_is_grouped(const sched_target *t, const sched_tree *tree, spl_kind kind);
/* Candidates for a DFT in its place, cheapest first: products of stages within groups, of several
 * passes through memory if the transform does not fit a group. None if n has a prime factor that no
 * item computes. */
void sched_groups_find(sched_target *t, const sched_place *place, sched_list *out);
/* Such candidates for a DFT that has none of these: convolutions. None for short rows of a
 * batch. */
void sched_group_convolutions(sched_target *t, const sched_place *place, sched_list *out);
/* Is some of what the first stage reads zero? */
bool sched_group_is_padded(const spl *formula);
/* Of a transform of another kind that an item computes in its registers. */
double sched_group_leaf_cycles(const sched_target *t, const sched_place *place);
/* Of passes that pair so many numbers in front of or behind the DFT that a tree of another kind in
 * its place comes down to: an exchange, through local memory by halves where that is all it holds,
 * or a kernel of their own. */
double sched_group_pairs_cycles(const sched_target *t, const sched_tree *tree,
                                const sched_place *place, int64_t numbers);
/* I_pre (x) DFT_n (x) I_l by such a tree, distributed to groups. */
const spl *sched_groups_expand(sched_target *t, const sched_tree *tree, spl_kind kind, int64_t pre,
                               int64_t l);

#endif
