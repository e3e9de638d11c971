// SPDX-License-Identifier: BSD-3-Clause
/* The checker of programs: runs every index function of every statement and records, for each
 * element of memory, which statement wrote it and when. Shares no code with lowering.
 *
 * A task is one iteration of one execution of a PAR loop, or everything outside PAR loops; an epoch
 * is the time between two SYNCs. Two tasks race if they touch one element in one epoch and one of
 * them writes. At each iteration of the loop that a buffer belongs to, the innermost one around all
 * its uses, its contents are forgotten, so that results of earlier iterations do not count as
 * new. */
#include <inttypes.h>

#include "core/mem.h"
#include "core/status.h"
#include "spl/program/stage.h"

enum { MAX_ACCESSES = 1 << 24, MANY = -1, SERIAL = 0, BUF_IN = 0, BUF_OUT = 1 };

typedef struct cell {
    int buf;            /* the buffer that wrote it last; NOBODY, NOWHERE */
    bool read;          /* since it was written */
    int64_t generation; /* of the buffer at that time */
    int64_t write_epoch, write_task, read_epoch, read_task;
} cell;
enum { NOBODY = -1, NOWHERE = -2 }; /* NOWHERE: between the elements of a strided side */

typedef struct memory {
    int64_t base, count; /* addresses base .. base + count - 1 */
    cell *cell;
} memory;

typedef struct checker {
    const prog *p;
    sluice_diag *why;
    sluice_status status;
    memory in, out, shared, local;
    int64_t *generation; /* of each buffer */
    size_t *owner;       /* statement of the loop each buffer belongs to; nstmts: none */
    int64_t epoch, task, tasks;
    bool in_par;
    int handed;           /* the buffer in halves that the statements before have written; NOBODY */
    bool taken;           /* .. and that has been read */
    size_t at;            /* statement */
    int64_t cell_scalars; /* in a cell: the scalars of the smallest element */
    int64_t vars[IX_MAX_VARS];
} checker;

#define FAIL(c, ...) ((c)->status = core_fail((c)->why, SLUICE_E_INVALID, 0, __VA_ARGS__))

/* ---- memory ---- */

static memory *memory_of(checker *c, int buf)
{
    switch (c->p->buf[buf].space) {
    case PROG_IN: return &c->in;
    case PROG_OUT: return c->p->sides.in_place ? &c->in : &c->out;
    case PROG_SHARED: return &c->shared;
    default: return &c->local;
    }
}

/* Cells in an element of a buffer. */
static int64_t cells_of(const checker *c, int buf)
{
    return prog_held_scalars(&c->p->buf[buf]) / c->cell_scalars;
}

/* The first cell of element `at` of a buffer; NULL: out of bounds (recorded). */
static cell *find_cell(checker *c, int buf, int64_t at)
{
    const prog_buf *b = &c->p->buf[buf];
    memory *m = memory_of(c, buf);
    bool user = b->space == PROG_IN || b->space == PROG_OUT;
    const int64_t first = at * cells_of(c, buf);
    bool inside = user ? first >= m->base && first - m->base < m->count : at >= 0 && at < b->elems;
    int64_t index =
        user ? first - m->base : b->offset * PROG_PLACE_SCALARS / c->cell_scalars + first;
    if (!inside || m->cell[index].buf == NOWHERE) {
        FAIL(c, "statement %zu: address %" PRId64 " lies outside buffer b%d", c->at, at, buf);
        return NULL;
    }
    if (b->space == PROG_LOCAL && !c->in_par) {
        FAIL(c, "statement %zu: local buffer b%d is used outside PAR loops", c->at, buf);
        return NULL;
    }
    return &m->cell[index];
}

static void report_race(checker *c, int buf, int64_t at, const char *what)
{
    FAIL(c,
         "statement %zu: race: element %" PRId64
         " of b%d %s by another part without a SYNC between",
         c->at, at, buf, what);
}

