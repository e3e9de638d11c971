// SPDX-License-Identifier: BSD-3-Clause
/* Which loops may move their data in slices, and how.
 *
 * A block is what one iteration reads or writes in memory: bytes without a gap, however the kernels
 * inside walk through them. The kernels that write it, and those that read it again, get a local
 * buffer in its place. No value depends on it. */
#include "spl/bind/bind_slices.h"

#include <string.h>

#include "core/mem.h"

/* So much is moved between two calls; blocks of columns; so much of a local store is prefetched
 * ahead. */
enum {
    SLICE_BYTES = 1024,
    MOST_SLICE_BYTES = 4096,
    BLOCK_BYTES = 8192,
    LINE = 64,
    AHEAD_SHARE = 16
};
enum { MAX_DIMS = BIND_MAX_STEPS + 3 };

typedef struct dim {
    int64_t count, stride; /* scalars */
} dim;

typedef struct block {
    ptrdiff_t first; /* its first element from the buffer's, where all loops stand at 0 */
    size_t bytes;
    int64_t step; /* scalars from iteration to iteration */
} block;

/* ---- what an iteration accesses ---- */

static bool add_dim(dim *d, int *count, int64_t extent, int64_t stride)
{
    int at = (*count)++;

    if (extent == 1 || stride == 0)
        (*count)--;
    if (extent == 1 || stride == 0)
        return true;
    for (; at > 0 && d[at - 1].stride > stride; at--)
        d[at] = d[at - 1];
    d[at] = (dim){extent, stride};
    return stride > 0;
}

static bool is_around(const bind_op *loop, size_t at, size_t op)
{
    return loop->op == BIND_LOOP && at < op && op < loop->end;
}

/* The loops between the sliced one and the op. */
static bool add_inner_dims(const bind_tape *p, size_t loop, size_t at, bool out, dim *d, int *count)
{
    for (size_t i = loop + 1; i < at; i++) {
        const bind_op *inner = &p->op[i];
        bind_step step;
        if (!is_around(inner, i, at))
            continue;
        if (inner->range.share_var >= 0 || !bind_uniform_step(&p->op[at], inner->var, &step)
            || !add_dim(d, count, inner->range.n, out ? step.out : step.in))
            return false;
    }
    return true;
}

/* The block of a side of the op at `at`, if it has no gaps and every iteration another one. */
static bool find_block(const bind_tape *p, size_t loop, size_t at, bool out, block *b)
{
    const bind_op *op = &p->op[at];
    const spl_call *c = &op->call;
    dim d[MAX_DIMS] = {{0, 0}};
    int count = 0;
    int64_t scalars = 2;
    bind_step step;

    if (op->op != BIND_KERN || op->codelet->key.position == SPL_POS_G || op->cols.share_var >= 0
        || op->rows.share_var >= 0 || p->buf[out ? op->out : op->in].format != SPL_INTER)
        return false;
    if (!add_dim(d, &count, op->codelet->key.n, out ? c->os : c->is)
        || !add_dim(d, &count, op->cols.n, out ? c->ocs : c->ics)
        || !add_dim(d, &count, op->rows.n, out ? c->oouter : c->iouter)
        || !add_inner_dims(p, loop, at, out, d, &count)
        || !bind_uniform_step(op, p->op[loop].var, &step))
        return false;
    for (int i = 0; i < count; i++) {
        if (d[i].stride != scalars)
            return false;
        scalars *= d[i].count;
    }
    *b = (block){.first = out ? op->out_offset : op->in_offset,
                 .bytes = (size_t)scalars * p->scalar,
                 .step = out ? step.out : step.in};
    return b->step >= scalars;
}

/* Does a buffer exceed the caches that hold so much? */
static bool exceeds(const bind_tape *p, int buffer, size_t bytes)
{
    const prog_buf *b = &p->body->buf[buffer];

    return b->space != PROG_LOCAL && (size_t)(b->elems * prog_scalars(b)) * p->scalar > bytes;
}

static bool is_far(const bind_tape *p, int buffer)
{
    return exceeds(p, buffer, p->target->memory.prefetch);
}

