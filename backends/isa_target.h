// SPDX-License-Identifier: BSD-3-Clause
/* The codelets of the ISAs as a target of binding, for backends whose programs are made of
 * codelets: of the library's functions, or of their text. */
#ifndef BACKENDS_ISA_TARGET_H
#define BACKENDS_ISA_TARGET_H

#include "backends/backend.h"
#include "spl/bind/bind_target.h"

/* Are there codelets of this ISA in the library? */
bool isa_target_has(core_isa isa);
/* Bytes of a unit's caches; L3 0: none, or unknown. */
typedef struct isa_caches {
    size_t l1, l3, local_store;
    int data_path;  /* bind_target.data_path */
    bool nt_cached; /* non-temporal stores to lines in a cache run at full rate */
} isa_caches;

/* Fills in the target, except owner, cycles, units, helpers and tables. */
void isa_target_describe(bind_target *target, core_isa isa, const isa_caches *caches);
/* Describes the same unit for reproducible programs, which have the same bits on all processors. */
void isa_target_describe_alike(bind_target *alike, const bind_target *unit);
/* Predicted cycles of a codelet in such programs, per lane of a vector, the same for all units
 * (backend_team.kernel_cycles); 0: some ISA has no such codelet. */
double isa_target_alike_cycles(int kind, int64_t n, sluice_precision precision, backend_use use);
/* The codelet of n points for a stage of this use: of the target's ISA, or scalar for a single
 * transform; NULL: there is none. */
const spl_codelet *isa_target_codelet(const bind_target *target, int kind, int64_t n,
                                      sluice_precision precision, backend_use use);
/* backend_team.shorter */
int isa_target_shorter(const bind_target *target, spl_format format);
/* backend_team.row_lanes */
int isa_target_row_lanes(const bind_target *target, int kind, int64_t n, sluice_precision precision,
                         spl_format format);
/* Counted cycles of a step of a codelet, by which codelets for the same place are compared. They
 * include rows that straddle lines. For rows side by side (T, D) they are those of the unit's data
 * path, if it is known, and include values that do not fit the registers. */
double isa_target_counted(const bind_target *target, const spl_codelet *codelet);
/* Predicted cycles of a step in a stage, with values that do not fit the registers.
 * isa_target_cycles: as the codelets' table has them, for the search, whose constants are fitted to
 * them. isa_target_step_cycles: for the unit's data path, if known, for the price of programs. */
double isa_target_cycles(const spl_codelet *codelet);
double isa_target_step_cycles(const bind_target *target, const spl_codelet *codelet);

#endif
