// SPDX-License-Identifier: BSD-3-Clause
/* Finds where each access of a program gets its lines: reuse distances over the loop nest, in
 * closed form, since accesses are affine in digits of loop variables. From a step outwards, the
 * lines were touched last by an earlier statement of the same loop's body, or by the previous
 * iteration, or else by the previous execution. The distance is the footprint of what was touched
 * in between. Between two statements that both sweep a region it varies: three quarters of both are
 * added. A loop over parts and the loop over its shares count as one, as a unit sees them. */
#include <math.h>

#include "core/mem.h"
#include "spl/price/region.h"

enum { ROOT = -1 };
static const double ends_share = 0.75;

typedef struct access {
    const ix *f;
    int buffer;
    size_t unit; /* bytes of an element in one array */
    int arrays;
    bool non_temporal;
} access;

/* A statement, or a loop that is not merely a loop over parts; in the order of the program. */
typedef struct node {
    int parent; /* ROOT: the program */
    size_t stmt;
    double tables; /* bytes of tables that one execution touches */
} node;

typedef struct touch { /* of a buffer by one execution; lines: the most of any one access */
    double bytes, lines;
} touch;

typedef struct nest {
    const price_program *p;
    int count;
    node *node;
    touch *all;   /* [node * nbufs + buffer] */
    double *body; /* [1 + node]: bytes that one execution of its body touches */
    price_reuse *out;
    size_t capacity;
} nest;

static double lines_of(const access *a, const price_span *s)
{
    return a->arrays * price_region_of(a->f, s, a->unit).lines;
}

/* ---- the nest ---- */

static const prog_stmt *stmt_of(const nest *t, int n)
{
    return &t->p->body->stmt[t->node[n].stmt];
}

static bool is_loop(const nest *t, int n)
{
    return stmt_of(t, n)->op == PROG_LOOP;
}

/* Is statement i a loop over parts whose shares a loop inside runs? */
static bool distributes_shares(const prog *p, size_t i)
{
    for (size_t k = i + 1; k < p->stmt[i].end; k++)
        if (p->stmt[k].op == PROG_LOOP && p->stmt[k].range.share_var == p->stmt[i].range.var)
            return true;
    return false;
}

static void list_nodes(nest *t)
{
    const prog *p = t->p->body;
    int around[IX_MAX_VARS + 1] = {ROOT};

    for (size_t i = 0; i < p->nstmts; i++) {
        const prog_stmt *s = &p->stmt[i];
        const int parent = around[s->depth];
        const bool kept = s->op == PROG_LOOP ? !distributes_shares(p, i) : t->p->binding[i].runs;
        if (kept)
            t->node[t->count] = (node){.parent = parent, .stmt = i};
        if (s->op == PROG_LOOP)
            around[s->depth + 1] = kept ? t->count : parent;
        t->count += kept;
    }
}

static access access_of(const nest *t, int n, price_side side)
{
    const prog_stmt *s = stmt_of(t, n);
    const int buffer = side == PRICE_WRITE ? s->out : s->in;
    const size_t scalars = (size_t)prog_scalars(&t->p->body->buf[buffer]);
    const bool split = t->p->split[buffer] && scalars == 2;

    return (access){.f = side == PRICE_WRITE ? s->fout : s->fin,
                    .buffer = t->p->body->sides.in_place && buffer == 1 ? 0 : buffer,
                    .unit = (split ? 1 : scalars) * t->p->scalar,
                    .arrays = split ? 2 : 1,
                    .non_temporal =
                        side == PRICE_WRITE && t->p->binding[t->node[n].stmt].non_temporal};
}

/* What a side of statement n covers while `top`, an enclosing loop or itself, is executed once. */
static price_span span_in(const nest *t, int n, price_side side, int top)
{
    price_span s;

    for (int v = 0; v <= IX_MAX_VARS; v++)
        s.extent[v] = 1;
    s.extent[0] = (side == PRICE_WRITE ? stmt_of(t, n)->fout : stmt_of(t, n)->fin)->n;
    for (int at = n; at != top;) {
        at = t->node[at].parent;
        s.extent[1 + stmt_of(t, at)->range.var] = stmt_of(t, at)->range.n;
    }
    return s;
}

