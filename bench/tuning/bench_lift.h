// SPDX-License-Identifier: BSD-3-Clause
/* The suite `lift`: one long transform on a device by given formulas (Stockham, Cooley-Tukey and
 * hierarchical) and by the planner's choice, as in figures 7 and 8 of the paper on FFTs in LIFT. */
#ifndef BENCH_LIFT_H
#define BENCH_LIFT_H

#include "bench/bench_options.h"

extern const char bench_lift_name[]; /* in --suite */

/* Compares outputs and times all engines in turn; prints a record a line, to `json` too. Failures
 * have been reported. */
bench_exit bench_lift_run(const bench_options *o, sluice_machine *machine, FILE *json);

#endif
