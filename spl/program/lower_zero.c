// SPDX-License-Identifier: BSD-3-Clause
/* Buffers that a stage does not fill: elements that a scatter leaves out are cleared, before and
 * after the written ones, and between them if the gaps are equal, as between rows, or alternate
 * between two lengths. */
#include "spl/program/lower.h"

#include <string.h>

#include "core/status.h"
#include "spl/index/ix_form.h"

/* The elements that statements write to a buffer: their number, each counted once, and their
 * bounds. */
typedef struct writes {
    int64_t count, lo, hi;
    bool unknown;
} writes;

static void find_writes(const low_node *x, int buf, int64_t times, writes *w)
{
    for (; x != NULL; x = x->next) {
        int64_t lo, hi;
        if (x->s.op == PROG_LOOP) {
            /* loops inside run over shares of this one: together once over all */
            const int64_t iterations = low_is_shared(x->kid, x->s.range.var) ? 1 : x->s.range.n;
            find_writes(x->kid, buf, times * iterations, w);
        } else if (x->s.op != PROG_SYNC && x->s.out == buf && x->s.fout != NULL) {
            w->unknown = w->unknown || !ix_bounds(x->s.fout, &lo, &hi);
            if (w->unknown)
                return;
            w->lo = w->count == 0 || lo < w->lo ? lo : w->lo;
            w->hi = w->count == 0 || hi > w->hi ? hi : w->hi;
            w->count += times * x->s.fout->n;
        }
    }
}

static void add_zeros(low *l, low_side to, const ix *f)
{
    low_node *x = f != NULL ? low_add(l, PROG_ZERO) : NULL;
    if (x == NULL)
        return;
    x->s.n = f->n;
    x->s.in = x->s.out = to.buf;
    x->s.fin = x->s.fout = f;
}

static void add_zero(low *l, low_side to, int64_t lo, int64_t hi)
{
    if (lo < hi)
        add_zeros(l, to, ix_h(l->ctx, hi - lo, to.f->N, lo, 1));
}

/* ---- gaps ---- */

enum { MOST_ELEMENTS = 1 << 24 };

/* `count` runs of n elements, the first at `first`, `stride` apart. */
typedef struct gaps {
    int64_t first, n, stride, count;
} gaps;

static void mark_writes(const low_node *x, int buf, int64_t *vars, bool *written)
{
    for (; x != NULL; x = x->next)
        if (x->s.op == PROG_LOOP) {
            const int var = x->s.range.var;
            const int64_t n = low_is_shared(x->kid, var) ? 1 : x->s.range.n;
            for (int64_t v = 0; v < n; v++) {
                vars[var] = v;
                mark_writes(x->kid, buf, vars, written);
            }
            vars[var] = 0;
        } else if (x->s.op != PROG_SYNC && x->s.out == buf && x->s.fout != NULL) {
            for (int64_t i = 0; i < x->s.fout->n; i++)
                written[ix_eval(x->s.fout, i, vars)] = true;
        }
}

/* The number of lengths of gaps that may alternate. */
enum { TURNS = 2 };

/* Adds a gap; false if it does not continue the others. */
static bool add_gap(gaps *g, int64_t first, int64_t n)
{
    if (g->count == 0)
        *g = (gaps){.first = first, .n = n};
    else if (g->count == 1)
        g->stride = first - g->first;
    if (n != g->n || first != g->first + g->count * g->stride)
        return false;
    g->count++;
    return true;
}

/* The number of statements that write to the buffer, and one of them. */
static int count_writers(const low_node *x, int buf, const low_node **one)
{
    int count = 0;

    for (; x != NULL; x = x->next)
        if (x->s.op == PROG_LOOP) {
            count += count_writers(x->kid, buf, one);
        } else if (x->s.op != PROG_SYNC && x->s.out == buf && x->s.fout != NULL) {
            *one = x;
            count++;
        }
    return count;
}

/* If one statement writes rows, each a run: rows are the digit of its places with the largest
 * step. */
static bool find_row_gaps(const low_node *x, int buf, const writes *w, gaps *g)
{
    const low_node *one = NULL;
    ix_term row = {.ext = 1};

    if (count_writers(x, buf, &one) != 1 || one->s.fout->kind != IX_DIGIT)
        return false;
    for (int t = 0; t < one->s.fout->nt; t++)
        row = one->s.fout->t[t].coef > row.coef ? one->s.fout->t[t] : row;
    const int64_t each = w->count / row.ext, hi = w->hi - (row.ext - 1) * row.coef;
    *g = (gaps){.first = hi + 1, .n = row.coef - each, .stride = row.coef, .count = row.ext - 1};
    return row.ext > 1 && w->count % row.ext == 0 && each == hi - w->lo + 1 && row.coef > each;
}

/* The gaps between the first and the last written element, of `turns` alternating kinds. False if
 * gaps of a kind differ, if there are too many elements to examine, or if they depend on loops
 * around. */
static bool find_gaps(low *l, const low_node *x, int buf, const writes *w, int turns, gaps *g)
{
    int turn = 0;
    int64_t vars[IX_MAX_VARS] = {0}, all = 0, from = w->lo;
    const bool few = w->hi < MOST_ELEMENTS && w->count <= w->hi - w->lo;
    bool *written = few ? spl_ctx_get(l->ctx, (size_t)w->hi + 1) : NULL;
    if (written == NULL)
        return false;
    mark_writes(x, buf, vars, written);
    for (int64_t at = w->lo; at <= w->hi; at++) {
        if (!written[at])
            continue;
        if (at > from && !add_gap(&g[turn++ % turns], from, at - from))
            return false;
        from = at + 1;
        all++;
    }
    return all == w->count && from == w->hi + 1 && turn >= turns;
}

static void add_gaps(low *l, low_side to, const gaps *g)
{
    const ix_term terms[] = {{IX_INDEX, g->n, g->count, g->stride}, {IX_INDEX, 1, g->n, 1}};

    if (g->count == 1)
        add_zero(l, to, g->first, g->first + g->n);
    else
        add_zeros(l, to, ix_digit(l->ctx, g->n * g->count, to.f->N, g->first, 2, terms));
}

/* ---- the whole ---- */

/* Adds zeros between the elements that the statements write; false if the gaps are not equal. */
static bool clear_between(low *l, const low_node *x, low_side to, const writes *w)
{
    gaps between[TURNS] = {{0}};
    int turns = 1;
    bool found = find_row_gaps(x, to.buf, w, &between[0]);

    for (int tried = 1; !found && tried <= TURNS; tried++) {
        memset(between, 0, sizeof between);
        found = find_gaps(l, x, to.buf, w, tried, between);
        turns = tried;
    }
    for (int i = 0; found && i < turns; i++)
        add_gaps(l, to, &between[i]);
    return found;
}

/* The side may be the beginning of a larger buffer, which a later stage fills. */
void low_zero_unwritten(low *l, const low_node *x, low_side to)
{
    writes w = {0, 0, -1, false};
    int64_t first, last;
    if (to.f == NULL || to.buf < 0 || !ix_bounds(to.f, &first, &last))
        return;
    find_writes(x, to.buf, 1, &w);
    if (w.unknown || w.count == last - first + 1)
        return;
    if (w.count != w.hi - w.lo + 1 && !clear_between(l, x, to, &w)) {
        spl_refuse(l->ctx, SLUICE_E_UNSUPPORTED,
                   "a scatter leaves out elements between those it writes");
        return;
    }
    add_zero(l, to, first, w.lo);
    add_zero(l, to, w.hi + 1, last + 1);
}
