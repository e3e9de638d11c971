// SPDX-License-Identifier: BSD-3-Clause
/* The cost of a tape: describes each op to the price of stages (spl/price/price.h). */
#include "backends/cpu/cost/cpu_cost.h"
#include "core/mem.h"
#include "spl/bind/bind_slices.h"

const double cpu_nominal_hz = 3e9;

typedef struct sums {
    double operations, bytes;
} sums;

static double iterations(const spl_range *r)
{
    return (double)r->n / (double)(r->share_var < 0 ? 1 : r->shares);
}

static sums kernel_sums(const cpu_program *p, const bind_op *op)
{
    const spl_codelet *c = op->codelet;
    const double filled = iterations(&op->cols) / c->key.lanes, rows = iterations(&op->rows);
    const double n = op->before ? (double)c->key.n * c->key.n : c->key.n; /* a plane */
    const double elements = iterations(&op->cols) * rows * n;
    /* tables with an entry per element; those of factors are far smaller */
    const double table = op->table && c->key.tw == SPL_TW_VECTOR ? elements : 0;

    return (sums){.operations = (filled < 1 ? 1 : filled) * rows
                                * (c->adds + c->muls + c->fmas + c->shuffles),
                  .bytes = (2 * elements + table) * 2 * (double)p->tape.scalar};
}

/* How often addresses are evaluated: for every element, or for every run of them. */
static double evaluations(const bind_op *op)
{
    return (double)op->stmt->n / (double)(op->run > 1 ? op->run : 1);
}

/* Ops from..to-1, each run once. Evaluated addresses count as many operations. */
static sums sums_of(const cpu_program *p, size_t from, size_t to)
{
    static const double element_operations = 50, move_operations = 2;
    sums all = {0, 0};

    for (size_t i = from; i < to; i = p->tape.op[i].op == BIND_LOOP ? p->tape.op[i].end : i + 1) {
        const bind_op *op = &p->tape.op[i];
        double times = 1;
        sums one = {0, 0};
        if (op->op == BIND_LOOP) {
            times = iterations(&op->range);
            one = sums_of(p, i + 1, op->end);
        } else if (op->op == BIND_KERN) {
            one = kernel_sums(p, op);
        } else if (op->op != BIND_SYNC) {
            const double n = op->op == BIND_MOVE ? iterations(&op->cols) * iterations(&op->rows)
                                                 : (double)op->stmt->n;
            one.operations = op->op == BIND_EVAL   ? element_operations * evaluations(op)
                             : op->op == BIND_MOVE ? move_operations * n
                                                   : 0;
            one.bytes = (op->op == BIND_ZERO ? 2 : 4) * n * (double)p->tape.scalar;
        }
        all.operations += times * one.operations;
        all.bytes += times * one.bytes;
    }
    return all;
}

/* ---- the description for the price ---- */

static price_table table_of(const bind_op *op)
{
    static const price_table kinds[] = {[SPL_TW_NONE] = PRICE_TABLE_NONE,
                                        [SPL_TW_VECTOR] = PRICE_TABLE_ELEMENTS,
                                        [SPL_TW_BROADCAST] = PRICE_TABLE_ROWS,
                                        [SPL_TW_FACTORED] = PRICE_TABLE_FACTORS,
                                        [SPL_TW_FACTORED_SHARED] = PRICE_TABLE_ROWS};

    return op->table ? kinds[op->codelet->key.tw] : PRICE_TABLE_NONE;
}

/* The enclosing loops of a statement that its codelet runs itself: those that are not on the
 * tape. */
static void find_codelet_loops(const cpu_program *p, const bind_op *op, uint32_t open,
                               price_binding *b)
{
    const prog_stmt *first = p->tape.body->stmt;

    for (const prog_stmt *s = first; s < op->stmt; s++) {
        const int v = s->range.var;
        if (s->op != PROG_LOOP || first + s->end <= op->stmt || open >> v & 1)
            continue;
        const bool rows = op->before ? s->range.kind == SPL_VEC
                                     : bind_runs_sets(&op->codelet->key) && s->range.kind != SPL_VEC
                                           && s->range.n == op->rows.n && b->rows < 0;
        if (rows)
            b->rows = v;
        else
            b->columns = v;
    }
}

