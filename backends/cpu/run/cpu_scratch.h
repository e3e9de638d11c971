// SPDX-License-Identifier: BSD-3-Clause
/* Scratch for executions: areas that callers acquire one at a time. Some are made with the plans,
 * large enough for the largest of them; with a limit of memory, further ones are made by
 * callers that find none, and kept. What is out is never moved. */
#ifndef BACKENDS_CPU_SCRATCH_H
#define BACKENDS_CPU_SCRATCH_H

#include "api/sluice.h"

typedef struct cpu_scratch cpu_scratch;

/* `areas` are made with the plans. limit 0: no others, and all of them in any case; else the first
 * in any case, and others, up to CPU_SCRATCH_AREAS, as long as all together stay below `limit`
 * bytes. NULL: out of memory. */
enum { CPU_SCRATCH_AREAS = 256 };
cpu_scratch *cpu_scratch_open(int areas, size_t limit);
void cpu_scratch_close(cpu_scratch *scratch);
/* Makes areas of `bytes` for a plan. */
sluice_status cpu_scratch_grow(cpu_scratch *scratch, size_t bytes, sluice_diag *why);
/* An area of at least `bytes`, after cpu_scratch_grow. Waits while all are in use and none can be
 * made; *waited: it did. NULL: out of memory, after fork only. */
void *cpu_scratch_acquire(cpu_scratch *scratch, size_t bytes, bool *waited);
void cpu_scratch_release(cpu_scratch *scratch, void *area);
/* How many callers had to wait so far; bytes of all areas now. */
long cpu_scratch_waits(cpu_scratch *scratch);
size_t cpu_scratch_bytes(cpu_scratch *scratch);

#endif
