// SPDX-License-Identifier: BSD-3-Clause
/* Interfaces that a stage does not fill: what a scatter leaves out is cleared. */
#include "spl/program/lower.h"

#include "core/status.h"
#include "spl/index/ix_form.h"

/* What statements write to a buffer: how many elements, each once, between which. */
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

static void add_zero(low *l, low_side to, int64_t lo, int64_t hi)
{
    low_node *x = lo < hi ? low_add(l, PROG_ZERO) : NULL;
    if (x == NULL)
        return;
    x->s.n = hi - lo;
    x->s.in = x->s.out = to.buf;
    x->s.fin = x->s.fout = ix_h(l->ctx, hi - lo, to.f->N, lo, 1);
}

static bool holds_par(const low_node *x)
{
    for (; x != NULL; x = x->next)
        if (x->s.op == PROG_LOOP && (x->s.range.kind == SPL_PAR || holds_par(x->kid)))
            return true;
    return false;
}

/* All of it, in front of the statements after `before`, which write elements here and there. */
static void clear_all_before(low *l, low_node *before, low_side to, int64_t first, int64_t last)
{
    low_node *tail = l->tail;

    add_zero(l, to, first, last + 1);
    low_node *zero = l->tail;
    if (zero == tail)
        return;
    tail->next = NULL;
    l->tail = tail;
    low_node **at = before == NULL ? &l->at->kid : &before->next;
    zero->next = *at;
    *at = zero;
}

/* The side may be the beginning of a larger buffer, which a later stage fills. */
void low_clear_rest(low *l, low_node *before, low_side to)
{
    const low_node *x = before == NULL ? l->at->kid : before->next;
    writes w = {0, 0, -1, false};
    int64_t first, last;
    if (to.f == NULL || to.buf < 0 || !ix_bounds(to.f, &first, &last))
        return;
    find_writes(x, to.buf, 1, &w);
    if (w.unknown || w.count == last - first + 1)
        return;
    if (w.count != w.hi - w.lo + 1) {
        if (holds_par(x))
            clear_all_before(l, before, to, first, last);
        else /* no SYNC would stand between */
            spl_refuse(l->ctx, SLUICE_E_UNSUPPORTED,
                       "a scatter leaves out elements between those it writes");
        return;
    }
    add_zero(l, to, first, w.lo);
    add_zero(l, to, w.hi + 1, last + 1);
}