static void bind_kernel(const cpu_program *p, const bind_op *op, uint32_t open, price_binding *b)
{
    find_codelet_loops(p, op, open, b);
    b->lanes = op->codelet->key.lanes;
    b->step = cpu_step_cycles(p->owner, p->tape.costs, op->codelet) / cpu_nominal_hz;
    if (op->var == IX_INDEX) { /* its columns are rows of the kernel */
        b->step *= (double)(op->cols.n + b->lanes - 1) / (double)b->lanes;
        b->lanes = 1;
    }
    b->table = table_of(op);
    b->table_bytes = op->table ? (double)(op->table->bytes + (op->grid ? op->grid->bytes : 0)) : 0;
    b->non_temporal = op->codelet_nt != NULL;
    b->padded = !op->tail.overlap;
}

/* The stages that are one codelet: the second one computes, in steps of a row each. */
static void bind_plane_stages(const cpu_program *p, const bind_op *op, price_binding *binding)
{
    const prog_stmt *all = p->tape.body->stmt;
    price_binding *b = &binding[op->stmt - all];

    b->step /= op->codelet->key.n;
    binding[op->before - all] = *b;
    binding[op->before - all].rows = op->before[-1].range.var;
    binding[op->before - all].step = 0;
}

/* Numbers the loops that move data in slices, and marks their statements. */
static int bind_loop_slices(const cpu_program *p, price_binding *binding, price_slices *slices)
{
    const bind_tape *tape = &p->tape;
    double times[BIND_MAX_STEPS + 1] = {1};
    size_t end[BIND_MAX_STEPS + 1];
    int count = 0, depth = 0;

    for (size_t i = 0; i < tape->nops; i++) {
        const bind_op *op = &tape->op[i];
        while (depth > 0 && i >= end[depth])
            depth--;
        if (op->op != BIND_LOOP)
            continue;
        end[++depth] = op->end;
        times[depth] = times[depth - 1] * iterations(&op->range);
        const bind_slices *s = op->slices;
        if (!s || count == PRICE_MAX_SLICES)
            continue;
        slices[count++] = (price_slices){.calls = times[depth] * (double)s->calls,
                                         .near = (double)bind_slices_near_bytes(tape, i, s)
                                                 - (double)s->distance * (double)s->get_bytes};
        for (size_t k = i + 1; k < op->end; k++)
            if (tape->op[k].op == BIND_KERN)
                binding[tape->op[k].stmt - tape->body->stmt].slices = count;
        if (s->get_bytes)
            binding[s->get.stmt - tape->body->stmt].gets = true;
        if (s->put_bytes) {
            binding[s->put.stmt - tape->body->stmt].puts = true;
            binding[s->put.stmt - tape->body->stmt].non_temporal = true;
        }
    }
    return count;
}

