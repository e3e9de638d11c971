// SPDX-License-Identifier: BSD-3-Clause
/* Scratch for executions: areas that callers acquire, one execution each. Planning makes some of
 * them, large enough for the largest plan. If there is a limit of memory, a caller that finds no
 * idle area makes a further one, which is kept. An area in use never moves. */
#ifndef BACKENDS_CPU_SCRATCH_H
#define BACKENDS_CPU_SCRATCH_H

#include "api/sluice.h"

typedef struct cpu_scratch cpu_scratch;

/* `areas` areas are made with the plans. With limit 0 all of them are always made, and no others.
 * Else the first one is always made, others, up to CPU_SCRATCH_AREAS, while all areas together take
 * less than `limit` bytes. NULL: out of memory. */
enum { CPU_SCRATCH_AREAS = 256 };
cpu_scratch *cpu_scratch_open(int areas, size_t limit);
void cpu_scratch_close(cpu_scratch *scratch);
/* Makes areas of `bytes` for a plan. */
sluice_status cpu_scratch_grow(cpu_scratch *scratch, size_t bytes, sluice_diag *why);
/* An area of at least `bytes`, after cpu_scratch_grow. Waits if all are in use and none can be
 * made, and then sets *waited. NULL: out of memory, which happens only in a child after fork. */
void *cpu_scratch_acquire(cpu_scratch *scratch, size_t bytes, bool *waited);
void cpu_scratch_release(cpu_scratch *scratch, void *area);
/* How many callers had to wait so far; the bytes of all areas now. */
long cpu_scratch_waits(cpu_scratch *scratch);
size_t cpu_scratch_bytes(cpu_scratch *scratch);

#endif
