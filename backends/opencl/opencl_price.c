// SPDX-License-Identifier: BSD-3-Clause
/* The price of codelets on devices that are processors, for programs and for the planner's
 * candidates. Candidates are priced as those of cores are, so devices get the formulas of cores. */
#include "backends/isa_target.h"
#include "backends/opencl/opencl_backend.h"
#include "backends/opencl/opencl_state.h"
#include "core/mem.h"
#include "core/status.h"
#include "spl/bind/bind_slices.h"
#include "spl/price/tape.h"

static double table_cycles(const void *owner, const double *costs, const spl_codelet *codelet)
{
    (void)owner, (void)costs;
    return isa_target_cycles(codelet);
}

static double step_cycles(const void *owner, const double *costs, const spl_codelet *codelet)
{
    (void)costs;
    return isa_target_step_cycles(&((const backend *)owner)->target, codelet);
}

/* A processor without measured figures; as in cpu_cost.c. */
static price_unit price_unit_of(const backend *b, const bind_tape *tape,
                                double model[PRICE_FIGURES])
{
    const core_core *core = core_topology_core(b->topology, 0);
    const price_sets l1 = price_sets_of(core->l1, core->l1_ways);
    const price_sets l2 = price_sets_of(core->l2, core->l2_ways);
    const bool in_l2 = price_fits(tape, core->l2);

    price_model(model, (size_t)b->target.vectors[b->target.isa].bytes, b->target.data_path > 0,
                in_l2, l1, core->l2, core->l3);
    return (price_unit){.figure = model,
                        .l1 = l1,
                        .l2 = l2,
                        .step_cycles = in_l2 ? step_cycles : table_cycles,
                        .owner = b};
}

sluice_status opencl_price_tape(const backend *b, const bind_tape *tape, double *seconds)
{
    double model[PRICE_FIGURES], memory = 0;
    const price_unit unit = price_unit_of(b, tape, model);
    const sluice_status status = price_tape(tape, &unit, seconds, &memory);

    *seconds += memory;
    return status;
}

sluice_status opencl_choose_slices(const backend *b, bind_tape *tape, sluice_diag *why)
{
    double model[PRICE_FIGURES];
    const price_unit unit = price_unit_of(b, tape, model);
    const sluice_status status = price_choose_slices(tape, &unit, why);

    if (status == SLUICE_OK)
        bind_scratch_in_blocks(tape);
    return status;
}

static sluice_status price_candidate(const backend *b, bind_tape *tape, double *seconds,
                                     sluice_diag *why)
{
    tape->sketch = true;
    sluice_status status = bind_program(tape, why);
    if (status == SLUICE_OK)
        status = opencl_choose_slices(b, tape, why);
    if (status == SLUICE_OK && opencl_price_tape(b, tape, seconds) != SLUICE_OK)
        status = core_fail_memory(why);
    return status;
}

sluice_status opencl_sketch(backend *b, const double *costs, const prog *body,
                            backend_transfer_mode mode, sluice_precision precision,
                            backend_program **out, sluice_diag *why)
{
    const bind_target *target = body->sides.reproducible ? &b->alike : &b->target;
    bind_tape tape;

    (void)costs, (void)mode;
    *out = NULL;
    if (!b->has_codelets)
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "work-items have no price of programs");
    opencl_program *p = core_calloc(1, sizeof *p);
    if (!p)
        return core_fail_memory(why);
    p->base = (backend_program){.table = &opencl_backend, .owner = b};
    p->is_sketch = true;
    sluice_status status = bind_open(&tape, target, NULL, body, precision, false, why);
    if (status == SLUICE_OK)
        status = price_candidate(b, &tape, &p->compute_seconds, why);
    bind_release(&tape);
    if (status == SLUICE_OK)
        *out = &p->base;
    else
        core_free(p);
    return status;
}