/* Fills in how each statement is executed. */
static void bind_stages(const cpu_program *p, price_binding *binding)
{
    uint32_t open[BIND_MAX_STEPS + 1] = {0}; /* variables of the tape's loops, by depth */
    size_t end[BIND_MAX_STEPS + 1];
    int depth = 0;

    for (size_t i = 0; i < p->tape.nops; i++) {
        const bind_op *op = &p->tape.op[i];
        while (depth > 0 && i >= end[depth])
            depth--;
        if (op->op == BIND_LOOP) {
            end[++depth] = op->end;
            open[depth] = open[depth - 1] | (op->of_columns ? 0 : UINT32_C(1) << op->var);
        }
        if (op->op == BIND_LOOP || op->op == BIND_SYNC)
            continue;
        price_binding *b = &binding[op->stmt - p->tape.body->stmt];
        *b = (price_binding){.runs = true, .columns = -1, .rows = -1, .lanes = 1};
        if (op->op == BIND_KERN) {
            bind_kernel(p, op, open[depth], b);
            if (op->before)
                bind_plane_stages(p, op, binding);
        } else if (op->op == BIND_EVAL) {
            b->step = price_evaluated * evaluations(op);
        } else if (op->op == BIND_MOVE) {
            b->columns = op->var;
            b->rows = op->rows.n > 1 ? op->rows.var : -1;
            b->lanes = op->var < 0 ? 1 : op->cols.n;
            b->step = (bind_permutation_bytes(op) ? price_moved : price_moved_evenly)
                      * (double)op->cols.n;
        } else {
            b->non_temporal = op->op == BIND_COPY && op->packets.non_temporal;
        }
    }
}

static price_sets sets_of(const core_core *core)
{
    return price_sets_of(core->l1, core->l1_ways);
}

void cpu_model(const cpu_state *b, double *figure)
{
    const core_core *core = core_topology_core(b->topology, 0);

    price_model(figure, (size_t)b->target.vectors[b->isa].bytes, sets_of(core), core->l2, core->l3);
}

static const double *figures_of(const cpu_program *p, double model[PRICE_FIGURES])
{
    const double *measured = p->tape.costs ? p->tape.costs + p->owner->kernels : NULL;

    if (measured && measured[PRICE_L1] > 0)
        return measured;
    cpu_model(p->owner, model);
    return model;
}

sluice_status cpu_stages(const backend_program *program, price_stage **out)
{
    const cpu_program *p = (const cpu_program *)program;
    const size_t stmts = p->tape.body->nstmts;
    double model[PRICE_FIGURES];
    bool split[BIND_MAX_BUFS];
    price_slices slices[PRICE_MAX_SLICES];
    price_binding *binding = core_calloc(stmts + 1, sizeof *binding);
    price_stage *stage = core_calloc(stmts + 1, sizeof *stage);

    for (int i = 0; i < p->tape.nbufs; i++)
        split[i] = p->tape.buf[i].format == SPL_SPLIT;
    price_program priced = {.body = p->tape.body,
                            .binding = binding,
                            .slices = slices,
                            .split = split,
                            .l1 = sets_of(core_topology_core(p->owner->topology, 0)),
                            .scalar = p->tape.scalar};
    bool good = binding && stage;
    if (good) {
        bind_stages(p, binding);
        priced.nslices = bind_loop_slices(p, binding, slices);
        good = price_of(stage, &priced, figures_of(p, model));
    }
    core_free(binding);
    if (!good)
        core_free(stage);
    *out = good ? stage : NULL;
    return good ? SLUICE_OK : SLUICE_E_MEMORY;
}

sluice_status cpu_estimate(const backend_program *program, backend_cost *out)
{
    const cpu_program *p = (const cpu_program *)program;
    const sums all = sums_of(p, 0, p->tape.nops);
    const double sides =
        (double)(p->tape.body->cols + (p->tape.body->sides.in_place ? 0 : p->tape.body->rows));
    price_stage *stage = NULL;
    double cpu = price_execution, memory = 0;

    *out = (backend_cost){.operations = all.operations,
                          .bytes = all.bytes,
                          .working_set =
                              sides * 2 * (double)p->tape.scalar + (double)p->tape.work_bytes,
                          .bound = "arithmetic"};
    if (cpu_stages(program, &stage) != SLUICE_OK)
        return SLUICE_E_MEMORY;
    for (size_t i = 0; i < p->tape.body->nstmts; i++) {
        cpu += stage[i].cpu;
        memory += stage[i].memory;
    }
    core_free(stage);
    out->seconds = cpu + memory;
    out->bound = memory > cpu ? "memory" : "arithmetic";
    return SLUICE_OK;
}