/* Bytes of the statement's table that are read in a span. */
static double table_bytes(const nest *t, int n, const price_span *s, bool whole)
{
    const price_binding *b = &t->p->binding[t->node[n].stmt];
    const prog_stmt *k = stmt_of(t, n);
    double part = 1;

    if (b->table != PRICE_TABLE_ELEMENTS || k->ntwiddles == 0)
        return b->table == PRICE_TABLE_ROWS && whole ? b->table_bytes : 0;
    for (int at = t->node[n].parent; at != ROOT; at = t->node[at].parent) {
        const spl_range *r = &stmt_of(t, at)->range;
        if (ix_uses(k->twiddle[0].f, r->var))
            part *= (double)s->extent[1 + r->var] / (double)r->n;
    }
    return part * b->table_bytes;
}

static bool is_inside(const nest *t, int n, int top)
{
    while (n > top)
        n = t->node[n].parent;
    return n == top;
}

static void measure_nodes(nest *t)
{
    const int nbufs = t->p->body->nbufs;

    list_nodes(t);
    for (int top = 0; top < t->count; top++)
        for (int n = top; n < t->count && is_inside(t, n, top); n++) {
            if (is_loop(t, n))
                continue;
            const price_span reads = span_in(t, n, PRICE_READ, top);
            for (int side = PRICE_READ; side <= PRICE_WRITE; side++) {
                const access a = access_of(t, n, (price_side)side);
                const price_span s = span_in(t, n, (price_side)side, top);
                touch *all = &t->all[top * nbufs + a.buffer];
                const double lines = lines_of(&a, &s);
                const double own = a.non_temporal ? 0 : PRICE_LINE * lines;
                all->lines = lines > all->lines ? lines : all->lines;
                all->bytes = own > all->bytes ? own : all->bytes;
            }
            t->node[top].tables += table_bytes(t, n, &reads, n != top);
        }
}

/* Bytes touched by the nodes from .. to of one body, each counted once. */
static double footprint(const nest *t, int parent, int from, int to)
{
    const int nbufs = t->p->body->nbufs;
    double all = 0;

    for (int b = 0; b < nbufs; b++) {
        double most = 0;
        for (int n = from; n <= to; n++)
            if (t->node[n].parent == parent && t->all[n * nbufs + b].bytes > most)
                most = t->all[n * nbufs + b].bytes;
        all += most;
    }
    for (int n = from; n <= to; n++)
        if (t->node[n].parent == parent)
            all += t->node[n].tables;
    return all;
}

/* ---- entries ---- */

/* An access that is followed outwards through its loops. */
typedef struct walk {
    access a;
    price_entry entry; /* the fields that all entries share */
    int n;
    price_span s;
    double rest;  /* lines of a step whose last use is not found yet */
    double times; /* number of steps */
} walk;

static bool add_entry(nest *t, const price_entry *like, double lines, double distance)
{
    price_reuse *r = t->out;

    if (lines <= 0)
        return true;
    if (r->count == t->capacity) {
        const size_t capacity = t->capacity ? 2 * t->capacity : 32;
        price_entry *larger = core_realloc(r->entry, capacity * sizeof *larger);
        if (!larger)
            return false;
        r->entry = larger;
        t->capacity = capacity;
    }
    r->entry[r->count] = *like;
    r->entry[r->count].lines = lines;
    r->entry[r->count++].distance = distance;
    return true;
}

/* Finds lines that an earlier statement of the body that holds node `me` touched last. */
static bool find_before(nest *t, walk *w, int me)
{
    const int parent = t->node[me].parent;
    const double mine = lines_of(&w->a, &w->s);

    for (int j = me - 1; j > parent; j--) {
        const touch *all = &t->all[j * t->p->body->nbufs + w->a.buffer];
        const double theirs = t->node[j].parent == parent ? all->lines : 0;
        if (theirs == 0)
            continue;
        const double overlap = theirs < mine ? theirs / mine : 1;
        const double between = footprint(t, parent, j + 1, me - 1);
        const double both = footprint(t, parent, j, me);
        const double found = w->rest * overlap;
        price_entry e = w->entry;
        price_fill_sets(&e, ends_share, w->a.f, &w->s, w->a.unit, t->p);
        w->rest -= found;
        return add_entry(t, &e, w->times * found, between + ends_share * (both - between));
    }
    return true;
}

/* Finds lines that the previous iteration of loop `p` touched; there are so many iterations, each
 * of which touches `body` bytes. */
