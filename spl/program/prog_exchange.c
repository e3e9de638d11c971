// SPDX-License-Identifier: BSD-3-Clause
/* The elements that parts exchange: the index functions of a program are evaluated once, and every
 * element that is read or left in the output has an owner.
 *
 * Part k owns the k-th of p contiguous shares of the user's arrays, and every intermediate element
 * that it wrote. An element crosses if the part that reads it does not own it, and a result if it
 * does not end in the share of the part that computed it (the all-to-all exchanges of Spiral for
 * the Cell, section 3.1). The target of a put and the source of a get are in memory, which no part
 * owns: that is class COPY and no exchange.
 *
 * Elements that cross are of class NET on the side of the user's array, and, between two parts, on
 * the side of the writing statement: the store it writes to is the reader's. A packet is a maximal
 * run of addresses in one buffer with one sender and one receiver. An epoch is the time between two
 * SYNCs; packets are counted at its end. */
#include "core/mem.h"
#include "core/status.h"
#include "spl/program/program.h"

enum { MAX_ACCESSES = 1 << 24, BUF_IN = 0, BUF_OUT = 1, MEMORY = -1 };

typedef struct cell {
    int32_t part;  /* the element's owner, or MEMORY */
    int32_t stmt;  /* the statement that wrote it */
    int32_t epoch; /* in which it was used last */
    int32_t from;  /* its owner when that epoch first used it */
    int32_t run;   /* elements of one packet have one of these: a buffer, or the receiver */
} cell;

typedef struct memory {
    int64_t base, count; /* addresses base .. base + count - 1 */
    cell *cells;         /* with a cell more at either end, which no epoch uses */
} memory;

typedef struct crossing {
    const cell *at;
    prog_traffic *through;
} crossing;

typedef struct trace {
    const prog *p;
    prog_exchanges *sum;
    memory in, out, shared;
    int64_t cell_scalars;  /* scalars of the smallest element */
    int32_t part, epoch;   /* the current part and epoch */
    prog_traffic *through; /* the last SYNC */
    crossing *crossed;     /* elements that crossed in this epoch */
    size_t count, capacity;
    bool failed;
    int64_t vars[IX_MAX_VARS];
} trace;

/* ---- packets ---- */

static void add_crossing(trace *w, const cell *at, prog_traffic *through)
{
    if (w->count == w->capacity) {
        const size_t capacity = w->capacity > 0 ? 2 * w->capacity : 1024;
        crossing *more = core_realloc(w->crossed, capacity * sizeof *more);
        if (more == NULL) {
            w->failed = true;
            return;
        }
        w->crossed = more;
        w->capacity = capacity;
    }
    w->crossed[w->count++] = (crossing){at, through};
}

static bool in_one_packet(const cell *a, const cell *b)
{
    return a->epoch == b->epoch && a->from == b->from && a->run == b->run;
}

static void add_packet(prog_traffic *x, int64_t n)
{
    x->min = x->packets == 0 || n < x->min ? n : x->min;
    x->max = n > x->max ? n : x->max;
    x->packets++;
    x->communicated += n;
}

static void end_epoch(trace *w)
{
    for (size_t i = 0; i < w->count; i++) {
        const cell *c = w->crossed[i].at;
        int64_t n = 1;
        if (in_one_packet(c - 1, c))
            continue;
        while (in_one_packet(c, c + n))
            n++;
        add_packet(w->crossed[i].through, n);
    }
    w->count = 0;
    w->epoch++;
}

/* ---- running ---- */

/* Cells in an element of a buffer. */
static int64_t cells_of(const trace *w, int buf)
{
    return prog_scalars(&w->p->buf[buf]) / w->cell_scalars;
}

/* The first cell of an element; NULL: in a part's own buffer. */
static cell *cell_of(trace *w, int buf, int64_t at)
{
    const prog_buf *b = &w->p->buf[buf];
    at *= cells_of(w, buf);
    switch (b->space) {
    case PROG_IN: return &w->in.cells[at - w->in.base];
    case PROG_OUT: {
        const memory *m = w->p->sides.in_place ? &w->in : &w->out;
        return &m->cells[at - m->base];
    }
    case PROG_SHARED:
        return &w->shared.cells[b->offset * PROG_PLACE_SCALARS / w->cell_scalars + at];
    default: return NULL;
    }
}

