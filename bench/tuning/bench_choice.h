// SPDX-License-Identifier: BSD-3-Clause
/* The choice of a plan for groups of work-items: its parameters and its time. */
#ifndef BENCH_CHOICE_H
#define BENCH_CHOICE_H

#include "bench/engine/bench_engine.h"

enum { BENCH_CHOICE_KERNELS = 8 };

/* Counted from the plan's kernels, see docs/EMIT.md. */
typedef struct bench_kernel {
    double groups, items, registers, local_bytes; /* registers of an item, bytes of a group */
    /* groups that a unit has at a time, by equations (1) to (3) */
    double groups_of_unit, occupancy;
} bench_kernel;

typedef struct bench_choice {
    char *formula;    /* the plan's line */
    char radices[96]; /* of each axis */
    bench_kernel kernel[BENCH_CHOICE_KERNELS];
    int kernels; /* 0: not counted */
    bench_engine engine;
} bench_choice;

/* Plans the problem. bench_choice_close must be called whatever is returned. */
sluice_status bench_choice_open(bench_choice *c, sluice_machine *machine,
                                const sluice_problem *problem, sluice_effort effort,
                                sluice_diag *why);
void bench_choice_close(bench_choice *c);

#endif