static bool find_previous_iteration(nest *t, walk *w, int p, double iterations, double body)
{
    const spl_range *range = &stmt_of(t, p)->range;
    const double once = lines_of(&w->a, &w->s);

    w->s.extent[1 + range->var] = range->n;
    if (iterations < 2)
        return true;
    double overlap = 1 - (lines_of(&w->a, &w->s) - once) / ((iterations - 1) * once);
    overlap = !ix_uses(w->a.f, range->var) || overlap > 1 ? 1 : overlap < 0 ? 0 : overlap;
    const double found = w->rest * overlap * (iterations - 1) / iterations;
    w->rest -= found;
    return add_entry(t, &w->entry, w->times * found, body);
}

static double iterations_of(const nest *t, int n, int p)
{
    const price_binding *b = &t->p->binding[t->node[n].stmt];
    const spl_range *r = &stmt_of(t, p)->range;

    return r->var == b->columns_var ? (double)((r->n + b->lanes - 1) / b->lanes) : (double)r->n;
}

static bool follow(nest *t, walk *w)
{
    const price_binding *b = &t->p->binding[t->node[w->n].stmt];
    const double step = 2 * w->rest * PRICE_LINE;

    for (int me = w->n; me != ROOT; me = t->node[me].parent) {
        const int p = t->node[me].parent;
        const bool columns = p != ROOT && stmt_of(t, p)->range.var == b->columns_var;
        if (!columns && !find_before(t, w, me))
            return false;
        if (p == ROOT)
            break;
        const double body = columns ? step + table_bytes(t, w->n, &w->s, false) : t->body[1 + p];
        if (!find_previous_iteration(t, w, p, iterations_of(t, w->n, p), body))
            return false;
    }
    return add_entry(t, &w->entry, w->times * w->rest, t->body[1 + ROOT]);
}

/* How long a row is: along the columns, and along enclosing loops that continue it. */
static double contiguous_run(const nest *t, const access *a, int n, price_side side)
{
    price_span s = span_in(t, n, side, n);
    double run = 0;

    for (int at = t->node[n].parent;; at = t->node[at].parent) {
        const price_region r = price_region_of(a->f, &s, a->unit);
        if (run > 0 && r.run <= run)
            return run;
        if (at == ROOT)
            return r.run;
        const spl_range *range = &stmt_of(t, at)->range;
        run = range->var == t->p->binding[t->node[n].stmt].columns_var ? 0 : r.run;
        s.extent[1 + range->var] = range->n;
    }
}

static bool is_same(const nest *t, int n)
{
    const access in = access_of(t, n, PRICE_READ), out = access_of(t, n, PRICE_WRITE);

    return in.buffer == out.buffer && in.f == out.f;
}

static price_span step_span(const nest *t, int n, price_side side)
{
    const price_binding *b = &t->p->binding[t->node[n].stmt];
    price_span s = span_in(t, n, side, n);

    for (int at = t->node[n].parent; at != ROOT; at = t->node[at].parent) {
        const spl_range *r = &stmt_of(t, at)->range;
        if (r->var == b->columns_var)
            s.extent[1 + r->var] = b->lanes < r->n ? b->lanes : r->n;
    }
    return s;
}

/* Finds the rows of a move that turns them into columns, or columns into rows: it reads one line of
 * each before the next line of any, and touches all that its rows and columns cover. */
static void find_turned(const nest *t, int n, const access *a, price_entry *e)
{
    const price_binding *b = &t->p->binding[e->stmt];
    const ix *f = price_digits_of(a->f);
    const int var = e->pieces ? b->columns_var : b->sets_var;
    price_span s = span_in(t, n, e->side, n);

    for (int at = t->node[n].parent; at != ROOT; at = t->node[at].parent) {
        const spl_range *r = &stmt_of(t, at)->range;
        if (r->var == b->columns_var || r->var == b->sets_var)
            s.extent[1 + r->var] = r->n;
    }
    e->run = price_region_of(a->f, &s, a->unit).run;
    e->streamed = false;
    for (int k = 0; var >= 0 && f->kind == IX_DIGIT && k < f->nt; k++)
        if (f->t[k].src == var && s.extent[1 + var] > 1) {
            e->rows = f->t[k].ext;
            e->stride = price_stride_of(&f->t[k], a->unit);
        }
}

