// SPDX-License-Identifier: BSD-3-Clause
/* Finds the loops that may move their data in slices, and how.
 *
 * One iteration reads a block of one buffer and writes a block of another (bind_block.c). The
 * kernels that write it are redirected to a local buffer, which is then copied to the block; if a
 * single kernel writes the block and may work in place, the local buffer is also the one that it
 * reads. No value depends on this. */
#include "spl/bind/bind_slices.h"

/* 1/AHEAD_SHARE of a local store is prefetched in advance. */
enum { LINE = 64, AHEAD_SHARE = 16 };

/* Is a buffer larger than caches of so many bytes? */
static bool exceeds_bytes(const bind_tape *p, int buffer, size_t bytes)
{
    return p->body->buf[buffer].space != PROG_LOCAL && bind_buffer_bytes(p, buffer) > bytes;
}

bool bind_slices_exceeds_caches(const bind_tape *p, int buffer)
{
    return exceeds_bytes(p, buffer, p->target->memory.prefetch);
}

bool bind_slices_touches(const bind_tape *p, const bind_op *op, bool out, int buffer)
{
    return op->op != BIND_LOOP && prog_share_memory(p->body, out ? op->out : op->in, buffer);
}

/* ---- gets and puts ---- */

/* The one buffer that exceeds the caches and is read in the body, except `except`; -1: none, or
 * several. */
static int find_input(const bind_tape *p, size_t loop, int except)
{
    int input = -1;

    for (size_t i = loop + 1; i < p->op[loop].end; i++) {
        const bind_op *op = &p->op[i];
        if (op->op == BIND_LOOP || op->in == except || !bind_slices_exceeds_caches(p, op->in))
            continue;
        if (input >= 0 && input != op->in)
            return -1;
        input = op->in;
    }
    return input;
}