static bool share_memory(const bind_tape *p, int a, int b)
{
    return a == b || (p->body->sides.in_place && a <= PROG_OUT && b <= PROG_OUT);
}

static bool touches(const bind_tape *p, const bind_op *op, bool out, int buffer)
{
    return op->op != BIND_LOOP && share_memory(p, out ? op->out : op->in, buffer);
}

/* ---- gets and puts ---- */

/* The one kernel of the body that reads a buffer beyond the caches, other than `except`; 0: none. */
static size_t find_reader(const bind_tape *p, size_t loop, int except)
{
    size_t reader = 0;

    for (size_t i = loop + 1; i < p->op[loop].end; i++) {
        const bind_op *op = &p->op[i];
        if (op->op == BIND_LOOP || op->in == except || !is_far(p, op->in))
            continue;
        if (reader)
            return 0;
        reader = i;
    }
    return reader;
}

/* Steps of the enclosing loops, this one included; others are inner ones. */
static void keep_outer_steps(const bind_tape *p, size_t loop, bind_op *op)
{
    int kept = 0;

    for (int i = 0; i < op->nsteps; i++) {
        bool inner = false;
        for (size_t k = loop + 1; k < p->op[loop].end; k++)
            inner = inner || (p->op[k].op == BIND_LOOP && p->op[k].var == op->step[i].var);
        if (!inner)
            op->step[kept++] = op->step[i];
    }
    op->nsteps = kept;
}

static bool find_get(const bind_tape *p, size_t loop, bind_slices *s)
{
    const size_t reader = find_reader(p, loop, s->buffer);
    block b;

    if (!reader || !find_block(p, loop, reader, false, &b))
        return false;
    const int64_t ahead = (int64_t)(p->target->memory.local_store / AHEAD_SHARE / b.bytes);
    s->get_bytes = b.bytes;
    s->distance = ahead > 1 ? ahead : 1;
    s->get = p->op[reader];
    s->get.base[0].bytes += (ptrdiff_t)(s->distance * b.step) * (ptrdiff_t)p->scalar;
    keep_outer_steps(p, loop, &s->get);
    return true;
}

/* The last kernel of the body, if it leaves results of the program that shared caches will not hold
 * either. */
static size_t find_writer(const bind_tape *p, size_t loop)
{
    const size_t last = p->op[loop].end - 1;
    const bind_op *op = &p->op[last];

    return op->op == BIND_KERN && op->output_is_final
                   && exceeds(p, op->out, p->target->memory.nt_in_place)
               ? last
               : 0;
}

/* All of the body that touches the buffer touches the whole block of its iteration. */
static bool is_private(const bind_tape *p, size_t loop, int buffer, const block *all)
{
    for (size_t i = loop + 1; i < p->op[loop].end; i++)
        for (int out = 0; out < 2; out++) {
            block b;
            if (!touches(p, &p->op[i], out, buffer))
                continue;
            if ((out ? p->op[i].out : p->op[i].in) != buffer || !find_block(p, loop, i, out, &b)
                || b.first != all->first || b.bytes != all->bytes || b.step != all->step)
                return false;
        }
    return true;
}

static bool find_put(const bind_tape *p, size_t loop, bind_slices *s)
{
    const size_t writer = find_writer(p, loop);
    block b;

    if (!writer || !find_block(p, loop, writer, true, &b)
        || !is_private(p, loop, p->op[writer].out, &b))
        return false;
    s->put_bytes = b.bytes;
    s->buffer = p->op[writer].out;
    s->put = p->op[writer];
    keep_outer_steps(p, loop, &s->put);
    return true;
}

/* ---- calls ---- */

static double iterations_inside(const bind_tape *p, size_t loop, size_t at)
{
    double times = 1;

    for (size_t i = loop + 1; i < at; i++)
        if (is_around(&p->op[i], i, at))
            times *= (double)p->op[i].range.n;
    return times;
}

/* Steps of one execution of a kernel: sets of rows, or vectors of columns. */
static int64_t steps_of(const bind_op *op)
{
    const int lanes = op->codelet->key.lanes;

    return op->rows.n > 1 ? op->rows.n : (op->cols.n + lanes - 1) / lanes;
}