static bool find_side(nest *t, int n, price_side side)
{
    walk w = {.a = access_of(t, n, side), .n = n, .s = step_span(t, n, side)};
    price_work *work = &t->out->work[t->node[n].stmt];
    const price_region step = price_region_of(w.a.f, &w.s, w.a.unit);

    w.times = work->steps;
    w.rest = w.a.arrays * step.lines;
    work->split_lines += work->steps * w.a.arrays * price_split_lines(&step);
    if (side == PRICE_WRITE && is_same(t, n))
        return true;
    w.entry = (price_entry){.stmt = t->node[n].stmt,
                            .side = side,
                            .run = contiguous_run(t, &w.a, n, side),
                            .part = step.run,
                            .pieces = step.pieces > 1,
                            .whole = t->p->binding[t->node[n].stmt].whole && step.pieces == 1,
                            .rewritten = side == PRICE_READ && is_same(t, n)};
    price_rows_of(&w.entry, w.a.f, w.a.unit);
    w.entry.streamed = (!w.entry.pieces || w.entry.mirrored) && w.entry.run >= PRICE_PAGE;
    if (t->p->binding[w.entry.stmt].together)
        find_turned(t, n, &w.a, &w.entry);
    return follow(t, &w);
}

/* A table of elements is read once per iteration of loops it does not depend on, except columns. */
static bool find_table(nest *t, int n)
{
    const price_binding *b = &t->p->binding[t->node[n].stmt];
    double lines = b->table_bytes / PRICE_LINE, passes = 1, distance = 0;

    if (b->table != PRICE_TABLE_ELEMENTS || stmt_of(t, n)->ntwiddles == 0)
        return true;
    for (int at = t->node[n].parent; at != ROOT; at = t->node[at].parent) {
        const spl_range *r = &stmt_of(t, at)->range;
        if (r->var != b->columns_var && !ix_uses(stmt_of(t, n)->twiddle[0].f, r->var)) {
            passes *= (double)r->n;
            distance = distance > 0 ? distance : t->body[1 + at];
        }
    }
    const price_entry e = {.stmt = t->node[n].stmt,
                           .side = PRICE_TABLE,
                           .run = b->table_bytes,
                           .streamed = b->table_bytes >= PRICE_PAGE};
    return add_entry(t, &e, lines * (passes - 1), distance)
           && add_entry(t, &e, lines, t->body[1 + ROOT]);
}

static void count_work(nest *t, int n)
{
    const price_binding *b = &t->p->binding[t->node[n].stmt];
    price_work *w = &t->out->work[t->node[n].stmt];
    double sets = 1, columns = 1, call_sets = 1;

    for (int at = t->node[n].parent; at != ROOT; at = t->node[at].parent) {
        const spl_range *r = &stmt_of(t, at)->range;
        double *count = r->var == b->columns_var ? &columns : &sets;
        *count *= (double)r->n;
        call_sets = r->var == b->sets_var ? (double)r->n : call_sets;
    }
    const double lanes = (double)b->lanes;
    const double full = (double)(int64_t)(columns / lanes) * lanes;
    w->steps = sets * (full < columns ? full / lanes + 1 : full / lanes);
    w->calls = sets / call_sets;
    w->sets = b->sets_var >= 0 && !b->together ? sets : 0;
    if (full < columns && full > 0 && b->padded_sets == 0) {
        w->tail_rows = w->calls * (double)stmt_of(t, n)->n; /* for all sets together */
    } else if (full < columns) {
        w->short_rows = sets * (double)stmt_of(t, n)->n;
        w->short_steps = w->calls * ceil(call_sets / fmax(1, (double)b->padded_sets));
    }
}

bool price_reuse_find(price_reuse *out, const price_program *p)
{
    const size_t stmts = p->body->nstmts;
    nest t = {.p = p, .out = out};

    *out = (price_reuse){.work = core_calloc(stmts + 1, sizeof *out->work)};
    t.node = core_calloc(stmts + 1, sizeof *t.node);
    t.all = core_calloc((stmts + 1) * (size_t)p->body->nbufs, sizeof *t.all);
    t.body = core_calloc(stmts + 1, sizeof *t.body);
    bool good = out->work && t.node && t.all && t.body;
    if (good)
        measure_nodes(&t);
    for (int n = ROOT; n < t.count && good; n++)
        t.body[1 + n] = footprint(&t, n, n + 1, t.count - 1);
    for (int n = 0; n < t.count && good; n++) {
        if (is_loop(&t, n))
            continue;
        count_work(&t, n);
        good = find_side(&t, n, PRICE_READ) && find_side(&t, n, PRICE_WRITE) && find_table(&t, n);
    }
    core_free(t.node);
    core_free(t.all);
    core_free(t.body);
    if (!good)
        price_reuse_free(out);
    return good;
}

void price_reuse_free(price_reuse *reuse)
{
    core_free(reuse->work);
    core_free(reuse->entry);
    *reuse = (price_reuse){.count = 0};
}
