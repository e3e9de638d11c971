// SPDX-License-Identifier: BSD-3-Clause
/* Chooses non-temporal stores and prefetching by the target's limits. No value depends on them. */
#include "spl/bind/bind_choice.h"

/* PREFETCH_BYTES are prefetched during a call, if a step of the codelet reads at least STEP_BYTES.
 * A step with non-temporal stores must read more than NT_STEP_BYTES: only then do its loads and
 * stores leave no line buffer for the next step. SHORT_STEP_BYTES: see prefetch_helps. */
enum { PREFETCH_BYTES = 1024, NT_STEP_BYTES = 832, STEP_BYTES = 704, SHORT_STEP_BYTES = 512 };
/* Transforms in registers up to this size prefetch one by one if both sides exceed the caches. In
 * L3 a call for each would cost a tenth of their time. */
enum { WHOLE_BYTES = 2048 };

static bool reads_buffer(const prog *body, const prog_stmt *s, int buffer)
{
    return (s->op == PROG_KERN || s->op == PROG_COPY) && prog_share_memory(body, s->in, buffer);
}

/* When the program reads a buffer; the loop is the outermost one around the kernel. */
typedef struct buffer_reads {
    bool earlier_in_loop, later_in_loop, after_loop, anywhere;
} buffer_reads;

static buffer_reads find_reads(const bind_choice *ch, int buffer)
{
    const prog *body = ch->tape->body;
    const size_t kern = (size_t)(ch->stage->stmt - body->stmt);
    buffer_reads r = {false, false, false, false};

    for (size_t from = 0, to; from < body->nstmts; from = to) {
        to = body->stmt[from].op == PROG_LOOP ? body->stmt[from].end : from + 1;
        const bool inside = from <= kern && kern < to;
        for (size_t i = from; i < to; i++) {
            if (!reads_buffer(body, &body->stmt[i], buffer))
                continue;
            r.anywhere = true;
            r.after_loop = r.after_loop || from > kern;
            r.earlier_in_loop = r.earlier_in_loop || (inside && i < kern);
            r.later_in_loop = r.later_in_loop || (inside && i >= kern);
        }
    }
    return r;
}

/* No if the outermost enclosing loop reads the output later. If that loop has read it already, its
 * lines are still cached, unless the rows of a tile evicted each other from L1 and L2. L3 may still
 * have them; the unit says (nt_cached) which stores are faster then. */
bool bind_output_is_evicted(const bind_choice *ch)
{
    const prog_buf *b = &ch->tape->body->buf[ch->op->out];
    const bool out = b->space == PROG_OUT;
    const size_t bytes = bind_buffer_bytes(ch->tape, ch->op->out), point = 2 * ch->tape->scalar;
    const bind_memory *m = &ch->tape->target->memory;
    const bool tile = ch->cols && (size_t)ch->op->cols.n * point <= m->tile_row
                      && (size_t)ch->op->call.os * ch->tape->scalar >= m->alias;
    const buffer_reads r = find_reads(ch, ch->op->out);
    const bool again = !out || r.after_loop || r.earlier_in_loop;
    const size_t min = again ? m->nt_reused : r.anywhere ? m->nt_in_place : m->nt_written;

    if (r.earlier_in_loop && (!tile || !m->nt_cached))
        return false;
    return !r.later_in_loop && bytes > min;
}

/* Distance in scalars from the first stored vector of a row, or transform, to that of the next one.
 * At M row 1 begins at its other end. */
static ptrdiff_t apart(const bind_op *op)
{
    const spl_key *key = &op->codelet->key;

    switch (key->position) {
    case SPL_POS_D: return 0;
    case SPL_POS_W: return op->call.ocs;
    case SPL_POS_M:
        return bind_codelet_outputs(op->stmt) < 2 ? 0 : op->call.os - 2 * (key->lanes - 1);
    default: return op->call.os;
    }
}

