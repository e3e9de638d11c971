// SPDX-License-Identifier: BSD-3-Clause
/* Structures of plans in tests: machines whose caches are so small that plans of few points have
 * the structures of large ones, every plan that the planner offers for a problem, and what such a
 * plan says of itself.
 *
 * A trip is one pass through the data: a stage, or two stages that are joined. */
#ifndef TESTS_HELPER_STRUCTURE_H
#define TESTS_HELPER_STRUCTURE_H

#include "sched/plan/plan.h"
#include "sched/planner/radix.h"

/* A machine with 16 KiB of L1 and 32 KiB of L2. `local_store` 0: derived from these. NULL if this
 * processor lacks the instructions; any other failure fails the test. */
sluice_machine *structure_machine(const char *units, const char *isa, size_t local_store);

/* The same with caches in hwloc's notation for synthetic topologies. */
sluice_machine *structure_machine_of(const char *caches, const char *units, const char *isa,
                                     size_t local_store);

/* Calls the test with such a machine of every instruction set that this processor has. */
typedef void structure_test(sluice_machine *m, const char *isa);
void structure_of_isas(const char *units, size_t local_store, structure_test *test);

/* Caches for it that do not hold arrays of some megabytes. */
#define STRUCTURE_BEYOND_CACHES                                                                    \
    "pack:1 l3:1(size=524288) l2:1(size=262144) l1d:1(size=32768) core:1 pu:1"

/* The planner's plan number `candidate` by predicted time, the last one where there are fewer;
 * fails the test, with the text, where there is none. */
sluice_plan *structure_plan(sluice_machine *m, const char *problem, int candidate);
int structure_candidates(const sluice_plan *plan); /* how many there are */
int structure_rank(const sluice_plan *plan);       /* its place in the plan's own list; -1: none */

/* Does its placement have that text? */
bool structure_places(const sluice_plan *plan, const char *part);

/* The lists of chosen radices from the plan's comments, last axis first. Returns their number;
 * fails the test if a line cannot be read. */
enum { STRUCTURE_AXES = 8 };
int structure_lists(const sluice_plan *plan, sched_radices list[STRUCTURE_AXES]);
int structure_memory_passes(const sched_radices *list);
bool structure_first_pair(const sched_radices *list); /* are its first two stages fused? */
int64_t structure_points(
    const sched_radices *list); /* points of the transform, the product of all radices */
/* Number of the program's statements outside loops, without barriers. */
int structure_top(const sluice_plan *plan);
/* The radix of an axis that belongs to a slab; 1: there is no slab. */
int64_t structure_slab(const sluice_plan *plan);

/* Executes the plan on random data and checks; a failure prints the problem and the plan. */
void structure_check(const sluice_plan *plan, const char *problem, uint64_t seed);

/* Executes a plan at a line of caches and beyond one: the bits of `other`, and nothing beside the
 * result is touched; a failure prints the problem and the plan. */
void structure_compare(const sluice_plan *plan, const sluice_plan *other, const char *problem);

#endif