static void read_cell(checker *c, int buf, int64_t at, cell *e)
{
    bool shared = c->p->buf[buf].space != PROG_LOCAL;
    if (shared && e->write_epoch == c->epoch && e->write_task != c->task)
        report_race(c, buf, at, "is written");
    else if (e->buf != buf || e->generation != c->generation[buf])
        FAIL(c, "statement %zu: element %" PRId64 " of b%d is read but %s", c->at, at, buf,
             e->buf == NOBODY ? "never written" : "holds something else");
    else if (buf == BUF_OUT && !c->p->sides.out_is_scratch)
        FAIL(c, "statement %zu: the output is read", c->at);
    e->read = true;
    e->read_task = e->read_epoch == c->epoch && e->read_task != c->task ? MANY : c->task;
    e->read_epoch = c->epoch;
}

static void read_element(checker *c, int buf, int64_t at)
{
    cell *e = find_cell(c, buf, at);
    for (int64_t k = 0; e != NULL && k < cells_of(c, buf); k++)
        read_cell(c, buf, at, e + k);
}

static void write_cell(checker *c, int buf, int64_t at, cell *e)
{
    bool shared = c->p->buf[buf].space != PROG_LOCAL;
    const bool scratch = buf != BUF_OUT || c->p->sides.out_is_scratch;
    const bool again =
        e->buf == buf && e->generation == c->generation[buf] && !(scratch && e->read);
    if (shared && e->write_epoch == c->epoch && e->write_task != c->task)
        report_race(c, buf, at, "is written");
    else if (shared && e->read_epoch == c->epoch && e->read_task != c->task)
        report_race(c, buf, at, "is read");
    else if (again)
        FAIL(c, "statement %zu: element %" PRId64 " of b%d is written twice", c->at, at, buf);
    e->buf = buf;
    e->generation = c->generation[buf];
    e->read = false;
    e->write_epoch = c->epoch;
    e->write_task = c->task;
}

static void write_element(checker *c, int buf, int64_t at)
{
    cell *e = find_cell(c, buf, at);
    for (int64_t k = 0; e != NULL && k < cells_of(c, buf); k++)
        write_cell(c, buf, at, e + k);
}

/* ---- running ---- */

/* Factors are as many as complex elements, or, if they are real, as many as reals. */
static bool factors_match(const prog_twiddle *w, spl_type type, int64_t scalars)
{
    if (w->place == PROG_FACTOR_MIDDLE)
        return w->f->n == 1;
    return 2 * w->f->n == scalars || (type == SPL_TYPE_REAL && w->f->n == scalars);
}

/* Do a statement's sides hold what its kernel reads and writes? */
static bool sizes_match(const prog *p, const prog_stmt *s)
{
    const int64_t reads = s->fin->n * prog_scalars(&p->buf[s->in]);
    const int64_t writes = s->fout->n * prog_scalars(&p->buf[s->out]);
    for (int w = 0; w < s->ntwiddles; w++)
        if (!factors_match(&s->twiddle[w], p->buf[s->out].type, writes))
            return false;
    if (s->op == PROG_KERN && s->kernel == SPL_RETYPE)
        return reads == (s->kind == SPL_RETYPE_EMBED ? s->n : 2 * s->n)
               && writes == (s->kind == SPL_RETYPE_RE ? s->n : 2 * s->n);
    if (s->op == PROG_KERN && s->kernel == SPL_PAIR)
        return reads == 2 * spl_role_cols((spl_pairs_kind)s->kind, s->role)
               && writes == 2 * spl_role_rows((spl_pairs_kind)s->kind, s->role);
    if (s->op != PROG_KERN || s->kernel != SPL_TRANSFORM)
        return reads == writes;
    const spl_kind kind = (spl_kind)s->kind;
    const spl_transform *t = spl_transform_of(kind);
    const int64_t rows = spl_transform_rows(kind, s->n), cols = spl_transform_cols(kind, s->n);
    if (t->from == SPL_TYPE_ANY)
        return reads == writes && (reads == cols || reads == 2 * cols);
    return reads == (t->from == SPL_TYPE_REAL ? cols : 2 * cols)
           && writes == (t->to == SPL_TYPE_REAL ? rows : 2 * rows);
}

