// SPDX-License-Identifier: BSD-3-Clause
/* Which transfers a helper may do while the worker goes on, and what has to wait for them.
 *
 * In a body get; kernels; put of a loop over k, the get of turn k+1 is handed over at turn k, the put
 * of turn k as soon as it is there, and the kernels use the copy k mod 2 of the buffers between: the
 * schedule of prog_check_stream. A helper works in the order in which it is handed things, so gets
 * find what puts before them wrote; a kernel that touches such data itself waits for all puts. */
#include "backends/cpu/bind/cpu_choice.h"

static bool copies(const prog_stmt *s, int buffer)
{
    return s->op == PROG_COPY && (s->in == buffer || s->out == buffer);
}

/* Does the loop's body hold a transfer that fills or empties the buffer? */
static bool holds_copy(const prog *body, const prog_stmt *loop, int buffer)
{
    for (const prog_stmt *s = loop + 1; s < body->stmt + loop->end; s++)
        if (copies(s, buffer))
            return true;
    return false;
}

/* Do two buffers lie in one place: the same one, or the user's where it is one array? */
static bool alias(const prog *body, int a, int b)
{
    return a == b || (body->sides.in_place && a <= PROG_OUT && b <= PROG_OUT);
}

/* May a transfer that stands right inside loop be handed over? One of a single block may not, as
 * nothing goes on meanwhile, nor one that all members wait for: PAR loops beside it run between
 * barriers. */
static bool hands(const prog *body, const prog_stmt *s, const prog_stmt *loop)
{
    return body->buf[s->put ? s->in : s->out].copies == 2
           && (loop->range.kind == SPL_PAR || !loop->has_par);
}

/* May a get run a turn of its loop ahead of all that stands there? Where nothing writes what it
 * reads, puts to the places that it got from aside. */
static bool early(const prog *body, const prog_stmt *get, const prog_stmt *loop)
{
    if (get->put || loop->range.kind == SPL_PAR)
        return false;
    for (const prog_stmt *s = loop + 1; s < body->stmt + loop->end; s++) {
        if (s->op == PROG_LOOP || s->op == PROG_SYNC || !alias(body, s->out, get->in))
            continue;
        if (s->op != PROG_COPY || !s->put || s->fout != get->fin)
            return false;
    }
    return true;
}

/* Does the op meet what puts of the outermost STREAM loop around it write? */
static bool meets_puts(const prog *body, const cpu_op *op, int outer, const prog_stmt *const *open)
{
    int d = 0;

    while (d < outer && open[d]->range.kind != SPL_STREAM)
        d++;
    if (d == outer)
        return false;
    for (const prog_stmt *s = open[d] + 1; s < body->stmt + open[d]->end; s++)
        if (s->op == PROG_COPY && s->put
            && (alias(body, s->out, op->in) || alias(body, s->out, op->out)))
            return true;
    return false;
}

/* The innermost open loop that rotates a buffer; -1: it has one copy. */
static int turn_of(const prog *body, int buffer, int outer, const prog_stmt *const *open)
{
    if (body->buf[buffer].copies != 2)
        return -1;
    for (int d = outer - 1; d >= 0; d--)
        if (holds_copy(body, open[d], buffer))
            return open[d]->range.var;
    return -1;
}

/* Steps from copy to copy. */
static bool rotate(const cpu_program *p, cpu_op *op, int in_turn, int out_turn)
{
    for (int side = 0; side < 2; side++) {
        const int turn = side ? out_turn : in_turn;
        const prog_buf *b = &p->body->buf[side ? op->out : op->in];
        const ptrdiff_t copy = PROG_PLACE_SCALARS * (ptrdiff_t)prog_copy_places(b);
        const cpu_step step = {
            .var = turn, .div = 1, .ext = 2, .in = side ? 0 : copy, .out = side ? copy : 0};
        if (turn >= 0 && op->nsteps == CPU_MAX_STEPS)
            return false;
        if (turn >= 0)
            op->step[op->nsteps++] = step;
    }
    return true;
}

bool cpu_overlap(cpu_program *p, cpu_op *op, int outer, const prog_stmt *const *open,
                 const size_t *loop)
{
    const prog *body = p->body;
    const prog_stmt *s = op->stmt;

    op->dma = (cpu_part){.turn = -1, .steps = op->nsteps};
    if (p->way != BACKEND_HELPER)
        return true;
    const int in_turn = turn_of(body, op->in, outer, open);
    const int out_turn = turn_of(body, op->out, outer, open);
    if (op->op == CPU_COPY) {
        op->dma.hands = outer > 0 && hands(body, s, open[outer - 1]);
        p->helped = p->helped || op->dma.hands;
        op->dma.early = op->dma.hands && early(body, s, open[outer - 1]);
        op->dma.around = outer > 0 ? loop[outer - 1] : 0;
        op->dma.turn = s->put ? in_turn : out_turn;
        op->dma.drains = !op->dma.hands;
    } else {
        for (const prog_stmt *x = body->stmt; x < body->stmt + body->nstmts; x++)
            op->dma.waits = op->dma.waits || (x->op == PROG_COPY && x->put && x->in == op->out);
        op->dma.turn = out_turn;
        op->dma.drains = meets_puts(body, op, outer, open) || s->op == PROG_COPY;
    }
    return rotate(p, op, in_turn, out_turn);
}

bool cpu_overlap_ends(const cpu_program *p, const prog_stmt *loop)
{
    return p->way == BACKEND_HELPER && loop->range.kind == SPL_STREAM;
}
