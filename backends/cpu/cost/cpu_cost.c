// SPDX-License-Identifier: BSD-3-Clause
/* What a tape costs: codelets by their cycles, bytes by the level that holds them. */
#include "backends/cpu/cost/cpu_cost.h"

const double cpu_hertz = 3e9;
/* Cycles of handing one call to a codelet, of one element with evaluated addresses, and of one with
 * addresses from tables. */
static const double call_cycles = 20, element_cycles = 50, move_cycles = 2;
/* Bytes a core moves in a cycle: in its first level, in its second, beyond. */
static const double l1_rate = 64, l2_rate = 32, far_rate = 8;

typedef struct sums {
    double cycles, operations, bytes;
} sums;

static double trips(const spl_range *r)
{
    return (double)r->n / (double)(r->share_var < 0 ? 1 : r->shares);
}

static sums kernel_cost(const cpu_program *p, const bind_op *op)
{
    const spl_codelet *c = op->codelet;
    const double filled = trips(&op->cols) / c->key.lanes, rows = trips(&op->rows);
    const double steps = (filled < 1 ? 1 : filled) * rows;
    const double elements = trips(&op->cols) * rows * c->key.n;
    /* of tables with an entry for every element; products of two are smaller by far */
    const double table = op->table && c->key.tw == SPL_TW_VECTOR ? elements : 0;

    return (sums){.cycles = call_cycles + steps * cpu_cycles(p->owner, p->tape.costs, c),
                  .operations = steps * (c->adds + c->muls + c->fmas + c->shuffles),
                  .bytes = (2 * elements + table) * 2 * (double)p->tape.scalar};
}

/* Ops from..to-1, each run once. */
static sums cost_of(const cpu_program *p, size_t from, size_t to)
{
    sums all = {0, 0, 0};

    for (size_t i = from; i < to; i = p->tape.op[i].op == BIND_LOOP ? p->tape.op[i].end : i + 1) {
        const bind_op *op = &p->tape.op[i];
        double times = 1;
        sums one = {0, 0, 0};
        if (op->op == BIND_LOOP) {
            times = trips(&op->range);
            one = cost_of(p, i + 1, op->end);
        } else if (op->op == BIND_KERN) {
            one = kernel_cost(p, op);
        } else if (op->op == BIND_EVAL) {
            one.cycles = one.operations = element_cycles * (double)op->stmt->n;
            one.bytes = 4 * (double)op->stmt->n * (double)p->tape.scalar;
        } else if (op->op == BIND_COPY) {
            one.cycles = call_cycles;
            one.bytes = 4 * (double)op->stmt->n * (double)p->tape.scalar;
        } else if (op->op == BIND_MOVE) {
            one.cycles = one.operations = move_cycles * trips(&op->cols);
            one.bytes = 4 * trips(&op->cols) * (double)p->tape.scalar;
        } else if (op->op == BIND_ZERO) {
            one.bytes = 2 * (double)op->stmt->n * (double)p->tape.scalar;
        }
        all.cycles += times * one.cycles;
        all.operations += times * one.operations;
        all.bytes += times * one.bytes;
    }
    return all;
}

backend_cost cpu_estimate(const backend_program *program)
{
    const cpu_program *p = (const cpu_program *)program;
    const core_core *core = core_topology_core(p->owner->topology, 0);
    const sums all = cost_of(p, 0, p->tape.nops);
    const double sides =
        (double)(p->tape.body->cols + (p->tape.body->sides.in_place ? 0 : p->tape.body->rows));
    const double set = sides * 2 * (double)p->tape.scalar + (double)p->tape.work_bytes;
    const double rate = set <= (double)core->l1   ? l1_rate
                        : set <= (double)core->l2 ? l2_rate
                                                  : far_rate;
    const double moving = all.bytes / rate;

    return (backend_cost){.seconds = (all.cycles > moving ? all.cycles : moving) / cpu_hertz,
                          .operations = all.operations,
                          .bytes = all.bytes,
                          .working_set = set,
                          .bound = all.cycles > moving ? "arithmetic" : "memory"};
}