/* The accesses of a statement. If its iterations run at once, all of them read before any
 * writes. */
enum { READS = 1, WRITES = 2 };

static void check_move(checker *c, const prog_stmt *s, int what)
{
    bool known = s->in >= 0 && s->in < c->p->nbufs && s->out > BUF_IN && s->out < c->p->nbufs;
    if (!known || !sizes_match(c->p, s)) {
        FAIL(c, "statement %zu: bad buffers or sizes", c->at);
        return;
    }
    const int64_t reads = what & READS && s->op != PROG_ZERO ? s->fin->n : 0;
    const int64_t writes = what & WRITES ? s->fout->n : 0;
    for (int64_t i = 0; i < reads && c->status == SLUICE_OK; i++)
        read_element(c, s->in, ix_eval(s->fin, i, c->vars));
    for (int64_t i = 0; i < writes && c->status == SLUICE_OK; i++)
        write_element(c, s->out, ix_eval(s->fout, i, c->vars));
    for (int w = 0; w < s->ntwiddles; w++)
        for (int64_t i = 0; i < s->twiddle[w].f->n && c->status == SLUICE_OK; i++) {
            const prog_twiddle *tw = &s->twiddle[w];
            int64_t t = ix_eval(tw->f, i, c->vars);
            if (t < 0 || t >= spl_values_range(tw->values, tw->n, tw->m))
                FAIL(c, "statement %zu: twiddle %" PRId64 " of %c(%" PRId64 ",%" PRId64 ")", c->at,
                     t, spl_values_named(tw->values)->letter, tw->n, tw->m);
        }
}

/* The iterations of a stage's loops from the l-th on. */
static void check_stage(checker *c, const prog_stage *stage, int l, int what)
{
    if (l == stage->count) {
        check_move(c, stage->stmt, what);
        return;
    }
    const spl_range *r = &stage->loop[l]->range;
    for (c->vars[r->var] = 0; c->vars[r->var] < r->n && c->status == SLUICE_OK; c->vars[r->var]++)
        check_stage(c, stage, l + 1, what);
}

/* A stage whose iterations run at once, on items of one group: no other loops, no shares. */
static void check_at_once(checker *c, const prog_stage *stage)
{
    bool whole = c->in_par;
    for (int l = 0; l < stage->count; l++)
        whole =
            whole && stage->loop[l]->range.share_var < 0 && stage->loop[l]->range.kind != SPL_PAR;
    if (!whole) {
        FAIL(c, "statement %zu: only items of one group run at once", c->at);
        return;
    }
    check_stage(c, stage, 0, READS);
    check_stage(c, stage, 0, WRITES);
}

/* A buffer in halves must be read by the statements right after those that write it: a DFT, or the
 * pairs of one stage, which are several statements, of items that run at once. Other statements
 * must not touch such buffers. */
static void check_halves(checker *c, const prog_stmt *s, bool at_once)
{
    const prog_buf *const buf = c->p->buf;
    const bool known = s->in >= 0 && s->in < c->p->nbufs && s->out >= 0 && s->out < c->p->nbufs,
               reads = known && buf[s->in].halves, writes = known && buf[s->out].halves;
    const int handed = c->handed;
    const bool ended = c->taken && !reads,
               goes_on = !c->taken && writes && handed == s->out && s->kernel == SPL_PAIR;
    c->handed = writes ? s->out : reads ? handed : NOBODY;
    c->taken = reads && !writes;
    if ((reads || writes)
        && (!at_once || s->op != PROG_KERN
            || (s->kernel != SPL_TRANSFORM && s->kernel != SPL_PAIR)))
        FAIL(c, "statement %zu: only transforms at once hand on in halves", c->at);
    else if (reads ? handed != s->in : handed != NOBODY && !ended && !goes_on)
        FAIL(c, "statement %zu: b%d in halves is not read behind the statement that writes it",
             c->at, reads ? s->in : handed);
}

static void check_range(checker *c, size_t first, size_t end);

