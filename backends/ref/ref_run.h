// SPDX-License-Identifier: BSD-3-Clause
/* The reference interpreter of programs: statement by statement, obvious and slow. */
#ifndef REF_RUN_H
#define REF_RUN_H

#include "spl/program/program.h"

/* Runs p on the user's arrays of `precision`; all intermediate values are long double. `threads`
 * threads are simulated one after another: iterations of PAR loops are distributed to them in
 * shares, and the last thread runs first. SLUICE_E_MEMORY: out of memory. */
sluice_status ref_run(const prog *p, sluice_precision precision, const sluice_arrays *arrays,
                      int threads);

#endif