static double cycles_of(const bind_tape *p, size_t loop, size_t at)
{
    const bind_op *op = &p->op[at];
    const int64_t lanes = op->codelet->key.lanes, vectors = (op->cols.n + lanes - 1) / lanes;

    return iterations_inside(p, loop, at) * (double)(vectors * op->rows.n)
           * p->target->cycles(p->target->owner, p->costs, op->codelet);
}

/* Columns or sets of one call, so that calls take about the same time and there are enough for
 * slices of SLICE_BYTES; with apply they are set. Returns how many calls there are. */
static size_t plan_calls(const bind_tape *p, size_t loop, size_t bytes, bool apply)
{
    double all = 0, calls = 0;

    for (size_t i = loop + 1; i < p->op[loop].end; i++)
        all += p->op[i].op == BIND_KERN ? cycles_of(p, loop, i) : 0;
    for (size_t i = loop + 1; i < p->op[loop].end; i++) {
        bind_op *op = &p->op[i];
        if (op->op != BIND_KERN)
            continue;
        const double times = iterations_inside(p, loop, i), steps = (double)steps_of(op);
        const double want = (double)bytes / SLICE_BYTES * cycles_of(p, loop, i) / all / times;
        const double least = want > 1 ? steps / want : steps;
        const int64_t step = least > 1 ? (int64_t)least : 1;
        calls += times * (double)((steps_of(op) + step - 1) / step);
        if (apply)
            op->slice_columns =
                (size_t)step * (op->rows.n > 1 ? 1 : (size_t)op->codelet->key.lanes);
    }
    return (size_t)calls;
}

static size_t slice_of(size_t bytes, size_t calls)
{
    return (bytes / calls + LINE - 1) / LINE * LINE;
}

/* Kernels and loops of them, by the members' own hands. */
static bool is_sliceable(const bind_tape *p, size_t loop)
{
    const bind_op *l = &p->op[loop];

    if (l->op != BIND_LOOP || l->par || l->has_par || p->may_overlap)
        return false;
    for (size_t i = loop + 1; i < l->end; i++)
        if (p->op[i].op != BIND_KERN && p->op[i].op != BIND_LOOP)
            return false;
    return true;
}

size_t bind_slices_near_bytes(const bind_tape *p, size_t loop, const bind_slices *s)
{
    size_t bytes = (size_t)(1 + s->distance) * s->get_bytes + BIND_SLICE_COPIES * s->put_bytes;

    for (int b = 0; b < p->nbufs; b++)
        for (size_t i = loop + 1; i < p->op[loop].end; i++)
            if (touches(p, &p->op[i], true, b) && b != s->buffer && !is_far(p, b)) {
                bytes += PROG_PLACE_SCALARS * p->scalar * (size_t)prog_places(&p->body->buf[b]);
                break;
            }
    for (size_t i = loop + 1; i < p->op[loop].end; i++)
        bytes += p->op[i].table ? p->op[i].table->bytes : 0;
    return bytes;
}

bool bind_slices_find(const bind_tape *p, size_t loop, bind_slice_kinds kinds, bind_slices *s)
{
    *s = (bind_slices){.buffer = -1};
    if (!is_sliceable(p, loop) || ((kinds & BIND_SLICE_PUT) && !find_put(p, loop, s))
        || ((kinds & BIND_SLICE_GET) && !find_get(p, loop, s))
        || bind_slices_near_bytes(p, loop, s) > p->target->memory.local_store)
        return false;
    const size_t bytes = s->get_bytes > s->put_bytes ? s->get_bytes : s->put_bytes;
    s->calls = plan_calls(p, loop, bytes, false);
    s->get_slice = slice_of(s->get_bytes, s->calls);
    s->put_slice = slice_of(s->put_bytes, s->calls);
    return true;
}

/* ---- columns as blocks ---- */

/* Ops from `at` on move by one, or back. */
static void shift_ops(bind_tape *p, size_t at, int by)
{
    bind_op *from = &p->op[by > 0 ? at : at + 1];

    memmove(from + by, from, (p->nops - (size_t)(from - p->op)) * sizeof *from);
    p->nops += (size_t)by;
    for (size_t i = 0; i < p->nops; i++) {
        p->op[i].end += p->op[i].op == BIND_LOOP && p->op[i].end > at ? (size_t)by : 0;
        p->op[i].prefetch_op += p->op[i].prefetch_op > at ? (size_t)by : 0;
    }
}