static void check_loop(checker *c, size_t at)
{
    const prog_stmt *s = &c->p->stmt[at];
    const spl_range *r = &s->range;
    bool par = r->kind == SPL_PAR;
    if (par && c->in_par) {
        FAIL(c, "statement %zu: a PAR loop inside a PAR loop", at);
        return;
    }
    int64_t lo, hi;
    spl_range_bounds(r, c->vars, &lo, &hi);
    c->in_par = c->in_par || par;
    for (int64_t v = lo; v < hi && c->status == SLUICE_OK; v++) {
        c->vars[r->var] = v;
        if (par)
            c->task = ++c->tasks;
        for (int b = BUF_OUT + 1; b < c->p->nbufs; b++)
            c->generation[b] += c->owner[b] == at;
        check_range(c, at + 1, s->end);
    }
    if (par) {
        c->in_par = false;
        c->task = SERIAL;
    }
}

static void check_range(checker *c, size_t first, size_t end)
{
    for (size_t i = first; i < end && c->status == SLUICE_OK; i = c->p->stmt[i].end) {
        const prog_stmt *s = &c->p->stmt[i];
        prog_stage stage;
        c->at = i;
        const bool at_once = prog_stage_at(c->p, i, &stage) && stage.stmt->at_once;
        if (at_once || prog_is_stage(s))
            check_halves(c, at_once ? stage.stmt : s, at_once);
        if (at_once && c->status == SLUICE_OK)
            check_at_once(c, &stage);
        else if (s->op == PROG_LOOP)
            check_loop(c, i);
        else if (s->op != PROG_SYNC)
            check_move(c, s, READS | WRITES);
        else if (c->in_par)
            FAIL(c, "statement %zu: a SYNC inside a PAR loop", i);
        else
            c->epoch++;
    }
}

static void check_output(checker *c)
{
    const memory *m = memory_of(c, BUF_OUT);
    const ix *f = c->p->sides.out;
    for (int64_t i = 0; i < c->p->rows && c->status == SLUICE_OK; i++) {
        int64_t at = f == NULL ? i : ix_eval(f, i, NULL);
        if (m->cell[at * cells_of(c, BUF_OUT) - m->base].buf != BUF_OUT)
            FAIL(c, "output element at %" PRId64 " is never written", at);
    }
}

/* ---- what is known without running ---- */

/* An upper estimate of element accesses; stops growing far above what is allowed. */
static double count_accesses(const prog *p, size_t first, size_t end)
{
    double n = 0;
    for (size_t i = first; i < end; i = p->stmt[i].end) {
        const prog_stmt *s = &p->stmt[i];
        if (prog_is_stage(s))
            n += (double)s->fin->n + (double)s->fout->n * (1 + s->ntwiddles);
        if (s->op != PROG_LOOP)
            continue;
        double times = (double)s->range.n;
        if (s->range.share_var >= 0)
            times /= (double)s->range.shares;
        n += times * count_accesses(p, i + 1, s->end);
    }
    return n;
}

/* Arenas must contain their buffers, and local stores the buffers that they are to hold. */
static void check_buffers(checker *c, size_t local_store, size_t elem_bytes)
{
    const prog *p = c->p;
    for (int i = BUF_OUT + 1; i < p->nbufs && c->status == SLUICE_OK; i++) {
        const prog_buf *b = &p->buf[i];
        const int64_t arena = b->space == PROG_SHARED ? p->shared_elems : p->local_elems;
        if (b->elems < 0 || b->copies < 1 || b->offset < 0 || b->offset % PROG_ALIGN != 0
            || prog_cells_of(b) > arena - b->offset)
            FAIL(c, "buffer b%d does not lie in its arena", i);
    }
    if (c->status == SLUICE_OK && local_store > 0
        && prog_fits(p, local_store, elem_bytes, c->why) != SLUICE_OK)
        c->status = SLUICE_E_INVALID;
}

/* ---- the memories ---- */

