// SPDX-License-Identifier: BSD-3-Clause
/* Makes loops move their data in slices: the number of calls, blocks of columns, and local buffers
 * in place of the output. */
#include <string.h>

#include "core/mem.h"
#include "spl/bind/bind_choice.h"
#include "spl/bind/bind_slices.h"

/* Limit in bytes of a block made of columns. */
enum { BLOCK_BYTES = 8192, LINE = 64 };

/* ---- calls ---- */

static double iterations_inside(const bind_tape *p, size_t loop, size_t at)
{
    double times = 1;

    for (size_t i = loop + 1; i < at; i++)
        if (bind_slices_around(&p->op[i], i, at))
            times *= (double)p->op[i].range.n;
    return times;
}

/* Steps of one execution of a kernel: sets, or vectors of columns. */
static int64_t steps_of(const bind_op *op)
{
    const int lanes = op->codelet->key.lanes;

    return op->outer.n > 1 ? op->outer.n : (op->cols.n + lanes - 1) / lanes;
}

/* Calls if each takes so many steps. The last call also takes the columns that do not fill a
 * vector, as in cpu_slice_columns, because slices are distributed over the calls that are really
 * made. */
static int64_t calls_of(const bind_op *op, int64_t step)
{
    const int64_t lanes = op->codelet->key.lanes;

    if (op->outer.n > 1)
        return (op->outer.n + step - 1) / step;
    return op->cols.n > lanes ? 1 + (op->cols.n - lanes) / (step * lanes) : 1;
}

static double cycles_of(const bind_tape *p, size_t loop, size_t at)
{
    const bind_op *op = &p->op[at];
    const int64_t lanes = op->codelet->key.lanes, vectors = (op->cols.n + lanes - 1) / lanes;

    return iterations_inside(p, loop, at) * (double)(vectors * op->outer.n)
           * p->target->cycles(p->target->owner, p->costs, op->codelet);
}

/* Kernels that take so small a share of the time that less than this part of a slice would be
 * hidden have no slices after them. */
static const double least_share = 0.25;

size_t bind_slices_calls(const bind_tape *p, size_t loop, size_t bytes, bool apply)
{
    double all = 0, calls = 0;

    for (size_t i = loop + 1; i < p->op[loop].end; i++)
        all += p->op[i].op == BIND_KERN ? cycles_of(p, loop, i) : 0;
    for (size_t i = loop + 1; i < p->op[loop].end; i++) {
        bind_op *op = &p->op[i];
        if (op->op != BIND_KERN)
            continue;
        const double times = iterations_inside(p, loop, i), steps = (double)steps_of(op);
        const double share = (double)bytes / BIND_SLICE_BYTES * cycles_of(p, loop, i) / all;
        const double want = share / times;
        if (share < least_share)
            continue;
        const double min = want > 1 ? steps / want : steps;
        const int64_t step = min > 1 ? (int64_t)(min + 0.5) : 1;
        calls += times * (double)calls_of(op, step);
        if (apply)
            op->slice_columns =
                (size_t)step * (op->outer.n > 1 ? 1 : (size_t)op->codelet->key.lanes);
    }
    return (size_t)calls;
}

/* ---- columns as blocks ---- */

/* Moves the ops from `at` on by one place (by = 1), or back (-1). */
static void shift_ops(bind_tape *p, size_t at, int by)
{
    bind_op *from = &p->op[by > 0 ? at : at + 1];

    memmove(from + by, from, (p->nops - (size_t)(from - p->op)) * sizeof *from);
    p->nops += (size_t)by;
    for (size_t i = 0; i < p->nops; i++) {
        p->op[i].end += p->op[i].op == BIND_LOOP && p->op[i].end > at ? (size_t)by : 0;
        const size_t moved = by > 0 && at > 0 ? at : at + 1; /* 0 refers to no op */
        p->op[i].prefetch_op += p->op[i].prefetch_op >= moved ? (size_t)by : 0;
    }
}

/* Columns of a block: whole vectors, at most BLOCK_BYTES, and a divisor of all columns. */
static int64_t columns_of_block(const bind_op *op, size_t bytes)
{
    const int64_t lanes = op->codelet->key.lanes, n = op->cols.n;
    int64_t columns = BLOCK_BYTES / (int64_t)bytes / lanes * lanes;

    while (columns > lanes && n % columns != 0)
        columns -= lanes;
    return columns < lanes ? lanes : columns;
}

bool bind_slices_split(bind_tape *p, size_t at, bind_op *kernel)
{
    bind_op *op = &p->op[at];

    if (op->op != BIND_KERN || op->codelet->key.position != SPL_POS_W || op->codelet_nt
        || op->outer.n > 1 || op->call.ics <= 0 || op->call.ocs <= 0
        || (!bind_slices_exceeds_caches(p, op->in) && !bind_slices_exceeds_caches(p, op->out))
        || op->call.tw)
        return false;
    const size_t bytes =
        (size_t)(op->codelet->key.n * prog_scalars(&p->body->buf[op->in]))
        * p->scalar; /* of a transform: shorter ones take longer in slices (docs/log/slices.md) */
    const int64_t columns = columns_of_block(op, bytes), blocks = op->cols.n / columns;
    if (op->cols.n % columns != 0 || blocks < 2 || bytes < BIND_SLICE_BYTES)
        return false;
    *kernel = *op;
    shift_ops(p, at, 1);
    op = &p->op[at + 1];
    p->op[at] = (bind_op){
        .op = BIND_LOOP, .end = at + 2, .of_columns = true, .var = op->cols.var, .range = op->cols};
    p->op[at].range.n = blocks;
    p->op[at].range.grain = op->cols.grain > columns ? op->cols.grain / columns : 1;
    op->cols =
        (spl_range){.n = columns, .var = op->cols.var, .share_var = -1, .shares = 1, .grain = 1};
    const bind_step step = {.var = op->cols.var,
                            .in = (ptrdiff_t)columns * op->call.ics,
                            .out = (ptrdiff_t)columns * op->call.ocs};
    const bool room = bind_add_step(op, &step);
    bind_constant_steps(p);
    if (!room)
        bind_slices_join(p, at, kernel);
    return room;
}

