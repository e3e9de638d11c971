// SPDX-License-Identifier: BSD-3-Clause
/* CPU cores as a target of binding. */
#include "backends/cpu/cpu_target.h"

#include "backends/cpu/cost/cpu_cost.h"
#include "backends/isa_target.h"
#include "core/cpu.h"

void cpu_describe_target(cpu_state *b)
{
    const core_core *core = core_topology_core(b->topology, 0);
    const isa_caches caches = {core->l1, core->l3, b->local_store, core->data_path,
                               core_cpu_stores_cached_lines()};

    isa_target_describe(&b->target, b->isa, &caches);
    b->target.name = "cpu";
    b->target.units = b->units;
    b->target.cycles = cpu_cycles;
    b->target.owner = b;
}
