// SPDX-License-Identifier: BSD-3-Clause
/* A member's transfers: executed synchronously, or posted to its helper if bind_overlap.c
 * allows. */
#include "backends/cpu/run/cpu_cursor.h"

static cpu_copy copy_of(const cpu_cursor *w, const bind_op *op)
{
    const bind_step at = cpu_cursor_steps(op, w->var);
    const ptrdiff_t scalar = (ptrdiff_t)w->p->tape.scalar;
    const cpu_re_im in = cpu_cursor_side(w->p, op, w->base, at.in * scalar, false);
    const cpu_re_im out = cpu_cursor_side(w->p, op, w->base, at.out * scalar, true);

    return (cpu_copy){.packets = &op->packets, .in = {in.re, in.im}, .out = {out.re, out.im}};
}

static void copy_synchronously(const cpu_cursor *w, const bind_op *op)
{
    const cpu_copy m = copy_of(w, op);

    cpu_move_packets(m.packets, m.in, m.out);
}

static int current_copy(const cpu_cursor *w, const bind_op *op)
{
    return op->async.parity_var < 0 ? 0 : (int)(w->var[op->async.parity_var] & 1);
}

/* Posts the get of the next iteration, if there is one. */
static void post_next_get(cpu_cursor *w, const bind_op *op)
{
    const bind_op *loop = &w->p->tape.op[op->async.enclosing_loop];
    int64_t lo, hi;

    spl_range_bounds(&loop->range, w->var, &lo, &hi);
    if (w->var[loop->var] + 1 >= hi)
        return;
    w->var[loop->var]++;
    const cpu_copy next = copy_of(w, op);
    w->var[loop->var]--;
    w->outstanding->get[op->packets.to].op = op;
    w->outstanding->get[op->packets.to].number = cpu_dma_post(w->dma, &next);
}

/* The first get of a loop has nothing to overlap with. */
static void complete_first_get(cpu_cursor *w, const bind_op *op)
{
    cpu_dma_wait(w->dma, w->outstanding->last_put);
    if (op->async.may_prefetch)
        post_next_get(w, op);
    copy_synchronously(w, op);
}

static void complete_get(cpu_cursor *w, const bind_op *op)
{
    const uint64_t number = w->outstanding->get[op->packets.to].number;

    if (w->outstanding->get[op->packets.to].op != op) {
        complete_first_get(w, op);
        return;
    }
    w->outstanding->get[op->packets.to].op = NULL;
    post_next_get(w, op);
    cpu_dma_wait(w->dma, number);
}

static void post_put(cpu_cursor *w, const bind_op *op)
{
    const cpu_copy m = copy_of(w, op);

    w->outstanding->last_put = cpu_dma_post(w->dma, &m);
    w->outstanding->put[op->packets.from][current_copy(w, op)] = w->outstanding->last_put;
}

void cpu_transfer(cpu_cursor *w, const bind_op *op)
{
    if (!w->dma || !op->async.is_asynchronous)
        copy_synchronously(w, op);
    else if (op->stmt->put)
        post_put(w, op);
    else
        complete_get(w, op);
}

void cpu_transfer_await(const cpu_cursor *w, const bind_op *op)
{
    if (op->async.waits_for_puts)
        cpu_transfer_sync(w);
    else if (op->async.waits_for_output_buffer)
        cpu_dma_wait(w->dma, w->outstanding->put[op->out][current_copy(w, op)]);
}

void cpu_transfer_sync(const cpu_cursor *w)
{
    cpu_dma_wait(w->dma, w->outstanding->last_put);
}
