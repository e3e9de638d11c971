// SPDX-License-Identifier: BSD-3-Clause
/* Scratch for executions: a fixed number of areas, all as large as the largest plan needs, grown
 * when plans are made and never moved in use. A caller waits if all are out. */
#ifndef BACKENDS_CPU_SCRATCH_H
#define BACKENDS_CPU_SCRATCH_H

#include "api/sluice.h"

typedef struct cpu_scratch cpu_scratch;

cpu_scratch *cpu_scratch_open(int areas); /* NULL: out of memory */
void cpu_scratch_close(cpu_scratch *scratch);
/* From now on areas hold at least `bytes`. */
sluice_status cpu_scratch_grow(cpu_scratch *scratch, size_t bytes, sluice_diag *why);
/* NULL: out of memory, after fork only. */
void *cpu_scratch_take(cpu_scratch *scratch);
void cpu_scratch_give(cpu_scratch *scratch, void *area);

#endif
