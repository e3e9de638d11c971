// SPDX-License-Identifier: BSD-3-Clause
/* The price of a bound program (spl/bind/bind_tape.h) on a unit: what each op does is described to
 * the price of stages (price.h). */
#ifndef SPL_PRICE_TAPE_H
#define SPL_PRICE_TAPE_H

#include "spl/bind/bind_tape.h"
#include "spl/price/price.h"

/* Of the clock that cycles of costs are of. */
extern const double price_nominal_hz;

/* How often a loop runs in one unit's share of it; how often an op evaluates addresses: for each
 * element, or for every run of them. */
double price_iterations(const spl_range *range);
double price_evaluations(const bind_op *op);

typedef struct price_unit {
    const double *figure; /* PRICE_FIGURES of it, measured or modelled */
    price_sets l1, l2;
    /* Cycles of a step of a codelet in a stage, measured if `costs` (backends/backend.h) have
     * it. */
    double (*step_cycles)(const void *owner, const double *costs, const spl_codelet *codelet);
    const void *owner;
} price_unit;

/* Seconds that a call takes for results that it scales (tape_scaling.c). */
double price_scaling(const bind_tape *tape, const price_unit *unit, const bind_op *op);
/* Does a cache of so many bytes hold what a program reads and what it writes? */
bool price_fits(const bind_tape *tape, size_t bytes);
/* (*out)[i]: of statement i of the body; core_free. E_MEMORY. */
sluice_status price_tape_stages(const bind_tape *tape, const price_unit *unit, price_stage **out);
/* Seconds of all of them, and of the execution, which counts as cpu. E_MEMORY. */
sluice_status price_tape(const bind_tape *tape, const price_unit *unit, double *cpu,
                         double *memory);
/* Loops move their data in slices where that is cheaper (tape_slices.c). Local buffers may become
 * larger. E_MEMORY. */
sluice_status price_choose_slices(bind_tape *tape, const price_unit *unit, sluice_diag *why);

#endif