/* Would the last vector of M repeat columns, and so begin in the middle of a line? */
static bool repeats_columns(const bind_op *op)
{
    const int64_t lanes = op->codelet->key.lanes;

    return op->tail.repeats
           && (op->cols.n % lanes != 0 || (op->cols.share_var >= 0 && op->cols.grain % lanes != 0));
}

/* Stores output that exceeds the caches non-temporally, if the codelet stores whole lines and the
 * strides keep them whole (the pointer is checked at run time). If several units share the memory's
 * bandwidth, ordinary stores are faster for output that L3 can hold (docs/log/memory.md). */
static void choose_nt_stores(bind_choice *ch)
{
    bind_op *op = ch->op;
    spl_key key = op->codelet->key;
    const ptrdiff_t line = BIND_LINE / (ptrdiff_t)ch->tape->scalar;

    if (!bind_output_is_evicted(ch))
        return;
    op->output_is_final = !find_reads(ch, op->out).anywhere;
    if (apart(op) % line != 0 || op->call.oouter % line != 0 || op->out_offset % line != 0
        || repeats_columns(op))
        return;
    for (int i = 0; i < op->nsteps; i++)
        if (op->step[i].out % line != 0 || op->step[i].os % line != 0)
            return;
    key.nt = true;
    op->codelet_nt = bind_codelet_find(ch->tape->target, &key);
    op->nt_needs_one_member =
        op->codelet_nt && op->output_is_final
        && bind_buffer_bytes(ch->tape, op->out) <= ch->tape->target->memory.nt_several;
    ch->tape->has_nt_stores = ch->tape->has_nt_stores || op->codelet_nt;
}

void bind_assume_several_members(bind_tape *tape)
{
    for (size_t i = 0; i < tape->nops; i++)
        if (tape->op[i].nt_needs_one_member)
            tape->op[i].codelet_nt = NULL;
}

/* Hardware prefetching leaves part of the bandwidth unused if steps are so long that their
 * arithmetic delays later loads, and cross page boundaries; with non-temporal stores only longer
 * steps do so. Position W prefetches by itself if it stores non-temporally; else its steps of a few
 * lines are left to the hardware (docs/log/prefetch.md). */
static bool prefetch_helps(const bind_memory *m, const spl_codelet *codelet, size_t row)
{
    const size_t step = row * (size_t)codelet->key.lanes;
    const size_t least = codelet->key.nt ? NT_STEP_BYTES + 1 : STEP_BYTES;

    if (codelet->key.position == SPL_POS_W)
        return !codelet->key.nt && step > SHORT_STEP_BYTES;
    return step >= least && m->page % step != 0;
}

static bool is_long_step(const bind_choice *ch, size_t bytes)
{
    const bind_op *op = ch->op;

    if (bytes <= PREFETCH_BYTES)
        return false;
    return op->codelet->key.position != SPL_POS_W || bytes > WHOLE_BYTES
           || bind_buffer_bytes(ch->tape, op->in) <= ch->tape->target->memory.nt_in_place;
}

/* Scalars that a transform reads in its row: n reals, half a spectrum, or n points. */
static size_t row_scalars(const spl_key *key)
{
    const size_t n = (size_t)key->n;

    if (key->in == SPL_REAL)
        return n;
    return key->out == SPL_REAL ? 2 * (n / 2 + 1) : 2 * n;
}

/* Prefetches whole transforms that follow each other in memory and exceed the caches: hardware
 * prefetching alone leaves part of the bandwidth unused (docs/STRUCTURES.md). The op must have at
 * least as many columns as are prefetched at a time, or every line would be prefetched
 * repeatedly. */
