// SPDX-License-Identifier: BSD-3-Clause
/* The CPU backend's state: cores, workers, scratch, tables. */
#ifndef BACKENDS_CPU_BACKEND_H
#define BACKENDS_CPU_BACKEND_H

#include "backends/backend.h"
#include "backends/cpu/bind/cpu_tape.h"
#include "backends/cpu/run/cpu_dma.h"
#include "backends/cpu/run/cpu_scratch.h"
#include "backends/cpu/threads/cpu_pool.h"

struct cpu_state {
    core_topology *topology;
    core_isa isa;
    int units;
    size_t local_store;
    const cpu_pool_table *pool_table;
    cpu_pool *pool;
    cpu_tables *tables;
    cpu_scratch *small, *large; /* for work up to, and beyond, local_store * units */
    backend_transfers transfers;
    cpu_helpers *helpers; /* NULL: nobody asked for any */
    const core_log *log;
    const spl_codelet **kernel; /* by the numbers of cpu_tuning */
    int kernels;
};

/* Cycles become seconds at this rate, and seconds cycles; what matters to planning is the ratio. */
extern const double cpu_hertz;

/* ---- kernels: the codelets of the machine's ISA and the scalar ones (cpu_kernels.c) ---- */
sluice_status cpu_kernels_open(cpu_state *b, sluice_diag *why);
void cpu_kernels_close(cpu_state *b);
/* Of the kernels' names and instructions. */
uint32_t cpu_kernels_hash(const cpu_state *b);
/* Cycles of a step: as measured, where costs (see backend.h) know it, or as predicted. */
double cpu_cycles(const cpu_state *b, const double *costs, const spl_codelet *codelet);
/* Seconds of a step: what was counted takes somewhat longer. */
double cpu_step_seconds(const cpu_state *b, const double *costs, const spl_codelet *codelet);
/* Fills costs[0 .. kernels-1] by the clock (cpu_tune.c). */
sluice_status cpu_measure(backend *b, double *costs, sluice_progress *progress, void *user,
                          sluice_diag *why);
extern const backend_tuning cpu_tuning;

extern const backend_table cpu_backend;

#endif