static void read_cell(trace *w, size_t stmt, cell *c)
{
    const prog_stmt *s = &w->p->stmt[stmt];
    const bool input = w->p->buf[s->in].space == PROG_IN;
    prog_traffic *through = input ? &w->sum->at[PROG_AT_INPUT(w->p)] : w->through;
    if (c->epoch == w->epoch)
        return;
    c->epoch = w->epoch;
    c->from = s->op == PROG_COPY && !s->put ? MEMORY : c->part;
    c->run = s->in;
    through->elements++;
    if (c->from == MEMORY || c->from == w->part)
        return;
    add_crossing(w, c, through);
    w->sum->net[input ? stmt : (size_t)c->stmt] |= input ? PROG_NET_IN : PROG_NET_OUT;
}

static void write_cell(trace *w, size_t stmt, cell *c)
{
    const prog_stmt *s = &w->p->stmt[stmt];
    if (c->epoch != w->epoch) {
        c->epoch = w->epoch;
        c->from = w->part;
    }
    c->part = s->op == PROG_COPY && s->put ? MEMORY : w->part;
    c->stmt = (int32_t)stmt;
}

static void trace_stmt(trace *w, size_t at)
{
    const prog_stmt *s = &w->p->stmt[at];
    for (int64_t i = 0; s->op != PROG_ZERO && i < s->fin->n; i++) {
        cell *c = cell_of(w, s->in, ix_eval(s->fin, i, w->vars));
        for (int64_t k = 0; c != NULL && k < cells_of(w, s->in); k++)
            read_cell(w, at, c + k);
    }
    for (int64_t i = 0; i < s->fout->n; i++) {
        cell *c = cell_of(w, s->out, ix_eval(s->fout, i, w->vars));
        for (int64_t k = 0; c != NULL && k < cells_of(w, s->out); k++)
            write_cell(w, at, c + k);
    }
}

static void trace_range(trace *w, size_t first, size_t end);

static void trace_loop(trace *w, size_t at)
{
    const spl_range *r = &w->p->stmt[at].range;
    const bool par = r->kind == SPL_PAR;
    int64_t lo, hi;
    spl_range_bounds(r, w->vars, &lo, &hi);
    for (int64_t v = lo; v < hi && !w->failed; v++) {
        w->vars[r->var] = v;
        if (par) {
            end_epoch(w);
            w->part = (int32_t)v;
        }
        trace_range(w, at + 1, w->p->stmt[at].end);
    }
    if (par) {
        end_epoch(w);
        w->part = 0;
    }
}

static void trace_range(trace *w, size_t first, size_t end)
{
    for (size_t i = first; i < end && !w->failed; i = w->p->stmt[i].end) {
        const prog_stmt *s = &w->p->stmt[i];
        if (s->op == PROG_SYNC) {
            end_epoch(w);
            w->through = &w->sum->at[i];
        } else if (s->op == PROG_LOOP) {
            trace_loop(w, i);
        } else {
            trace_stmt(w, i);
        }
    }
}

/* ---- the memories ---- */

/* An upper bound of element accesses and of iterations. */
static double count_steps(const prog *p, size_t first, size_t end)
{
    double n = 0;
    for (size_t i = first; i < end; i = p->stmt[i].end) {
        const prog_stmt *s = &p->stmt[i];
        if (s->op != PROG_LOOP)
            n += s->op == PROG_SYNC ? 0 : (double)s->fin->n + (double)s->fout->n;
        else
            n += (double)s->range.n / (s->range.share_var >= 0 ? (double)s->range.shares : 1)
                 * (1 + count_steps(p, i + 1, s->end));
    }
    return n;
}

static int64_t user_address(const ix *f, int64_t i)
{
    return f == NULL ? i : ix_eval(f, i, NULL);
}

/* The share that holds the at-th of n elements. */
static int32_t share_of(int64_t at, int64_t n, int64_t parts)
{
    return (int32_t)(((at + 1) * parts - 1) / n);
}

/* The memory that contains both. */
static memory join_memories(memory a, memory b)
{
    const int64_t end = a.base + a.count > b.base + b.count ? a.base + a.count : b.base + b.count;
    const int64_t base = a.base < b.base ? a.base : b.base;
    return (memory){.base = base, .count = end - base};
}

/* The memory that contains n elements of `wide` cells through f. */
static memory memory_of_side(const ix *f, int64_t n, int64_t wide)
{
    int64_t lo = user_address(f, 0), hi = lo;
    for (int64_t i = 1; i < n; i++) {
        const int64_t at = user_address(f, i);
        lo = at < lo ? at : lo;
        hi = at > hi ? at : hi;
    }
    return (memory){.base = lo * wide, .count = (hi - lo + 1) * wide};
}

