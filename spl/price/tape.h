// SPDX-License-Identifier: BSD-3-Clause
/* The price of a bound program (spl/bind/bind_tape.h) on a unit. Each op is described as a
 * price_binding, from which price.h computes the price of its stage. */
#ifndef SPL_PRICE_TAPE_H
#define SPL_PRICE_TAPE_H

#include "spl/bind/bind_tape.h"
#include "spl/price/price.h"

/* Rate of the nominal clock that cycles of costs count. */
extern const double price_nominal_hz;

/* Iterations of a loop in one unit's share of it; and how often an op evaluates an address: for
 * each element, or for each run of elements. */
double price_iterations(const spl_range *range);
double price_evaluations(const bind_op *op);

typedef struct price_unit {
    const double *figure; /* its PRICE_FIGURES, measured or modelled */
    price_sets l1, l2;
    /* Cycles of a step of a codelet in a stage, measured if `costs` (backends/backend.h) have it,
     * else predicted. */
    double (*step_cycles)(const void *owner, const double *costs, const spl_codelet *codelet);
    const void *owner;
} price_unit;

/* Seconds that a call takes to scale its results (tape_scaling.c). */
double price_scaling(const bind_tape *tape, const price_unit *unit, const bind_op *op);
/* Does a cache of so many bytes hold the input and the output of a program? */
bool price_fits(const bind_tape *tape, size_t bytes);
/* Sets (*out)[i] for statement i of the body, to be freed by core_free. E_MEMORY. */
sluice_status price_tape_stages(const bind_tape *tape, const price_unit *unit, price_stage **out);
/* The sum over all stages, in seconds; starting the execution counts as cpu. E_MEMORY. */
sluice_status price_tape(const bind_tape *tape, const price_unit *unit, double *cpu,
                         double *memory);
/* Lets loops move their data in slices if that is cheaper (tape_slices.c). This may enlarge
 * scratch. E_MEMORY. */
sluice_status price_choose_slices(bind_tape *tape, const price_unit *unit, sluice_diag *why);

#endif
