// SPDX-License-Identifier: BSD-3-Clause
/* The machine that the figures were measured on. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stdio.h>

#include "api/sluice.h"

/* The processor's own name, or "unknown processor". */
void bench_machine_model(char *out, size_t size);
/* "sluice 0.1.0 on PROCESSOR, DATE", for pictures. */
void bench_machine_about(char *out, size_t size);
/* One line on stderr: processor, units, instruction set, caches, sluice's version. */
void bench_machine_print(const sluice_machine *machine);
/* The same as a JSON line, with the date, the compiler and the measuring time of each engine. */
void bench_machine_json(FILE *file, const sluice_machine *machine, int windows, double seconds);

#endif
