// SPDX-License-Identifier: BSD-3-Clause
/* What the figures were measured on. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include "api/sluice.h"

/* The processor's own name, or "unknown processor". */
void bench_machine_model(char *out, size_t size);
/* One line on stderr: processor, units, instruction set, caches, sluice's version. */
void bench_machine_print(const sluice_machine *machine);

#endif