void bind_slices_join(bind_tape *p, size_t at, const bind_op *kernel)
{
    shift_ops(p, at, -1);
    p->op[at] = *kernel;
    bind_constant_steps(p);
}

/* ---- in use ---- */

/* Distance from one copy of the local buffer to the next, in scalars. */
static ptrdiff_t copy_of(const bind_tape *p, const bind_slices *s)
{
    return (ptrdiff_t)((s->put_bytes + LINE - 1) / LINE * LINE / p->scalar);
}

/* Redirects a side of the op to this iteration's copy of the local buffer, at the same distance
 * from its start as from that of the block at `block`. */
static bool lead_to_local(const bind_tape *p, size_t loop, const bind_slices *s, bind_op *op,
                          bool out, ptrdiff_t block)
{
    const bind_step turn = {
        .var = p->op[loop].var, .div = 1, .ext = BIND_SLICE_COPIES, .out = copy_of(p, s)};
    bind_base base[2];
    bind_op outer = *op;

    bind_slices_outer_steps(p, loop, &outer);
    for (int i = 0; i < op->nsteps; i++)
        for (int k = 0; k < outer.nsteps; k++)
            if (op->step[i].var == outer.step[k].var)
                *(out ? &op->step[i].out : &op->step[i].in) = 0;
    for (int i = 0; i < 2; i++)
        base[i] = (bind_base){BIND_ARENA_LOCAL,
                              (ptrdiff_t)p->local_bytes + op->base[out ? 2 + i : i].bytes - block};
    return bind_slices_redirect(op, out, base, &turn, 1);
}

/* Redirects all ops of the loop that access the buffer, in which each iteration has one block. */
static bool redirect_buffer(bind_tape *p, size_t loop, const bind_slices *s, int buffer,
                            ptrdiff_t block)
{
    bool room = true;

    for (size_t i = loop + 1; i < p->op[loop].end; i++)
        for (int out = 0; out < 2; out++)
            if (bind_slices_touches(p, &p->op[i], out, buffer))
                room = lead_to_local(p, loop, s, &p->op[i], out, block) && room;
    return room;
}

static bool use_put(bind_tape *p, size_t loop, bind_slices *s)
{
    const size_t last = p->op[loop].end - 1;
    bind_block scratch = {.bytes = 0};

    if (s->scratch >= 0 && !bind_block_of_op(p, loop, last, false, &scratch))
        return false;
    for (int i = 0; i < s->put.nsteps; i++)
        s->put.step[i].in = 0;
    s->put.base[0] = s->put.base[2];
    p->has_nt_stores = true;
    return lead_to_local(p, loop, s, &s->put, false, s->put.base[2].bytes)
           && redirect_buffer(p, loop, s, s->buffer, s->put.base[2].bytes)
           && (s->scratch < 0 || redirect_buffer(p, loop, s, s->scratch, scratch.base.bytes));
}

/* The codelet that stores the block in whole lines itself. It serves on processors on which
 * non-temporal stores cost no more in the order of its rows than in that of slices: AMD's,
 * recognised by how they store cached lines (docs/log/slices.md). */
static const spl_codelet *find_straight(const bind_tape *p, size_t loop, const bind_slices *s)
{
    const bind_op *last = &p->op[p->op[loop].end - 1];
    int writers = 0;

    for (size_t i = loop + 1; i < p->op[loop].end; i++)
        writers += bind_slices_touches(p, &p->op[i], true, s->buffer);
    return !p->target->memory.nt_cached && s->put_bytes && writers == 1 && !last->scaling.rows
                   && !last->nt_needs_one_member && last->cols.n % last->codelet->key.lanes == 0
                   && last->codelet->key.out == SPL_INTER
               ? last->codelet_nt
               : NULL;
}

bool bind_slices_use(bind_tape *p, size_t loop, const bind_slices *slices)
{
    bind_slices *s = core_malloc(sizeof *s);

    if (!s)
        return false;
    *s = *slices;
    s->straight = find_straight(p, loop, s);
    p->op[loop].slices = s;
    bind_slices_calls(p, loop, s->get_bytes > s->put_bytes ? s->get_bytes : s->put_bytes, true);
    p->is_list = false;
    for (size_t i = loop + 1; i < p->op[loop].end; i++) {
        bind_op *op = &p->op[i];
        op->codelet_nt = s->put_bytes ? NULL : op->codelet_nt;
        op->prefetch_columns = s->get_bytes ? 0 : op->prefetch_columns;
        op->fixed_count = 0;
    }
    bool room = true;
    if (s->put_bytes) {
        room = use_put(p, loop, s);
        p->local_bytes += BIND_SLICE_COPIES * (size_t)copy_of(p, s) * p->scalar + LINE;
        p->work_bytes = p->shared_bytes + (size_t)p->members * p->local_bytes;
    }
    bind_constant_steps(p);
    return room;
}
