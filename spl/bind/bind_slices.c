// SPDX-License-Identifier: BSD-3-Clause
/* Which loops may move their data in slices, and how.
 *
 * A block is what one iteration reads or writes in memory: bytes without a gap, however the kernels
 * inside walk through them. The last kernel writes a local buffer in place of its block; where it
 * may work in place, that is the one it reads. No value depends on it. */
#include "spl/bind/bind_slices.h"

/* 1/AHEAD_SHARE of a local store is prefetched ahead. */
enum { LINE = 64, AHEAD_SHARE = 16 };
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

/* The loops between the sliced one and the op. */
static bool add_inner_dims(const bind_tape *p, size_t loop, size_t at, bool out, dim *d, int *count)
{
    for (size_t i = loop + 1; i < at; i++) {
        const bind_op *inner = &p->op[i];
        bind_step step;
        if (!bind_slices_around(inner, i, at))
            continue;
        if (inner->range.share_var >= 0 || !bind_uniform_step(&p->op[at], inner->var, &step)
            || !add_dim(d, count, inner->range.n, out ? step.out : step.in))
            return false;
    }
    return true;
}

/* The block of a side of the op at `at`, if it has no gaps. */
static bool find_bytes(const bind_tape *p, size_t loop, size_t at, bool out, block *b)
{
    const bind_op *op = &p->op[at];
    const spl_call *c = &op->call;
    dim d[MAX_DIMS] = {{0, 0}};
    int count = 0;
    int64_t scalars = 2;
    bind_step step;

    if (op->op != BIND_KERN || op->tail.pass || op->codelet->key.position == SPL_POS_G
        || op->cols.share_var >= 0 || op->rows.share_var >= 0
        || p->buf[out ? op->out : op->in].format != SPL_INTER)
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
    return true;
}

/* The same, if every iteration has another one. */
static bool find_block(const bind_tape *p, size_t loop, size_t at, bool out, block *b)
{
    return find_bytes(p, loop, at, out, b) && b->step >= (int64_t)(b->bytes / p->scalar);
}

/* Does a buffer exceed the caches that hold so much? */
static bool exceeds_bytes(const bind_tape *p, int buffer, size_t bytes)
{
    return p->body->buf[buffer].space != PROG_LOCAL && bind_buffer_bytes(p, buffer) > bytes;
}

bool bind_slices_far(const bind_tape *p, int buffer)
{
    return exceeds_bytes(p, buffer, p->target->memory.prefetch);
}

bool bind_slices_touches(const bind_tape *p, const bind_op *op, bool out, int buffer)
{
    return op->op != BIND_LOOP && prog_share_memory(p->body, out ? op->out : op->in, buffer);
}

/* ---- gets and puts ---- */

/* The one kernel of the body that reads a buffer beyond the caches, other than `except`; 0:
 * none. */
static size_t find_reader(const bind_tape *p, size_t loop, int except)
{
    size_t reader = 0;

    for (size_t i = loop + 1; i < p->op[loop].end; i++) {
        const bind_op *op = &p->op[i];
        if (op->op == BIND_LOOP || op->in == except || !bind_slices_far(p, op->in))
            continue;
        if (reader)
            return 0;
        reader = i;
    }
    return reader;
}

void bind_slices_outer_steps(const bind_tape *p, size_t loop, bind_op *op)
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

    if (!reader || !find_block(p, loop, reader, false, &b)
        || (bind_reads_on(&p->op[reader].codelet->key) && b.bytes <= BIND_AHEAD_BYTES))
        return false;
    const int64_t ahead = (int64_t)(p->target->memory.local_store / AHEAD_SHARE / b.bytes);
    s->get_bytes = b.bytes;
    s->distance = ahead > 1 ? ahead : 1;
    s->get = p->op[reader];
    s->get.base[0].bytes += (ptrdiff_t)(s->distance * b.step) * (ptrdiff_t)p->scalar;
    bind_slices_outer_steps(p, loop, &s->get);
    return true;
}

/* The last kernel of the body, if it leaves results of the program that shared caches will not hold
 * either. */
static size_t find_writer(const bind_tape *p, size_t loop)
{
    const size_t last = p->op[loop].end - 1;
    const bind_op *op = &p->op[last];

    return op->op == BIND_KERN && op->output_is_final
                   && exceeds_bytes(p, op->out, p->target->memory.nt_in_place)
               ? last
               : 0;
}

/* Does nothing else of the body touch what the last kernel writes? */
static bool is_private(const bind_tape *p, size_t loop, size_t writer)
{
    const int buffer = p->op[writer].out;

    for (size_t i = loop + 1; i < writer; i++)
        if (bind_slices_touches(p, &p->op[i], false, buffer)
            || bind_slices_touches(p, &p->op[i], true, buffer))
            return false;
    return !bind_slices_touches(p, &p->op[writer], false, buffer);
}

/* Has the kernel the same addresses on both sides, so that it may overwrite what it reads? */
static bool may_work_in_place(const bind_op *op)
{
    const spl_call *c = &op->call;
    const spl_position position = op->codelet->key.position;

    return position != SPL_POS_A && position != SPL_POS_G && c->is == c->os && c->ics == c->ocs
           && c->iouter == c->oouter
           && (op->cols.n % op->codelet->key.lanes == 0 || op->tail.tw == SPL_TW_NONE);
}