/* Columns of a block: whole vectors, of BLOCK_BYTES at most, that divide all. */
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
        || op->rows.n > 1 || op->call.ics <= 0 || op->call.ocs <= 0 || !is_far(p, op->in)
        || op->call.tw)
        return false;
    const int64_t columns = columns_of_block(op, (size_t)op->codelet->key.n * 2 * p->scalar),
                  blocks = op->cols.n / columns;
    if (op->cols.n % columns != 0 || blocks < 2)
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
    if (bind_add_step(op, &step))
        return true;
    bind_slices_join(p, at, kernel);
    return false;
}

void bind_slices_join(bind_tape *p, size_t at, const bind_op *kernel)
{
    shift_ops(p, at, -1);
    p->op[at] = *kernel;
}

/* ---- in use ---- */

/* From one copy of the buffer to the next, in scalars. */
static ptrdiff_t copy_of(const bind_tape *p, const bind_slices *s)
{
    return (ptrdiff_t)((s->put_bytes + LINE - 1) / LINE * LINE / p->scalar);
}

/* A side of the op leads to the local buffer: the copy of this iteration. */
static bool redirect(const bind_tape *p, size_t loop, const bind_slices *s, bind_op *op, bool out)
{
    const ptrdiff_t copy = copy_of(p, s), scalar = (ptrdiff_t)p->scalar;
    const bind_step turn = {.var = p->op[loop].var,
                            .div = 1,
                            .ext = BIND_SLICE_COPIES,
                            .in = out ? 0 : copy,
                            .out = out ? copy : 0};
    const ptrdiff_t local = (ptrdiff_t)p->local_bytes;
    bind_op outer = *op;

    keep_outer_steps(p, loop, &outer);
    for (int i = 0; i < op->nsteps; i++)
        for (int k = 0; k < outer.nsteps; k++)
            if (op->step[i].var == outer.step[k].var)
                *(out ? &op->step[i].out : &op->step[i].in) = 0;
    op->base[out ? 2 : 0] = (bind_base){BIND_ARENA_LOCAL, local};
    op->base[out ? 3 : 1] = (bind_base){BIND_ARENA_LOCAL, local + scalar};
    return bind_add_step(op, &turn);
}

static bool use_put(bind_tape *p, size_t loop, bind_slices *s)
{
    bool room = true;

    for (int i = 0; i < s->put.nsteps; i++)
        s->put.step[i].in = 0;
    room = redirect(p, loop, s, &s->put, false);
    for (size_t i = loop + 1; i < p->op[loop].end; i++)
        for (int out = 0; out < 2; out++)
            if (touches(p, &p->op[i], out, s->buffer))
                room = redirect(p, loop, s, &p->op[i], out) && room;
    p->has_nt_stores = true;
    return room;
}

bool bind_slices_use(bind_tape *p, size_t loop, const bind_slices *slices)
{
    bind_slices *s = core_malloc(sizeof *s);

    if (!s)
        return false;
    *s = *slices;
    p->op[loop].slices = s;
    plan_calls(p, loop, s->get_bytes > s->put_bytes ? s->get_bytes : s->put_bytes, true);
    p->op[loop].has_constant_step = false;
    p->is_list = false;
    for (size_t i = loop + 1; i < p->op[loop].end; i++) {
        bind_op *op = &p->op[i];
        op->has_constant_step = false;
        op->codelet_nt = s->put_bytes ? NULL : op->codelet_nt;
        op->prefetch_columns = s->get_bytes ? 0 : op->prefetch_columns;
        op->fixed_count = 0;
    }
    if (s->put_bytes == 0)
        return true;
    const bool room = use_put(p, loop, s);
    p->local_bytes += BIND_SLICE_COPIES * (size_t)copy_of(p, s) * p->scalar + LINE;
    p->work_bytes = p->shared_bytes + (size_t)p->members * p->local_bytes;
    return room;
}
