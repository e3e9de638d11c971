// SPDX-License-Identifier: BSD-3-Clause
/* Executions that units of several kinds share, in tests: data whose transforms tell who computed
 * them, as what fake units "compute" is a copy. */
#ifndef TESTS_HELPER_KINDS_H
#define TESTS_HELPER_KINDS_H

#include <stdatomic.h>

#include "sched/plan/plan_kinds.h"

enum { KINDS_POINTS = 16, KINDS_COUNT = 200 };
typedef float kinds_item[KINDS_POINTS][2];

extern const char kinds_problem[]; /* KINDS_COUNT transforms of KINDS_POINTS points */
/* A device that has a quarter to three quarters of it, by prediction, and its transfers. */
#define KINDS_DEVICE "depth=2,delay=20"
/* Random points, and their transforms by a core. */
extern kinds_item kinds_source[KINDS_COUNT], kinds_by_cpu[KINDS_COUNT];

/* Setup of a group of tests, which then have four minutes: makes the data. */
int kinds_setup(void **state);
/* A machine that counts its warnings of failures, from 0 on; the caller closes it. */
sluice_machine *kinds_open(const char *units);
extern atomic_int kinds_warnings;
/* Fails the test where there is none. `fallback` may be NULL. */
sluice_plan *kinds_plan(sluice_machine *m, const char *problem, const char *fallback);
/* Transforms that the k-th kind computes. */
size_t kinds_share(const sluice_plan *plan, int k);
/* Is every transform from `first` on that of `expected`? */
bool kinds_same(kinds_item *result, kinds_item *expected, size_t first, size_t count);

#endif