/* Elements of `wide` cells. */
static void extend_memory(memory *m, const ix *f, int64_t n, int64_t wide, bool *empty)
{
    for (int64_t i = 0; i < n; i++) {
        const int64_t at = (f == NULL ? i : ix_eval(f, i, NULL)) * wide;
        int64_t end = *empty ? at + wide : m->base + m->count;
        m->base = *empty || at < m->base ? at : m->base;
        m->count = (at + wide > end ? at + wide : end) - m->base;
        *empty = false;
    }
}

static void mark_cells(checker *c, memory *m, const ix *f, int64_t n, int64_t wide, int as)
{
    for (int64_t i = 0; i < n * wide && c->status == SLUICE_OK; i++) {
        const int64_t at = f == NULL ? i / wide : ix_eval(f, i / wide, NULL);
        cell *e = &m->cell[at * wide + i % wide - m->base];
        if (e->buf == as)
            FAIL(c, "two elements of a user's array have one address");
        e->buf = as;
    }
}

static bool allocate_cells(checker *c, memory *m, int as)
{
    if (c->status != SLUICE_OK)
        return false;
    if (m->count > MAX_ACCESSES) {
        c->status = core_fail(c->why, SLUICE_E_UNSUPPORTED, 0, "arrays too large to check");
        return false;
    }
    m->cell = core_malloc((size_t)(m->count > 0 ? m->count : 1) * sizeof *m->cell);
    if (m->cell == NULL) {
        c->status = core_fail_memory(c->why);
        return false;
    }
    for (int64_t i = 0; i < m->count; i++)
        m->cell[i] = (cell){.buf = as};
    return true;
}

static void open_memories(checker *c)
{
    const prog *p = c->p;
    const prog_sides *s = &p->sides;
    bool no_in = true, no_out = true;
    extend_memory(&c->in, s->in, p->cols, cells_of(c, BUF_IN), &no_in);
    extend_memory(s->in_place ? &c->in : &c->out, s->out, p->rows, cells_of(c, BUF_OUT),
                  s->in_place ? &no_in : &no_out);
    c->shared.count = p->shared_elems * PROG_PLACE_SCALARS / c->cell_scalars;
    c->local.count = p->local_elems * PROG_PLACE_SCALARS / c->cell_scalars;
    if (!allocate_cells(c, &c->in, NOWHERE) || !allocate_cells(c, &c->out, NOWHERE)
        || !allocate_cells(c, &c->shared, NOBODY) || !allocate_cells(c, &c->local, NOBODY))
        return;
    mark_cells(c, s->in_place ? &c->in : &c->out, s->out, p->rows, cells_of(c, BUF_OUT), NOBODY);
    mark_cells(c, &c->in, s->in, p->cols, cells_of(c, BUF_IN), BUF_IN);
}

static void check_all(checker *c)
{
    c->handed = NOBODY;
    for (int b = 0; b < c->p->nbufs; b++)
        c->owner[b] = b <= BUF_OUT ? c->p->nstmts : prog_owner(c->p, b);
    open_memories(c);
    check_range(c, 0, c->status == SLUICE_OK ? c->p->nstmts : 0);
    check_output(c);
}

sluice_status prog_check(const prog *p, size_t local_store, size_t elem_bytes, sluice_diag *why)
{
    checker c = {.p = p, .why = why, .epoch = 1, .cell_scalars = prog_min_scalars(p)};
    for (int b = 0; b < p->nbufs; b++)
        c.cell_scalars = p->buf[b].halves ? 1 : c.cell_scalars;
    check_buffers(&c, local_store, elem_bytes > 0 ? elem_bytes : 1);
    if (c.status != SLUICE_OK)
        return c.status;
    if (count_accesses(p, 0, p->nstmts) > MAX_ACCESSES)
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "the program is too large to check");
    c.generation = core_calloc((size_t)p->nbufs, sizeof *c.generation);
    c.owner = core_calloc((size_t)p->nbufs, sizeof *c.owner);
    if (c.generation == NULL || c.owner == NULL)
        c.status = core_fail_memory(why);
    else
        check_all(&c);
    memory *all[] = {&c.in, &c.out, &c.shared, &c.local};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        core_free(all[i]->cell);
    core_free(c.generation);
    core_free(c.owner);
    return c.status;
}
