// SPDX-License-Identifier: BSD-3-Clause
/* The cores that this process may run on and their caches, from hwloc. */
#ifndef CORE_TOPOLOGY_H
#define CORE_TOPOLOGY_H

#include "api/sluice.h"

typedef struct core_topology core_topology;

typedef struct core_core {
    int os_index;               /* number of the core's first allowed processing unit */
    int numa_node;              /* -1: unknown */
    size_t l1, l2, l3;          /* bytes of data cache; 0: unknown or none */
    int l2_sharers, l3_sharers; /* allowed cores that share that cache, at least 1 */
    size_t l1_ways, l2_ways;    /* lines of a set; 0: unknown */
    size_t line;                /* bytes of a cache line; 64 if unknown */
    int data_path;              /* core_cpu_data_path; 0: unknown, or a synthetic machine */
} core_core;

/* Discovers the machine, or the synthetic one that SLUICE_TOPOLOGY describes in hwloc's notation
 * (its cores cannot be bound). At least one core is always found. */
sluice_status core_topology_open(core_topology **out, sluice_diag *why);
void core_topology_close(core_topology *topology);
int core_topology_count(const core_topology *topology);
const core_core *core_topology_core(const core_topology *topology, int index);
/* Finds a place for a thread that helps the worker on core `index`, while cores 0 .. workers-1 have
 * a worker each: the smallest part of the machine around the core that has an unused hardware
 * thread. This is the core itself, else the cores that share a cache with it, and so on. Writes the
 * part's name, such as "core" or "L3", or "" if all hardware threads are in use. If `bind`, binds
 * the calling thread to this part (to core `index` if all are in use). */
void core_topology_place_helper(const core_topology *topology, int index, int workers, bool bind,
                                char *name, size_t room);
/* Binds the calling thread to core `index`; false if that is not possible (not an error). */
bool core_topology_bind(const core_topology *topology, int index);

#endif
