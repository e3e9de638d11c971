// SPDX-License-Identifier: BSD-3-Clause
/* The codelets of the ISAs as a target of binding, for backends whose programs are made of them:
 * functions of the library's, or their text. */
#ifndef BACKENDS_ISA_TARGET_H
#define BACKENDS_ISA_TARGET_H

#include "backends/backend.h"
#include "spl/bind/bind_target.h"

/* Are there codelets of this ISA in the library? */
bool isa_target_has(core_isa isa);
/* Bytes that a unit has; L3 0: none, or unknown. */
typedef struct isa_caches {
    size_t l1, l3, local_store;
    int data_path;  /* bind_target.data_path */
    bool nt_cached; /* does it store non-temporally at full rate what a cache holds? */
} isa_caches;

/* All but owner, cycles, units, helpers and tables. */
void isa_target_describe(bind_target *target, core_isa isa, const isa_caches *caches);
/* The same unit for programs that have the same bits on all processors. */
void isa_target_describe_alike(bind_target *alike, const bind_target *unit);
/* Cycles that the planner takes a codelet to cost for such programs, per lane of a vector, whatever
 * unit there is (backend_team.kernel_cycles); 0: not every ISA has one. */
double isa_target_alike_cycles(int kind, int64_t n, sluice_precision precision, backend_use use);
/* The codelet of n points that a stage of this use is, of the target's ISA or, of a single
 * transform, scalar; NULL: there is none. */
const spl_codelet *isa_target_codelet(const bind_target *target, int kind, int64_t n,
                                      sluice_precision precision, backend_use use);
/* backend_team.shorter */
int isa_target_shorter(const bind_target *target, spl_format format);
/* backend_team.row_lanes */
int isa_target_row_lanes(const bind_target *target, int kind, int64_t n, sluice_precision precision,
                         spl_format format);
/* Cycles of a step of a codelet, of which others that may take its place are compared: counted,
 * with rows that straddle lines; of rows side by side (T, D) for the unit's data path, if it is
 * known, with values that do not fit the registers. */
double isa_target_counted(const bind_target *target, const spl_codelet *codelet);
/* Of one in a stage, predicted, with values that do not fit the registers: as the codelets' table
 * has them, for the search, whose constants go with that; for the unit's data path, if it is known,
 * in the price of programs. */
double isa_target_cycles(const spl_codelet *codelet);
double isa_target_step_cycles(const bind_target *target, const spl_codelet *codelet);

#endif