/* Each part owns a contiguous share. */
static bool open_memory(memory *m, int64_t parts)
{
    cell *all = core_calloc((size_t)m->count + 2, sizeof *all);
    m->cells = all == NULL ? NULL : all + 1;
    for (int64_t i = 0; all != NULL && i < m->count; i++)
        m->cells[i].part = share_of(i, m->count, parts);
    return all != NULL;
}

static void close_memory(memory *m)
{
    core_free(m->cells == NULL ? NULL : m->cells - 1);
}

/* ---- the whole ---- */

static void count_results(trace *w)
{
    const memory *m = w->p->sides.in_place ? &w->in : &w->out;
    prog_traffic *through = &w->sum->at[PROG_AT_OUTPUT(w->p)];
    const int64_t wide = cells_of(w, BUF_OUT);
    for (int64_t i = 0; i < w->p->rows * wide && !w->failed; i++) {
        const int64_t at = user_address(w->p->sides.out, i / wide) * wide + i % wide - m->base;
        cell *c = &m->cells[at];
        c->epoch = w->epoch;
        c->from = c->part;
        c->run = share_of(at, m->count, w->p->parts);
        through->elements++;
        if (c->from == MEMORY || c->from == c->run)
            continue;
        add_crossing(w, c, through);
        w->sum->net[c->stmt] |= PROG_NET_OUT;
    }
    end_epoch(w);
}

static void add_up(trace *w)
{
    prog_exchanges *sum = w->sum;
    for (size_t i = 0; i < PROG_TRAFFICS(w->p); i++) {
        const prog_traffic *x = &sum->at[i];
        if (x->packets == 0)
            continue;
        int64_t *side = i == PROG_AT_INPUT(w->p)    ? &sum->in
                        : i == PROG_AT_OUTPUT(w->p) ? &sum->out
                                                    : &sum->between;
        *side += x->communicated;
        sum->min_packet =
            sum->exchanges == 0 || x->min < sum->min_packet ? x->min : sum->min_packet;
        sum->exchanges++;
    }
}

static sluice_status trace_ownership(trace *w, sluice_diag *why)
{
    const prog *p = w->p;

    if (p->shared_elems > MAX_ACCESSES || p->parts > MAX_ACCESSES || p->cols > MAX_ACCESSES
        || p->rows > MAX_ACCESSES || count_steps(p, 0, p->nstmts) > MAX_ACCESSES)
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "the program is too large to count");
    w->in = memory_of_side(p->sides.in, p->cols, cells_of(w, BUF_IN));
    w->out = memory_of_side(p->sides.out, p->rows, cells_of(w, BUF_OUT));
    w->in = p->sides.in_place ? join_memories(w->in, w->out) : w->in;
    w->shared = (memory){.count = p->shared_elems * PROG_PLACE_SCALARS / w->cell_scalars};
    if (w->in.count > MAX_ACCESSES || w->out.count > MAX_ACCESSES)
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "the arrays are too large to count");
    w->sum->at = core_calloc(PROG_TRAFFICS(p), sizeof *w->sum->at);
    w->sum->net = core_calloc(p->nstmts + 1, sizeof *w->sum->net);
    if (w->sum->at == NULL || w->sum->net == NULL || !open_memory(&w->in, p->parts)
        || !open_memory(&w->out, p->parts) || !open_memory(&w->shared, 1))
        return core_fail_memory(why);
    w->through = &w->sum->at[PROG_AT_START(p)];
    trace_range(w, 0, p->nstmts);
    count_results(w);
    add_up(w);
    return w->failed ? core_fail_memory(why) : SLUICE_OK;
}

sluice_status prog_exchange(const prog *p, prog_exchanges *out, sluice_diag *why)
{
    *out = (prog_exchanges){.exchanges = 0};
    trace w = {.p = p, .sum = out, .epoch = 1, .cell_scalars = prog_min_scalars(p)};
    const sluice_status status = trace_ownership(&w, why);

    close_memory(&w.in);
    close_memory(&w.out);
    close_memory(&w.shared);
    core_free(w.crossed);
    if (status != SLUICE_OK)
        prog_exchanges_free(out);
    return status;
}

void prog_exchanges_free(prog_exchanges *x)
{
    core_free(x->at);
    core_free(x->net);
    *x = (prog_exchanges){.exchanges = 0};
}
