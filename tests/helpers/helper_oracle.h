// SPDX-License-Identifier: BSD-3-Clause
/* Transforms by the oracle, each of which is computed once: tests ask for the same one on every
 * instruction set, with other workers, at other addresses. */
#ifndef TESTS_HELPER_ORACLE_H
#define TESTS_HELPER_ORACLE_H

#include "sched/problem/problem.h"

/* The transform of x, of a problem without its batch: re, im pairs, valid until the next call.
 * Takes x, which core_calloc made. */
const long double *oracle_of(const sluice_problem *p, long double *x);

#endif
