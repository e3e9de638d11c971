// SPDX-License-Identifier: BSD-3-Clause
#ifndef BACKENDS_CPU_TARGET_H
#define BACKENDS_CPU_TARGET_H

#include "backends/cpu/run/cpu_state.h"

/* Sets b->target, except tables and helpers, from topology, ISA, units and local store. */
void cpu_describe_target(cpu_state *b);

#endif