/* Is a buffer the loop's own: written anew by every iteration before it is read, as one block of so
 * many bytes, wherever the loops around stand? */
static bool is_scratch(const bind_tape *p, size_t loop, int buffer, size_t bytes)
{
    bool written = false;
    ptrdiff_t first = 0;

    for (size_t i = 0; i < p->nops; i++)
        for (int out = 0; out < 2; out++) {
            const bind_op *op = &p->op[i];
            block b;
            if (op->op == BIND_LOOP || op->op == BIND_SYNC
                || !bind_slices_touches(p, op, out, buffer))
                continue;
            if (i <= loop || i >= p->op[loop].end || (!out && !written)
                || !find_bytes(p, loop, i, out, &b) || b.bytes != bytes
                || (written && b.first != first))
                return false;
            first = b.first;
            bind_op outer = *op;
            bind_slices_outer_steps(p, loop, &outer);
            for (int k = 0; k < outer.nsteps; k++)
                if (out ? outer.step[k].out : outer.step[k].in)
                    return false;
            written = true;
        }
    return written;
}

/* Do both sides of the kernel move by the same in loops inside this one? */
static bool steps_alike(const bind_tape *p, size_t loop, const bind_op *writer)
{
    bind_op outer = *writer;
    int unlike = 0;

    bind_slices_outer_steps(p, loop, &outer);
    for (int i = 0; i < writer->nsteps; i++)
        unlike += writer->step[i].in != writer->step[i].out;
    for (int i = 0; i < outer.nsteps; i++)
        unlike -= outer.step[i].in != outer.step[i].out;
    return unlike == 0;
}

/* What the last kernel reads, if it may be put from there: then it works in place. */
static int find_scratch(const bind_tape *p, size_t loop, size_t writer, size_t bytes)
{
    const bind_op *last = &p->op[writer];

    return p->body->buf[last->in].space > PROG_OUT && may_work_in_place(last)
                   && steps_alike(p, loop, last) && is_scratch(p, loop, last->in, bytes)
               ? last->in
               : -1;
}

/* Is it a serial loop of kernels and loops of them, without helpers? */
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

int bind_slices_scratch(const bind_tape *p, size_t loop)
{
    const size_t last = p->op[loop].end - 1;
    block b;

    if (!is_sliceable(p, loop) || p->op[last].op != BIND_KERN
        || !find_block(p, loop, last, true, &b) || !is_private(p, loop, last))
        return -1;
    return find_scratch(p, loop, last, b.bytes);
}

/* Small blocks whose lines the stages before fetch are computed sooner than they are put. */
static bool find_put(const bind_tape *p, size_t loop, bind_slices *s)
{
    const size_t writer = find_writer(p, loop);
    block b;

    if (!writer || !find_block(p, loop, writer, true, &b) || !is_private(p, loop, writer)
        || (b.bytes <= BIND_AHEAD_BYTES && bind_slices_in_block(p, loop) >= 0))
        return false;
    s->put_bytes = b.bytes;
    s->buffer = p->op[writer].out;
    s->scratch = p->op[writer].cols.n % p->op[writer].codelet->key.lanes == 0
                     ? find_scratch(p, loop, writer, b.bytes)
                     : -1;
    s->put = p->op[writer];
    bind_slices_outer_steps(p, loop, &s->put);
    return true;
}

static size_t slice_of(size_t bytes, size_t calls)
{
    return (bytes / calls + LINE - 1) / LINE * LINE;
}

size_t bind_slices_near_bytes(const bind_tape *p, size_t loop, const bind_slices *s)
{
    size_t bytes = (size_t)(1 + s->distance) * s->get_bytes + BIND_SLICE_COPIES * s->put_bytes;

    for (int b = 0; b < p->nbufs; b++)
        for (size_t i = loop + 1; i < p->op[loop].end; i++)
            if (bind_slices_touches(p, &p->op[i], true, b) && b != s->buffer && b != s->scratch
                && !bind_slices_far(p, b)) {
                bytes += PROG_PLACE_SCALARS * p->scalar * (size_t)prog_places(&p->body->buf[b]);
                break;
            }
    for (size_t i = loop + 1; i < p->op[loop].end; i++)
        bytes += p->op[i].table ? p->op[i].table->bytes : 0;
    return bytes;
}

bool bind_slices_find(const bind_tape *p, size_t loop, bind_slice_kinds kinds, bind_slices *s)
{
    *s = (bind_slices){.buffer = -1, .scratch = -1};
    if (!is_sliceable(p, loop) || ((kinds & BIND_SLICE_PUT) && !find_put(p, loop, s))
        || ((kinds & BIND_SLICE_GET) && !find_get(p, loop, s))
        || bind_slices_near_bytes(p, loop, s) > p->target->memory.local_store)
        return false;
    const size_t bytes = s->get_bytes > s->put_bytes ? s->get_bytes : s->put_bytes;
    if (bytes <= BIND_SLICED_BYTES)
        return false;
    s->calls = bind_slices_calls(p, loop, bytes, false);
    s->get_slice = slice_of(s->get_bytes, s->calls);
    s->put_slice = slice_of(s->put_bytes, s->calls);
    return true;
}
