// SPDX-License-Identifier: BSD-3-Clause
/* The vector instructions of this processor, detected at each call, limited by SLUICE_CPU. */
#ifndef CORE_CPU_H
#define CORE_CPU_H

#include "api/sluice.h"
#include "core/isa.h"

const char *core_isa_name(core_isa isa); /* "scalar" "vec128" "avx2" "avx512" */
/* The ISA that SLUICE_CPU=scalar|vec128|avx2|avx512 names, else the best one of this processor
 * whose codelets were built. vec128 is what the compiler makes of 128-bit vectors: SSE2 or NEON.
 * AVX2 means AVX2 and FMA; AVX-512 means F, DQ, BW and VL, if the operating system supports them. A
 * value of SLUICE_CPU that is unknown or not available here is refused with a reason. */
sluice_status core_cpu_isa(core_isa *out, sluice_diag *why);
/* Family, model and stepping as one number, as the vendor encodes them; 0: unknown. */
unsigned core_cpu_model(void);
/* Do non-temporal stores to lines in the processor's caches take no longer than those to others?
 * On AMD's processors they take twice as long as ordinary stores (docs/log/memory.md). */
bool core_cpu_stores_cached_lines(void);
/* The number of bytes that an arithmetic operation computes at once, where the processor reports
 * it: longer vectors are computed in pieces of this size. 0: unknown; assume any vector is one. */
int core_cpu_data_path(void);

#endif
