// SPDX-License-Identifier: BSD-3-Clause
/* CPU cores as a target of binding: their codelets, and the sizes from which on non-temporal stores
 * and prefetching are used. */
#include "backends/cpu/cpu_target.h"

#include "backends/cpu/cost/cpu_cost.h"

/* Thresholds in local stores. Data larger than CACHE_CAPACITY are taken to be outside the caches;
 * of data written in place, or read again, shared levels keep more. Evidence:
 * docs/STRUCTURES.md. */
enum {
    CACHE_CAPACITY = 4,
    NT_MIN_IN_PLACE = 16,
    NT_MIN_REUSED = 32,
    PREFETCH_ROWS_MIN = 8,
    PREFETCH_L2_MIN = 32
};
enum { TILE_ROW_BYTES = 1024, L1_ALIAS_BYTES = 4096 };

static const bind_vectors vectors[CORE_ISA_COUNT] = {
    [CORE_ISA_SCALAR] = {0, {spl_codelets_scalar_f32, spl_codelets_scalar_f64}},
#if SLUICE_HAVE_AVX2
    [CORE_ISA_AVX2] = {32, {spl_codelets_avx2_f32, spl_codelets_avx2_f64}},
#endif
#if SLUICE_HAVE_AVX512
    [CORE_ISA_AVX512] = {64, {spl_codelets_avx512_f32, spl_codelets_avx512_f64}},
#endif
};

void cpu_describe_target(cpu_state *b)
{
    const size_t store = b->local_store;

    b->target.name = "cpu";
    b->target.isa = b->isa;
    for (int isa = 0; isa < CORE_ISA_COUNT; isa++)
        b->target.vectors[isa] = vectors[isa];
    b->target.units = b->units;
    b->target.memory = (bind_memory){.l1 = core_topology_core(b->topology, 0)->l1,
                                     .local_store = store,
                                     .nt_written = CACHE_CAPACITY * store,
                                     .nt_in_place = NT_MIN_IN_PLACE * store,
                                     .nt_reused = NT_MIN_REUSED * store,
                                     .prefetch = CACHE_CAPACITY * store,
                                     .prefetch_row = PREFETCH_ROWS_MIN * store,
                                     .prefetch_l2 = PREFETCH_L2_MIN * store,
                                     .tile_row = TILE_ROW_BYTES,
                                     .alias = L1_ALIAS_BYTES};
    b->target.cycles = cpu_cycles;
    b->target.owner = b;
}
