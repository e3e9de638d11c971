// SPDX-License-Identifier: BSD-3-Clause
/* The seven usage scenarios of Spiral for the Cell (Fig. 2, Table 3) as formulas, and (LP). */
#ifndef TESTS_HELPER_SCENARIO_H
#define TESTS_HELPER_SCENARIO_H

#include <stdint.h>

#include "sched/plan/plan.h"

/* DFT(n m) of n columns and m rows, or n x m points, on p parts in packets of mu columns, streamed
 * in s blocks; batches of b. */
typedef struct scenario_size {
    int64_t n, m, b, p, mu, s;
} scenario_size;

typedef struct scenario {
    const char *name;
    const char *nest;   /* loop nest on a machine with local stores, see scenario_nest */
    const char *uneven; /* nest if p does not divide n and m, or mu m/p; NULL: the same */
    bool planes, batch;
    const char *tags[2]; /* tags of the transform and of the batch; "": none */
} scenario;

enum { SCENARIOS = 9, SCENARIO_TEXT_SIZE = 1024 };
extern const scenario scenarios[SCENARIOS];

/* "PROBLEM := FORMULA" */
void scenario_line(const scenario *x, const scenario_size *size, const char *precision,
                   char line[SCENARIO_TEXT_SIZE]);
/* The kinds of loops, transfers and barriers of a program, kernels as k, repetitions omitted:
 * "stream(get sync par(k) sync put)". */
void scenario_nest(const prog *p, core_text *out);

#endif
