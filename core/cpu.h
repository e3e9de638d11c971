// SPDX-License-Identifier: BSD-3-Clause
/* The vector instructions of this processor, detected at each call, limited by SLUICE_CPU. */
#ifndef CORE_CPU_H
#define CORE_CPU_H

#include "api/sluice.h"
#include "core/isa.h"

const char *core_isa_name(core_isa isa); /* "scalar" "vec128" "avx2" "avx512" */
/* The ISA that SLUICE_CPU=scalar|vec128|avx2|avx512 names, else the best of this processor whose
 * codelets were built. vec128 is what the compiler makes of vectors of 128 bits: SSE2, NEON. AVX2
 * means AVX2 and FMA; AVX-512 means F, DQ, BW, VL, if the operating system supports them. A value
 * of SLUICE_CPU that is unknown or not available here is refused with a reason. */
sluice_status core_cpu_isa(core_isa *out, sluice_diag *why);
/* Family, model and stepping as one number of the maker's; 0: unknown. */
unsigned core_cpu_model(void);
/* Do non-temporal stores of lines that its caches hold take no longer than those of others? On
 * AMD's processors twice as long as ordinary ones (docs/log/memory.md). */
bool core_cpu_stores_cached_lines(void);
/* Bytes of a vector that an operation computes at once, where the processor says so: it computes
 * longer vectors in pieces of so many; 0: unknown, take it to be all. */
int core_cpu_data_path(void);

#endif