static void choose_prefetch_of_columns(bind_choice *ch)
{
    bind_op *op = ch->op;
    const prog_buf *b = &ch->tape->body->buf[op->in];
    const size_t row = row_scalars(&op->codelet->key), bytes = row * ch->tape->scalar;
    const size_t lanes = (size_t)op->codelet->key.lanes;

    if (is_long_step(ch, bytes)
        || !prefetch_helps(&ch->tape->target->memory, op->codelet_nt ? op->codelet_nt : op->codelet,
                           bytes))
        return;
    if (!bind_reads_rows_in_sequence(&op->codelet->key) || b->space != PROG_IN
        || ch->in.format == SPL_SPLIT || !ch->cols || op->call.ics != (ptrdiff_t)row
        || bind_buffer_bytes(ch->tape, op->in) <= ch->tape->target->memory.prefetch)
        return;
    const size_t filled = PREFETCH_BYTES / bytes, least = filled > 0 ? filled : 1;
    const size_t columns = (least + lanes - 1) / lanes * lanes;
    if ((size_t)op->cols.n < columns || (size_t)op->cols.n * bytes <= BIND_PREFETCH_ROW_BYTES)
        return;
    op->prefetch_columns = columns;
    op->prefetch_bytes = columns * bytes;
    op->prefetch_step = (ptrdiff_t)op->prefetch_bytes;
}

/* Prefetches the rows of the next twiddle set of a tile outside the caches: each row is in another
 * cache line, and while a codelet's arithmetic fills the out-of-order window too few loads are
 * outstanding (docs/STRUCTURES.md). Long rows are prefetched by hardware. */
static void choose_prefetch_of_sets(bind_choice *ch)
{
    bind_op *op = ch->op;
    const prog_stage *stage = ch->stage;
    const size_t bytes = bind_buffer_bytes(ch->tape, op->in);
    const bind_memory *m = &ch->tape->target->memory;
    const prog_stmt *enclosing = stage->outer_count ? stage->outer[stage->outer_count - 1] : NULL;

    if (!ch->cols || !ch->outer || ch->in.format != SPL_INTER || op->tail.pairs
        || op->codelet->key.tw != SPL_TW_BROADCAST)
        return;
    if ((size_t)op->cols.n * 2 * ch->tape->scalar > m->tile_row || bytes <= m->prefetch_row)
        return;
    for (int i = 0; i < stage->count; i++)
        if (stage->loop[i] != ch->cols && stage->loop[i] != ch->outer)
            enclosing = stage->loop[i];
    op->prefetch_next_set = true;
    op->prefetch_to_l2 = bytes > m->prefetch_l2;
    op->next_iteration_bytes = enclosing ? (ptrdiff_t)ch->in.at.loop[enclosing->range.var]
                                               * ch->in.unit * (ptrdiff_t)ch->tape->scalar
                                         : 0;
}

void bind_choose_memory(bind_choice *ch)
{
    choose_nt_stores(ch);
    choose_prefetch_of_columns(ch);
    choose_prefetch_of_sets(ch);
}

/* ---- across ops ---- */

/* Consecutive kernels that compute one row: ops `first` to before `end`. `reader` is the one that
 * reads most of the row. */
typedef struct row_kernels {
    size_t first, reader, end;
} row_kernels;

bool bind_reads_uncached(const bind_tape *p, const bind_op *loop, const bind_op *op)
{
    const prog_buf *b = &p->body->buf[op->in];

    if (b->space == PROG_LOCAL || bind_buffer_bytes(p, op->in) <= p->target->memory.prefetch)
        return false;
    for (const bind_op *other = loop + 1; other < &p->op[loop->end] && b->space != PROG_IN; other++)
        if (prog_share_memory(p->body, other->out, op->in))
            return false;
    return true;
}

static row_kernels row_from(const bind_tape *p, const bind_op *loop, size_t first)
{
    row_kernels row = {first, first, first};

    for (; row.end < loop->end && p->op[row.end].in == p->op[first].in; row.end++)
        if (p->op[row.end].cols.n > p->op[row.reader].cols.n)
            row.reader = row.end;
    while (row.end < loop->end && !bind_reads_uncached(p, loop, &p->op[row.end]))
        row.end++;
    return row;
}

/* The last kernel of a row that runs over columns, skipping rows of pairs that have no partner. */
static size_t last_of_columns(const bind_tape *p, const row_kernels *row)
{
    size_t at = row->end - 1;

    while (at > row->first && p->op[at].op == BIND_KERN && p->op[at].stmt->kernel == SPL_PAIR
           && p->op[at].stmt->role != SPL_ROLE_PAIR)
        at--;
    return at;
}

