// SPDX-License-Identifier: BSD-3-Clause
/* The cores this process may run on and their caches, through hwloc. */
#ifndef CORE_TOPOLOGY_H
#define CORE_TOPOLOGY_H

#include "api/sluice.h"

typedef struct core_topology core_topology;

typedef struct core_core {
    int os_index;               /* of the first allowed processing unit of the core */
    int numa_node;              /* -1: unknown */
    size_t l1, l2, l3;          /* bytes of data cache; 0: unknown or none */
    int l2_sharers, l3_sharers; /* allowed cores that share that cache, at least 1 */
    size_t line;                /* bytes; 64 where unknown */
} core_core;

/* Discovers the machine, or the synthetic one that SLUICE_TOPOLOGY describes in hwloc's notation
 * (its cores cannot be bound). At least one core is always found. */
sluice_status core_topology_open(core_topology **out, sluice_diag *why);
void core_topology_close(core_topology *topology);
int core_topology_count(const core_topology *topology);
const core_core *core_topology_core(const core_topology *topology, int index);
/* Where a thread may run that helps whoever works on core `index`, while cores 0 .. workers-1 have a
 * worker each: the least part of the machine around the core that has a hardware thread to spare,
 * the core itself first, then what shares its caches. Writes its name, "core" or "L3", or "" where
 * all are taken, and binds the calling thread there if `bind`. */
void core_topology_beside(const core_topology *topology, int index, int workers, bool bind,
                          char *name, size_t room);
/* Binds the calling thread to core `index`; false where that is not possible (not an error). */
bool core_topology_bind(const core_topology *topology, int index);

#endif
