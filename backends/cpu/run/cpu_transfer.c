// SPDX-License-Identifier: BSD-3-Clause
/* A member's gets and puts: in line, or handed to its helper as cpu_overlap.c allows. */
#include "backends/cpu/run/cpu_walk.h"

static cpu_copy copy_at(const cpu_walk *w, const cpu_op *op)
{
    const cpu_step at = cpu_walk_steps(op, w->var);
    const ptrdiff_t scalar = (ptrdiff_t)w->p->scalar;
    const cpu_place in = cpu_walk_place(w->p, op, w->base, at.in * scalar, false);
    const cpu_place out = cpu_walk_place(w->p, op, w->base, at.out * scalar, true);

    return (cpu_copy){.packets = &op->packets, .in = {in.re, in.im}, .out = {out.re, out.im}};
}

static void copy_in_line(const cpu_walk *w, const cpu_op *op)
{
    const cpu_copy m = copy_at(w, op);

    cpu_packets_move(m.packets, m.in, m.out);
}

static int copy_now(const cpu_walk *w, const cpu_op *op)
{
    return op->dma.turn < 0 ? 0 : (int)(w->var[op->dma.turn] & 1);
}

/* Hands over the get of the next turn, where there is one. */
static void get_early(cpu_walk *w, const cpu_op *op)
{
    const cpu_op *loop = &w->p->op[op->dma.around];
    int64_t lo, hi;

    cpu_walk_range(&loop->range, w->var, &lo, &hi);
    if (w->var[loop->var] + 1 >= hi)
        return;
    w->var[loop->var]++;
    const cpu_copy next = copy_at(w, op);
    w->var[loop->var]--;
    w->under_way->get[op->out].op = op;
    w->under_way->get[op->out].number = cpu_dma_post(w->dma, &next);
}

/* The first get of a loop: nothing is to be gained by handing it over. */
static void get_first(cpu_walk *w, const cpu_op *op)
{
    cpu_dma_wait(w->dma, w->under_way->last_put);
    if (op->dma.early)
        get_early(w, op);
    copy_in_line(w, op);
}

static void get(cpu_walk *w, const cpu_op *op)
{
    const uint64_t number = w->under_way->get[op->out].number;

    if (w->under_way->get[op->out].op != op) {
        get_first(w, op);
        return;
    }
    w->under_way->get[op->out].op = NULL;
    get_early(w, op);
    cpu_dma_wait(w->dma, number);
}

static void put(cpu_walk *w, const cpu_op *op)
{
    const cpu_copy m = copy_at(w, op);

    w->under_way->last_put = cpu_dma_post(w->dma, &m);
    w->under_way->put[op->in][copy_now(w, op)] = w->under_way->last_put;
}

void cpu_transfer(cpu_walk *w, const cpu_op *op)
{
    if (!w->dma || !op->dma.hands)
        copy_in_line(w, op);
    else if (op->stmt->put)
        put(w, op);
    else
        get(w, op);
}

void cpu_transfer_await(const cpu_walk *w, const cpu_op *op)
{
    if (op->dma.drains)
        cpu_transfer_sync(w);
    else if (op->dma.waits)
        cpu_dma_wait(w->dma, w->under_way->put[op->out][copy_now(w, op)]);
}

void cpu_transfer_sync(const cpu_walk *w)
{
    cpu_dma_wait(w->dma, w->under_way->last_put);
}
