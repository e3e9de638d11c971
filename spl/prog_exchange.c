// SPDX-License-Identifier: BSD-3-Clause
/* What parts exchange: the index functions of a program run once, and for every element that is
 * read or left in the output, whose it was.
 *
 * The user's arrays lie in shares, the k-th of p contiguous ones with part k; what a stage leaves
 * for the next lies with the part that wrote it. Every element that a part reads and that does not
 * lie with it crosses, and so does every result that does not end where it was computed (the
 * all-to-all exchanges of Spiral for the Cell, section 3.1). */
#include "core/mem.h"
#include "core/status.h"
#include "spl/program.h"

enum { MAX_ACCESSES = 1 << 23, BUF_OUT = 1 };

typedef struct memory {
    int64_t base, count; /* addresses base .. base + count - 1 */
    int32_t *part;       /* with which each element lies */
} memory;

typedef struct walk {
    const prog *p;
    memory in, out, shared;
    int32_t part; /* that runs */
    size_t sync;  /* the SYNC passed last; nstmts: none */
    bool *used;   /* SYNC statements behind which elements crossed */
    prog_exchanges sum;
    int64_t vars[IX_MAX_VARS];
} walk;

/* Where an element lies; NULL: in a part's own buffer. */
static int32_t *place_of(walk *w, int buf, int64_t at)
{
    const prog_buf *b = &w->p->buf[buf];
    switch (b->space) {
    case PROG_IN: return &w->in.part[at - w->in.base];
    case PROG_OUT: {
        const memory *m = w->p->sides.in_place ? &w->in : &w->out;
        return &m->part[at - m->base];
    }
    case PROG_SHARED: return &w->shared.part[b->offset + at];
    default: return NULL;
    }
}

static void walk_move(walk *w, const prog_stmt *s)
{
    for (int64_t i = 0; s->op != PROG_ZERO && i < s->n; i++) {
        const int32_t *from = place_of(w, s->in, ix_eval(s->fin, i, w->vars));
        if (from == NULL || *from == w->part)
            continue;
        if (w->p->buf[s->in].space == PROG_IN) {
            w->sum.in++;
        } else {
            w->sum.between++;
            w->used[w->sync] = true;
        }
    }
    for (int64_t i = 0; i < s->n; i++) {
        int32_t *to = place_of(w, s->out, ix_eval(s->fout, i, w->vars));
        if (to != NULL)
            *to = w->part;
    }
}

static void walk_range(walk *w, size_t first, size_t end)
{
    for (size_t i = first; i < end; i = w->p->stmt[i].end) {
        const prog_stmt *s = &w->p->stmt[i];
        const spl_range *r = &s->range;
        int64_t lo = 0, hi = r->n;
        if (s->op == PROG_SYNC)
            w->sync = i;
        else if (s->op != PROG_LOOP)
            walk_move(w, s);
        if (s->op != PROG_LOOP)
            continue;
        if (r->share_var >= 0)
            spl_share(r->n, r->shares, r->grain, w->vars[r->share_var], &lo, &hi);
        for (int64_t v = lo; v < hi; v++) {
            w->vars[r->var] = v;
            if (r->kind == SPL_PAR)
                w->part = (int32_t)v;
            walk_range(w, i + 1, s->end);
        }
        if (r->kind == SPL_PAR)
            w->part = 0;
    }
}

/* An upper bound of element accesses and of iterations. */
static double accesses(const prog *p, size_t first, size_t end)
{
    double n = 0;
    for (size_t i = first; i < end; i = p->stmt[i].end) {
        const prog_stmt *s = &p->stmt[i];
        if (s->op != PROG_LOOP)
            n += s->op == PROG_SYNC ? 0 : 2 * (double)s->n;
        else
            n += (double)s->range.n / (s->range.share_var >= 0 ? (double)s->range.shares : 1)
                 * (1 + accesses(p, i + 1, s->end));
    }
    return n;
}

static int64_t address(const ix *f, int64_t i)
{
    return f == NULL ? i : ix_eval(f, i, NULL);
}

/* The share that holds the at-th of n elements. */
static int32_t share_of(int64_t at, int64_t n, int64_t parts)
{
    return (int32_t)(((at + 1) * parts - 1) / n);
}

/* The memory that n elements through f lie in, dealt in shares. */
static bool open_memory(memory *m, const ix *f, int64_t n, int64_t parts)
{
    int64_t lo = address(f, 0), hi = lo;
    for (int64_t i = 1; i < n; i++) {
        const int64_t at = address(f, i);
        lo = at < lo ? at : lo;
        hi = at > hi ? at : hi;
    }
    *m = (memory){.base = lo, .count = hi - lo + 1};
    if (m->count > MAX_ACCESSES)
        return true;
    m->part = core_malloc((size_t)m->count * sizeof *m->part);
    for (int64_t i = 0; m->part != NULL && i < m->count; i++)
        m->part[i] = share_of(i, m->count, parts);
    return m->part != NULL;
}

static bool too_large(const memory *m)
{
    return m->count > MAX_ACCESSES;
}

static void count_results(walk *w)
{
    const memory *m = w->p->sides.in_place ? &w->in : &w->out;
    for (int64_t i = 0; i < w->p->rows; i++) {
        const int64_t at = address(w->p->sides.out, i) - m->base;
        w->sum.out += m->part[at] != share_of(at, m->count, w->p->parts);
    }
    for (size_t i = 0; i <= w->p->nstmts; i++)
        w->sum.exchanges += w->used[i];
}

static sluice_status run(walk *w, sluice_diag *why)
{
    const prog *p = w->p;
    const size_t shared = (size_t)(p->shared_elems > 0 ? p->shared_elems : 1);

    if (p->shared_elems > MAX_ACCESSES || p->parts > MAX_ACCESSES
        || accesses(p, 0, p->nstmts) > MAX_ACCESSES)
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "the program is too large to count");
    w->used = core_calloc(p->nstmts + 1, sizeof *w->used);
    w->shared.part = core_calloc(shared, sizeof *w->shared.part);
    if (w->used == NULL || w->shared.part == NULL
        || !open_memory(&w->in, p->sides.in, p->cols, p->parts)
        || !open_memory(&w->out, p->sides.out, p->rows, p->parts))
        return core_fail_memory(why);
    if (too_large(&w->in) || too_large(&w->out))
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "the arrays are too large to count");
    walk_range(w, 0, p->nstmts);
    count_results(w);
    return SLUICE_OK;
}

sluice_status prog_exchange(const prog *p, prog_exchanges *out, sluice_diag *why)
{
    walk w = {.p = p, .sync = p->nstmts};
    const sluice_status status = run(&w, why);

    *out = w.sum;
    out->exchanges += (w.sum.in > 0) + (w.sum.out > 0);
    core_free(w.in.part);
    core_free(w.out.part);
    core_free(w.shared.part);
    core_free(w.used);
    return status;
}
