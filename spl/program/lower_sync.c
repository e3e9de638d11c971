// SPDX-License-Identifier: BSD-3-Clause
/* Barriers, and the tree as an array.
 *
 * There is a SYNC between two adjacent statements if one of them contains a PAR loop. The exception
 * are terms of a sum that are one PAR loop each, if groups run its iterations: one launch may
 * contain both. At the end of a loop body with PAR loops there is a SYNC if statements after the
 * last barrier touch scratch that the start of the next iteration touches too. Inside PAR loops
 * there are none. */
#include "spl/program/lower.h"

static low_node *sync_after(low *l, low_node *x)
{
    low_node *sync = spl_ctx_get(l->ctx, sizeof *sync);
    if (sync == NULL)
        return NULL;
    sync->s.op = PROG_SYNC;
    sync->next = x->next;
    x->next = sync;
    return sync;
}

/* Does x end in a barrier? */
static bool ends_in_sync(const low_node *x)
{
    if (x->s.op != PROG_LOOP || x->s.range.kind == SPL_PAR)
        return x->s.op == PROG_SYNC;
    const low_node *last = x->kid;
    while (last != NULL && last->next != NULL)
        last = last->next;
    return last != NULL && ends_in_sync(last);
}

/* Statements that touch buffers, in program order: those before the first SYNC of a body, or those
 * after its last. */
typedef struct segment {
    const low_node **stmt;
    size_t count;
    bool from_start, closed;
} segment;

static void collect_segment(segment *seg, const low_node *x)
{
    for (; x != NULL; x = x->next)
        if (x->s.op == PROG_LOOP) {
            collect_segment(seg, x->kid);
        } else if (x->s.op == PROG_SYNC) {
            seg->closed = seg->from_start;
            if (!seg->from_start)
                seg->count = 0;
        } else if (!seg->closed) {
            seg->stmt[seg->count++] = x;
        }
}

/* Do two buffers whose live ranges begin and end inside the loop overlap in shared scratch? Buffers
 * from outside the loop need no barrier: its iterations own disjoint parts of the elements they
 * write. */
static bool buffers_overlap(const low *l, const low_node *loop, int a, int b)
{
    const prog_buf *x = &l->p->buf[a], *y = &l->p->buf[b];
    bool inside = l->live[a].lo > loop->pos && l->live[a].hi <= loop->end
                  && l->live[b].lo > loop->pos && l->live[b].hi <= loop->end;
    return inside && x->space == PROG_SHARED && y->space == PROG_SHARED
           && x->offset < y->offset + prog_cells_of(y) && y->offset < x->offset + prog_cells_of(x);
}

static bool accesses_conflict(const low *l, const low_node *loop, const prog_stmt *x,
                              const prog_stmt *y)
{
    return buffers_overlap(l, loop, x->out, y->out) || buffers_overlap(l, loop, x->out, y->in)
           || buffers_overlap(l, loop, x->in, y->out);
}

static bool next_iteration_conflicts(low *l, const low_node *loop)
{
    size_t bytes = (loop->end - loop->pos) * sizeof(low_node *);
    segment last = {.stmt = spl_ctx_get(l->ctx, bytes)};
    segment first = {.stmt = spl_ctx_get(l->ctx, bytes), .from_start = true};
    if (last.stmt == NULL || first.stmt == NULL)
        return false;
    collect_segment(&last, loop->kid);
    collect_segment(&first, loop->kid);
    for (size_t i = 0; i < last.count; i++)
        for (size_t j = 0; j < first.count; j++)
            if (accesses_conflict(l, loop, &last.stmt[i]->s, &first.stmt[j]->s))
                return true;
    return false;
}

/* May the iterations of both loops run in any order? */
static bool are_independent(const low *l, const low_node *x, const low_node *y)
{
    return l->p->sides.group_items > 0 && x->sum > 0 && x->sum == y->sum && x->s.op == PROG_LOOP
           && y->s.op == PROG_LOOP && x->s.range.kind == SPL_PAR && y->s.range.kind == SPL_PAR;
}

/* A body outside PAR loops. */
static void sync_body(low *l, low_node *loop)
{
    low_node *x = loop->kid;
    for (;; x = x->next) {
        if (x == NULL)
            return;
        if (x->s.has_par && x->s.range.kind != SPL_PAR)
            sync_body(l, x);
        if (x->next == NULL)
            break;
        if ((x->s.has_par || x->next->s.has_par) && !ends_in_sync(x)
            && !are_independent(l, x, x->next)) {
            x = sync_after(l, x);
            if (x == NULL)
                return;
        }
    }
    if (loop != l->root && loop->s.range.n > 1 && next_iteration_conflicts(l, loop))
        sync_after(l, x);
}

static size_t count_nodes(const low_node *x)
{
    size_t n = 0;
    for (; x != NULL; x = x->next)
        n += 1 + count_nodes(x->kid);
    return n;
}

static void flatten_nodes(prog *p, const low_node *x, int depth)
{
    for (; x != NULL; x = x->next) {
        prog_stmt *s = &p->stmt[p->nstmts++];
        *s = x->s;
        s->depth = depth;
        flatten_nodes(p, x->kid, depth + 1);
        s->end = p->nstmts;
    }
}

void low_flatten(low *l)
{
    sync_body(l, l->root);
    size_t n = count_nodes(l->root->kid);
    l->p->stmt = spl_ctx_get(l->ctx, (n == 0 ? 1 : n) * sizeof *l->p->stmt);
    if (l->p->stmt != NULL && spl_ctx_status(l->ctx, NULL) == SLUICE_OK)
        flatten_nodes(l->p, l->root->kid, 0);
}
