// SPDX-License-Identifier: BSD-3-Clause
/* What programs cost on a unit (spl/price/tape.h), and how many operations and bytes they take. */
#include "backends/cpu/cost/cpu_cost.h"
#include "core/mem.h"

typedef struct sums {
    double operations, bytes;
} sums;

static sums kernel_sums(const cpu_program *p, const bind_op *op)
{
    const spl_codelet *c = op->codelet;
    const double filled = price_iterations(&op->cols) / c->key.lanes,
                 sets = price_iterations(&op->outer);
    const double n = op->before ? (double)c->key.n * c->key.n : c->key.n; /* before: a plane */
    const double elements = price_iterations(&op->cols) * sets * n;
    /* tables with an entry per element; factored ones are far smaller */
    const double table = op->table && c->key.tw == SPL_TW_VECTOR ? elements : 0;

    return (sums){.operations = (filled < 1 ? 1 : filled) * sets
                                * (c->adds + c->muls + c->fmas + c->shuffles),
                  .bytes = (2 * elements + table) * 2 * (double)p->tape.scalar};
}

/* Sums the ops from..to-1, executed once. Evaluating an address counts as many operations. */
static sums sums_of(const cpu_program *p, size_t from, size_t to)
{
    static const double element_operations = 50, move_operations = 2;
    sums all = {0, 0};

    for (size_t i = from; i < to; i = bind_next_op(&p->tape, i)) {
        const bind_op *op = &p->tape.op[i];
        double times = 1;
        sums one = {0, 0};
        if (op->op == BIND_LOOP) {
            times = price_iterations(&op->range);
            one = sums_of(p, i + 1, op->end);
        } else if (op->op == BIND_KERN) {
            one = kernel_sums(p, op);
        } else if (op->op != BIND_SYNC) {
            const double n = op->op == BIND_MOVE
                                 ? price_iterations(&op->cols) * price_iterations(&op->outer)
                                 : (double)op->stmt->n;
            one.operations = op->op == BIND_EVAL   ? element_operations * price_evaluations(op)
                             : op->op == BIND_MOVE ? move_operations * n
                                                   : 0;
            one.bytes = (op->op == BIND_ZERO ? 2 : 4) * n * (double)p->tape.scalar;
        }
        all.operations += times * one.operations;
        all.bytes += times * one.bytes;
    }
    return all;
}

void cpu_model(const cpu_state *b, bool in_l2, double *figure)
{
    const core_core *core = core_topology_core(b->topology, 0);

    price_model(figure, (size_t)b->target.vectors[b->isa].bytes, b->target.data_path > 0, in_l2,
                price_sets_of(core->l1, core->l1_ways), core->l2, core->l3);
}

/* Beyond L2, where the cost of lines hides behind arithmetic, steps are predicted from the
 * codelets' table: with other predictions as many choices became slower as faster
 * (docs/log/price.md). */
price_unit cpu_price_unit(const cpu_program *p, double model[PRICE_FIGURES])
{
    const cpu_state *b = p->owner;
    const double *costs = p->tape.costs;
    const bool measured = costs && costs[b->kernels + PRICE_L1] > 0;
    const core_core *core = core_topology_core(b->topology, 0);
    const bool in_l2 = price_fits(&p->tape, core->l2);

    if (!measured)
        cpu_model(b, in_l2, model);
    return (price_unit){.figure = measured ? costs + b->kernels : model,
                        .l1 = price_sets_of(core->l1, core->l1_ways),
                        .l2 = price_sets_of(core->l2, core->l2_ways),
                        .step_cycles = in_l2 ? cpu_step_cycles : cpu_table_cycles,
                        .owner = b};
}

sluice_status cpu_stages(const backend_program *program, price_stage **out)
{
    const cpu_program *p = (const cpu_program *)program;
    double model[PRICE_FIGURES];
    const price_unit unit = cpu_price_unit(p, model);

    return price_tape_stages(&p->tape, &unit, out);
}

sluice_status cpu_estimate(const backend_program *program, backend_cost *out)
{
    const cpu_program *p = (const cpu_program *)program;
    const sums all = sums_of(p, 0, p->tape.nops);
    const double sides =
        (double)(p->tape.body->cols + (p->tape.body->sides.in_place ? 0 : p->tape.body->rows));
    double model[PRICE_FIGURES], cpu, memory;
    const price_unit unit = cpu_price_unit(p, model);

    *out = (backend_cost){.operations = all.operations,
                          .bytes = all.bytes,
                          .working_set =
                              sides * 2 * (double)p->tape.scalar + (double)p->tape.work_bytes,
                          .bound = "arithmetic"};
    if (price_tape(&p->tape, &unit, &cpu, &memory) != SLUICE_OK)
        return SLUICE_E_MEMORY;
    out->seconds = cpu + memory;
    out->bound = memory > cpu ? "memory" : "arithmetic";
    return SLUICE_OK;
}