/* The first kernel of the body that reads the buffer. */
static const bind_op *first_reader(const bind_tape *p, size_t loop, int buffer)
{
    size_t i = loop + 1;

    while (p->op[i].op == BIND_LOOP || p->op[i].in != buffer)
        i++;
    return &p->op[i];
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

bool bind_slices_redirect(bind_op *op, bool out, const bind_base *base, const bind_step *step,
                          int count)
{
    bool room = true;

    op->base[out ? 2 : 0] = base[0];
    op->base[out ? 3 : 1] = base[1];
    for (int i = 0; i < count; i++) {
        const bind_step *s = &step[i];
        const bind_step more = {.var = s->var,
                                .div = s->div,
                                .ext = s->ext,
                                .in = out ? 0 : s->out,
                                .out = out ? s->out : 0};
        room = bind_add_step(op, &more) && room;
    }
    return room;
}

/* The first kernel that reads the body's input (not `except`), and the block that an iteration
 * reads of it; NULL: there is no such block. */
static const bind_op *find_reader(const bind_tape *p, size_t loop, int except, bind_block *b)
{
    const int input = find_input(p, loop, except);

    return input >= 0 && bind_block_of_loop(p, loop, input, false, b) ? first_reader(p, loop, input)
                                                                      : NULL;
}

static bool find_get(const bind_tape *p, size_t loop, const bind_op *reader, const bind_block *b,
                     bind_slices *s)
{
    if (!reader)
        return false;
    const int64_t ahead = (int64_t)(p->target->memory.local_store / AHEAD_SHARE / b->bytes);
    s->get = *reader;
    s->get_bytes = b->bytes;
    s->distance = ahead > 1 ? ahead : 1;
    s->get.swap = false;
    s->get.base[0] = b->base;
    s->get.base[0].bytes += (ptrdiff_t)(s->distance * b->step) * (ptrdiff_t)p->scalar;
    bind_slices_outer_steps(p, loop, &s->get);
    return true;
}

/* Are the results of the body's last kernel results of the program that do not fit shared caches
 * either? */
static bool leaves_results(const bind_tape *p, size_t loop)
{
    const bind_op *op = &p->op[p->op[loop].end - 1];

    return op->op == BIND_KERN && op->output_is_final
           && exceeds_bytes(p, op->out, p->target->memory.nt_in_place);
}

/* Is the output of the body's last kernel accessed in the body only by writes to that buffer? */
static bool is_private(const bind_tape *p, size_t loop)
{
    const size_t last = p->op[loop].end - 1;
    const int buffer = p->op[last].out;

    for (size_t i = loop + 1; i <= last; i++)
        if (bind_slices_touches(p, &p->op[i], false, buffer)
            || (bind_slices_touches(p, &p->op[i], true, buffer) && p->op[i].out != buffer))
            return false;
    return true;
}

/* Has the kernel the same addresses on both sides, so that it may overwrite its input? */
static bool may_work_in_place(const bind_op *op)
{
    const spl_call *c = &op->call;
    const spl_position position = op->codelet->key.position;

    return position != SPL_POS_A && position != SPL_POS_G && !op->tail.pairs && c->is == c->os
           && c->ics == c->ocs && c->iouter == c->oouter
           && (op->cols.n % op->codelet->key.lanes == 0 || op->tail.tw == SPL_TW_NONE);
}

/* Is a buffer private to the loop: does every iteration write it before reading it, as one block of
 * so many bytes at a fixed address, which each op accesses as a whole? */
static bool is_scratch(const bind_tape *p, size_t loop, int buffer, size_t bytes)
{
    bool written = false;
    ptrdiff_t first = 0;

    for (size_t i = 0; i < p->nops; i++)
        for (int out = 0; out < 2; out++) {
            const bind_op *op = &p->op[i];
            bind_block b;
            if (op->op == BIND_LOOP || op->op == BIND_SYNC
                || !bind_slices_touches(p, op, out, buffer))
                continue;
            if (i <= loop || i >= p->op[loop].end || (!out && !written)
                || !bind_block_of_op(p, loop, i, out, &b) || b.bytes != bytes
                || (written && b.base.bytes != first))
                return false;
            first = b.base.bytes;
            bind_op outer = *op;
            bind_slices_outer_steps(p, loop, &outer);
            for (int k = 0; k < outer.nsteps; k++)
                if (out ? outer.step[k].out : outer.step[k].in)
                    return false;
            written = true;
        }
    return written;
}

/* Do loops inside this one move both sides of the kernel by the same distance? */
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

/* The buffer that the last kernel reads, if that kernel alone writes the block of so many bytes and
 * may work in place, so that the block can be copied out of this buffer; else -1. */
static int find_scratch(const bind_tape *p, size_t loop, size_t bytes)
{
    const size_t at = p->op[loop].end - 1;
    const bind_op *last = &p->op[at];
    bind_block b;

    return p->body->buf[last->in].space > PROG_OUT && may_work_in_place(last)
                   && bind_block_of_op(p, loop, at, true, &b) && b.bytes == bytes
                   && steps_alike(p, loop, last) && is_scratch(p, loop, last->in, bytes)
               ? last->in
               : -1;
}

/* Is it a serial loop of kernels and loops of kernels, with constant steps and without helpers? */
static bool is_sliceable(const bind_tape *p, size_t loop)
{
    const bind_op *l = &p->op[loop];

    return l->op == BIND_LOOP && l->has_constant_steps && !l->par && !l->has_par && !p->may_overlap;
}

int bind_slices_scratch(const bind_tape *p, size_t loop)
{
    const bind_op *last = &p->op[p->op[loop].end - 1];
    bind_block b;

    if (!is_sliceable(p, loop) || last->op != BIND_KERN
        || !bind_block_of_loop(p, loop, last->out, true, &b) || !is_private(p, loop))
        return -1;
    return find_scratch(p, loop, b.bytes);
}

/* May earlier stages fetch the lines of such a block (bind_slices_output.c) in less time than they
 * are copied out in slices? Whole lines are copied without being read, so half the size is enough
 * if `reader`, the first kernel, reads columns (docs/log/slices.md). */
static bool fetches_block(const bind_tape *p, size_t loop, const bind_op *reader,
                          const bind_block *b)
{
    const bool columns = reader && !bind_reads_rows_in_sequence(&reader->codelet->key);
    const size_t most = BIND_PREFETCH_ROW_BYTES / (columns && b->bytes % LINE == 0 ? 2 : 1);

    return b->bytes <= most && bind_slices_in_block(p, loop) >= 0;
}

/* Finds the put, unless earlier stages fetch its lines. */
static bool find_put(const bind_tape *p, size_t loop, const bind_op *reader, bind_slices *s)
{
    const bind_op *last = &p->op[p->op[loop].end - 1];
    bind_block b;

    if (!leaves_results(p, loop) || !is_private(p, loop)
        || !bind_block_of_loop(p, loop, last->out, true, &b) || fetches_block(p, loop, reader, &b))
        return false;
    s->put_bytes = b.bytes;
    s->buffer = last->out;
    s->scratch = last->cols.n % last->codelet->key.lanes == 0 ? find_scratch(p, loop, b.bytes) : -1;
    s->put = *last;
    s->put.swap = false;
    s->put.base[2] = b.base;
    bind_slices_outer_steps(p, loop, &s->put);
    return true;
}

static size_t slice_of(size_t bytes, size_t calls)
{
    return (bytes / calls + LINE - 1) / LINE * LINE;
}

size_t bind_slices_iteration_bytes(const bind_tape *p, size_t loop, const bind_slices *s)
{
    size_t bytes = (size_t)(1 + s->distance) * s->get_bytes + BIND_SLICE_COPIES * s->put_bytes;

    for (int b = 0; b < p->nbufs; b++)
        for (size_t i = loop + 1; i < p->op[loop].end; i++)
            if (bind_slices_touches(p, &p->op[i], true, b) && b != s->buffer && b != s->scratch
                && !bind_slices_exceeds_caches(p, b)) {
                bytes += PROG_PLACE_SCALARS * p->scalar * (size_t)prog_cells_of(&p->body->buf[b]);
                break;
            }
    for (size_t i = loop + 1; i < p->op[loop].end; i++)
        bytes += p->op[i].table ? p->op[i].table->bytes : 0;
    return bytes;
}

/* May the loop move these? Small transforms that are read from end to end are not prefetched, since
 * hardware does that. The exception is a loop that holds nothing else and puts its results between
 * its calls: hardware no longer keeps ahead there, so either both are moved or neither
 * (docs/log/slices.md). */
static bool may_move(const bind_op *l, bind_slice_kinds kinds, const bind_op *reader,
                     const bind_block *b)
{
    if (!reader)
        return !(kinds & BIND_SLICE_GET);
    const size_t transforms = l->of_columns ? (size_t)reader->cols.n : 1;
    if (!bind_reads_rows_in_sequence(&reader->codelet->key)
        || b->bytes / transforms > BIND_PREFETCH_ROW_BYTES)
        return true;
    return l->of_columns ? kinds == BIND_SLICE_BOTH : !(kinds & BIND_SLICE_GET);
}

bool bind_slices_find(const bind_tape *p, size_t loop, bind_slice_kinds kinds, bind_slices *s)
{
    const bind_op *l = &p->op[loop];
    bind_block b;

    *s = (bind_slices){.buffer = -1, .scratch = -1};
    if (!is_sliceable(p, loop))
        return false;
    const bind_op *reader =
        find_reader(p, loop, kinds & BIND_SLICE_PUT ? p->op[l->end - 1].out : -1, &b);
    if (!may_move(l, kinds, reader, &b)
        || ((kinds & BIND_SLICE_PUT) && !find_put(p, loop, reader, s))
        || ((kinds & BIND_SLICE_GET) && !find_get(p, loop, reader, &b, s))
        || bind_slices_iteration_bytes(p, loop, s) > p->target->memory.local_store)
        return false;
    const size_t bytes = s->get_bytes > s->put_bytes ? s->get_bytes : s->put_bytes;
    if (bytes <= BIND_SLICED_BYTES)
        return false;
    s->calls = bind_slices_calls(p, loop, bytes, false);
    if (s->calls == 0)
        return false;
    s->get_slice = slice_of(s->get_bytes, s->calls);
    s->put_slice = slice_of(s->put_bytes, s->calls);
    return true;
}
