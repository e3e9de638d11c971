// SPDX-License-Identifier: BSD-3-Clause
/* Buffers of a program: their live ranges and offsets.
 *
 * A buffer belongs to the innermost body that contains all its uses; there it is live from the
 * first statement that uses it to the last. Live ranges of one body nest in those of the bodies
 * around it, so intervals of statement positions show which buffers may share space. Because
 * buffers are placed by first fit, in the order in which their live ranges start, a chain of equal
 * buffers alternates between two places. */
#include <string.h>

#include "spl/program/lower.h"

int low_buf_new(low *l, int64_t elems, spl_type type)
{
    prog *p = l->p;
    if (p->nbufs == l->buf_capacity) {
        int capacity = l->buf_capacity == 0 ? 16 : 2 * l->buf_capacity;
        prog_buf *buf = spl_ctx_get(l->ctx, (size_t)capacity * sizeof *buf);
        if (buf == NULL)
            return -1;
        if (p->nbufs > 0)
            memcpy(buf, p->buf, (size_t)p->nbufs * sizeof *buf);
        p->buf = buf;
        l->buf_capacity = capacity;
    }
    p->buf[p->nbufs] = (prog_buf){
        .space = l->in_par ? PROG_LOCAL : PROG_SHARED, .type = type, .elems = elems, .copies = 1};
    return p->nbufs++;
}

/* Numbers x and the statements after it from pos on, and finds the loops that contain PAR loops. */
static size_t number_statements(low *l, low_node *x, size_t pos, bool *has_par)
{
    for (; x != NULL; x = x->next) {
        x->pos = pos++;
        if (x->s.op == PROG_LOOP) {
            x->s.has_par = x->s.range.kind == SPL_PAR;
            if (x->s.has_par && x->s.range.n > l->p->parts)
                l->p->parts = x->s.range.n;
            pos = number_statements(l, x->kid, pos, &x->s.has_par);
            *has_par = *has_par || x->s.has_par;
        }
        x->end = pos;
    }
    return pos;
}

static bool uses_buffer(const low_node *x, int b)
{
    if (x->s.op != PROG_LOOP)
        return x->s.in == b || x->s.out == b;
    for (const low_node *kid = x->kid; kid != NULL; kid = kid->next)
        if (uses_buffer(kid, b))
            return true;
    return false;
}

static bool has_transfer_of(const low_node *x, int b)
{
    if (x->s.op != PROG_LOOP)
        return x->s.op == PROG_COPY && (x->s.in == b || x->s.out == b);
    for (const low_node *kid = x->kid; kid != NULL; kid = kid->next)
        if (has_transfer_of(kid, b))
            return true;
    return false;
}

/* A buffer that transfers of a STREAM loop use is in rotation: while iteration k computes, the
 * transfers of k+1 and k-1 are in flight. So there are two copies on each side, live through the
 * whole loop. */
static void compute_live_range(low *l, int b)
{
    const low_node *body = l->root, *stream = NULL;
    for (;;) {
        const low_node *first = NULL, *last = NULL;
        for (const low_node *x = body->kid; x != NULL; x = x->next)
            if (uses_buffer(x, b)) {
                first = first == NULL ? x : first;
                last = x;
            }
        l->live[b] =
            first == NULL ? (low_live_range){0, 0} : (low_live_range){first->pos, last->end};
        if (first == NULL || first != last || first->s.op != PROG_LOOP)
            break;
        body = first;
        stream = body->s.range.kind == SPL_STREAM ? body : stream;
    }
    if (stream != NULL && has_transfer_of(stream, b)) {
        l->live[b] = (low_live_range){stream->pos + 1, stream->end};
        l->p->buf[b].copies = stream->s.range.n > 1 ? 2 : 1;
    }
}

/* Are both in one arena, live at the same time, and do they overlap? */
static bool interferes(const low *l, int a, int b)
{
    const prog_buf *x = &l->p->buf[a], *y = &l->p->buf[b];
    return x->space == y->space && l->live[a].lo < l->live[b].hi && l->live[b].lo < l->live[a].hi
           && x->offset < y->offset + prog_cells_of(y) && y->offset < x->offset + prog_cells_of(x);
}

/* The lowest offset at which buffer b interferes with none of the `placed` buffers of order[]. */
static void place_buffer(low *l, const int *order, int placed, int b)
{
    prog_buf *x = &l->p->buf[b];
    x->offset = 0;
    for (int i = 0; i < placed; i++)
        if (interferes(l, b, order[i])) {
            const prog_buf *y = &l->p->buf[order[i]];
            x->offset = y->offset + prog_cells_of(y);
            i = -1; /* an earlier buffer may interfere now */
        }
    int64_t *top = x->space == PROG_LOCAL ? &l->p->local_elems : &l->p->shared_elems;
    if (x->offset + prog_cells_of(x) > *top)
        *top = x->offset + prog_cells_of(x);
}

void low_place_buffers(low *l)
{
    prog *p = l->p;
    bool has_par = false;
    p->parts = 1;
    number_statements(l, l->root->kid, 0, &has_par);
    int *order = spl_ctx_get(l->ctx, (size_t)p->nbufs * sizeof *order);
    l->live = spl_ctx_get(l->ctx, (size_t)p->nbufs * sizeof *l->live);
    if (order == NULL || l->live == NULL)
        return;
    int n = 0;
    for (int b = 2; b < p->nbufs;
         b++) { /* insertion sort by start of the live range: buffers are few */
        compute_live_range(l, b);
        int at = n++;
        for (; at > 0 && l->live[order[at - 1]].lo > l->live[b].lo; at--)
            order[at] = order[at - 1];
        order[at] = b;
    }
    for (int i = 0; i < n; i++)
        place_buffer(l, order, i, order[i]);
}
