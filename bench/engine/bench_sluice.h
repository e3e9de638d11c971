// SPDX-License-Identifier: BSD-3-Clause
/* Sluice as an engine. */
#ifndef BENCH_SLUICE_H
#define BENCH_SLUICE_H

#include "bench/engine/bench_engine.h"

/* Plans `problem`, whose `workers` is the engine's; the planning is timed. */
sluice_status bench_sluice_open(bench_engine *e, sluice_machine *machine,
                                const sluice_problem *problem, sluice_effort effort,
                                sluice_diag *why);
/* Plans a formula, "PROBLEM := FORMULA", whose sides are interleaved. */
sluice_status bench_sluice_open_formula(bench_engine *e, sluice_machine *machine,
                                        const char *formula, sluice_precision precision,
                                        sluice_diag *why);
const char *bench_effort_name(sluice_effort effort);

#endif
