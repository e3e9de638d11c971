// SPDX-License-Identifier: BSD-3-Clause
/* The CPU backend's state: cores, workers, scratch, tables. */
#ifndef BACKENDS_CPU_BACKEND_H
#define BACKENDS_CPU_BACKEND_H

#include "backends/backend.h"
#include "backends/cpu/cpu_pool.h"
#include "backends/cpu/cpu_scratch.h"
#include "backends/cpu/cpu_tape.h"

struct cpu_state {
    core_topology *topology;
    core_isa isa;
    int units;
    size_t local_store;
    const cpu_pool_table *pool_table;
    cpu_pool *pool;
    cpu_tables *tables;
    cpu_scratch *small, *large; /* for work up to, and beyond, local_store * units */
    const core_log *log;
};

extern const backend_table cpu_backend;

#endif