/* Is the body of a loop only kernels, the first of which reads a buffer that exceeds the caches? */
static bool is_batch(const bind_tape *p, const bind_op *loop)
{
    if (loop->op != BIND_LOOP || (size_t)(loop - p->op) + 3 > loop->end)
        return false;
    for (const bind_op *op = loop + 1; op < &p->op[loop->end]; op++)
        if (op->op != BIND_KERN)
            return false;
    return bind_reads_uncached(p, loop, loop + 1);
}

/* Does it read the rows of a transform as vectors of re and vectors of im? */
static bool reads_apart(const bind_op *reader)
{
    return reader->codelet->key.in == SPL_SPLIT && reader->codelet->key.position == SPL_POS_A;
}

/* Does it read one run of addresses from its first element on, or one run of re and one of im? */
static bool reads_run(const bind_op *reader)
{
    const spl_key *key = &reader->codelet->key;

    return key->in == SPL_INTER || reads_apart(reader)
           || (key->position == SPL_POS_M && reader->call.is >= 0);
}

/* Lets the last kernel of a row prefetch, piece by piece, what the next row's reader reads, `next`
 * bytes from where that reader is in this iteration. */
static void prefetch_row(bind_tape *p, const row_kernels *row, size_t reader, ptrdiff_t next)
{
    const bind_op *from = &p->op[reader];
    bind_op *last = &p->op[last_of_columns(p, row)];
    const spl_key *key = &last->codelet->key;
    const size_t l1 = p->target->memory.l1, kernels = row->end - row->first;
    const bool apart = reads_apart(from);
    const size_t bytes = (size_t)(from->codelet->key.n * from->cols.n) * 2 * p->scalar;
    const size_t run = apart ? bytes / 2 : bytes;
    const size_t least = bind_reads_rows_in_sequence(&from->codelet->key)
                             ? BIND_PREFETCH_ROW_BYTES + 1
                             : PREFETCH_BYTES;

    if (!reads_run(from) || last->in == from->in || bytes < least
        || bytes > (next != (ptrdiff_t)run || kernels == 2 ? l1 : l1 / 2)
        || (key->position != SPL_POS_M && (key->position != SPL_POS_C || key->tw != SPL_TW_NONE)))
        return;
    const size_t lanes = (size_t)key->lanes, columns = (size_t)last->cols.n;
    const size_t pieces = bytes / (2 * PREFETCH_BYTES) + 1;
    last->prefetch_columns = lanes * (columns / lanes / pieces + 1);
    last->prefetch_bytes = run * last->prefetch_columns / columns;
    last->prefetch_step = (ptrdiff_t)last->prefetch_bytes;
    last->prefetch_apart = apart;
    last->prefetch_op = reader;
    last->prefetch_offset = next;
}

/* The last kernel of each row of a batch prefetches what the first kernel of the next row reads
 * (docs/STRUCTURES.md). This is slower for rows beyond L1, and also for rows beyond half of L1 if
 * the next row follows directly in memory and the last kernel is one of three, a small part of the
 * work. */
void bind_prefetch_batches(bind_tape *p)
{
    for (size_t i = 0; i < p->nops; i++) {
        const bind_op *loop = &p->op[i];
        bind_step iteration;
        if (!is_batch(p, loop))
            continue;
        const row_kernels first = row_from(p, loop, i + 1);
        if (!bind_uniform_step(&p->op[first.reader], loop->var, &iteration) || iteration.in == 0)
            continue;
        for (row_kernels row = first, next; row.first < loop->end; row = next) {
            next = (row_kernels){loop->end, loop->end, loop->end};
            if (row.end < loop->end)
                next = row_from(p, loop, row.end);
            if (row.end < loop->end)
                prefetch_row(p, &row, next.reader, 0);
            else
                prefetch_row(p, &row, first.reader, iteration.in * (ptrdiff_t)p->scalar);
        }
    }
    for (size_t i = 0; i < p->nops; i++)
        bind_prefetch_rows_apart(p, &p->op[i]);
}
