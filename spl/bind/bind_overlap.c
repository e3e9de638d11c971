// SPDX-License-Identifier: BSD-3-Clause
/* Decides which transfers a helper may execute while the worker computes, and what waits for them.
 *
 * If the body of a loop over k is get; kernels; put, the get of iteration k+1 is posted in
 * iteration k, and the put of iteration k as soon as its block is computed. The kernels use copy k
 * mod 2 of the buffers between them, of which two are enough (tests/spl/test_prog_check.c). A
 * helper works in the order of posting, so that a get sees what earlier puts wrote. A kernel that
 * accesses such data itself waits for all puts. */
#include "spl/bind/bind_choice.h"

static bool is_transfer_of(const prog_stmt *s, int buffer)
{
    return s->op == PROG_COPY && (s->in == buffer || s->out == buffer);
}

/* Does the loop's body hold a transfer that fills or empties the buffer? */
static bool holds_copy(const prog *body, const prog_stmt *loop, int buffer)
{
    for (const prog_stmt *s = loop + 1; s < body->stmt + loop->end; s++)
        if (is_transfer_of(s, buffer))
            return true;
    return false;
}

/* May this transfer, a direct child of `loop`, run asynchronously? Only if its buffer has two
 * copies (else there is nothing to overlap with), and not next to a PAR loop inside a serial one:
 * there a barrier makes all members wait for it. */
static bool may_be_asynchronous(const prog *body, const prog_stmt *s, const prog_stmt *loop)
{
    return body->buf[s->put ? s->in : s->out].copies == 2
           && (loop->range.kind == SPL_PAR || !loop->has_par);
}

/* May a get run one iteration ahead? Yes if no statement of the loop writes its source, except a
 * put to exactly the addresses that it read. */
static bool source_is_unchanged(const prog *body, const prog_stmt *get, const prog_stmt *loop)
{
    if (get->put || loop->range.kind == SPL_PAR)
        return false;
    for (const prog_stmt *s = loop + 1; s < body->stmt + loop->end; s++) {
        if (!prog_is_stage(s) || !prog_share_memory(body, s->out, get->in))
            continue;
        if (s->op != PROG_COPY || !s->put || s->fout != get->fin)
            return false;
    }
    return true;
}

/* Does the op access what puts of the outermost enclosing STREAM loop write? */
static bool touches_put_target(const prog *body, const bind_op *op, int outer,
                               const prog_stmt *const *open)
{
    int d = 0;

    while (d < outer && open[d]->range.kind != SPL_STREAM)
        d++;
    if (d == outer)
        return false;
    for (const prog_stmt *s = open[d] + 1; s < body->stmt + open[d]->end; s++)
        if (s->op == PROG_COPY && s->put
            && (prog_share_memory(body, s->out, op->in)
                || prog_share_memory(body, s->out, op->out)))
            return true;
    return false;
}

/* The innermost open loop whose transfers use the buffer's two copies; -1: there is one copy. */
static int parity_variable(const prog *body, int buffer, int outer, const prog_stmt *const *open)
{
    if (body->buf[buffer].copies != 2)
        return -1;
    for (int d = outer - 1; d >= 0; d--)
        if (holds_copy(body, open[d], buffer))
            return open[d]->range.var;
    return -1;
}

/* Adds the steps between the copies of rotating buffers. */
static bool add_copy_steps(const bind_tape *p, bind_op *op, int in_parity, int out_parity)
{
    for (int side = 0; side < 2; side++) {
        const int parity = side ? out_parity : in_parity;
        const prog_buf *b = &p->body->buf[side ? op->out : op->in];
        const ptrdiff_t copy = PROG_PLACE_SCALARS * (ptrdiff_t)prog_copy_places(b);
        const bind_step step = {
            .var = parity, .div = 1, .ext = 2, .in = side ? 0 : copy, .out = side ? copy : 0};
        if (parity >= 0 && op->nsteps == BIND_MAX_STEPS)
            return false;
        if (parity >= 0)
            op->step[op->nsteps++] = step;
    }
    return true;
}

bool bind_overlap(bind_tape *p, bind_op *op, int outer, const prog_stmt *const *open,
                  const size_t *loop)
{
    const prog *body = p->body;
    const prog_stmt *s = op->stmt;

    op->async = (bind_async){.parity_var = -1, .first_copy_step = op->nsteps};
    if (!p->may_overlap)
        return true;
    const int in_parity = parity_variable(body, op->in, outer, open);
    const int out_parity = parity_variable(body, op->out, outer, open);
    if (op->op == BIND_COPY) {
        op->async.is_asynchronous = outer > 0 && may_be_asynchronous(body, s, open[outer - 1]);
        p->has_async = p->has_async || op->async.is_asynchronous;
        op->async.may_prefetch =
            op->async.is_asynchronous && source_is_unchanged(body, s, open[outer - 1]);
        op->async.enclosing_loop = outer > 0 ? loop[outer - 1] : 0;
        op->async.parity_var = s->put ? in_parity : out_parity;
        op->async.waits_for_puts = !op->async.is_asynchronous;
    } else {
        for (const prog_stmt *x = body->stmt; x < body->stmt + body->nstmts; x++)
            op->async.waits_for_output_buffer =
                op->async.waits_for_output_buffer
                || (x->op == PROG_COPY && x->put && x->in == op->out);
        op->async.parity_var = out_parity;
        op->async.waits_for_puts = touches_put_target(body, op, outer, open) || s->op == PROG_COPY;
    }
    return add_copy_steps(p, op, in_parity, out_parity);
}

bool bind_overlap_ends(const bind_tape *p, const prog_stmt *loop)
{
    return p->may_overlap && loop->range.kind == SPL_STREAM;
}

sluice_status bind_select_transfer(bind_tape *p, const prog_stage *stage, bind_op *op,
                                   sluice_diag *why)
{
    const prog_stmt *s = stage->stmt;
    bind_choice ch = {.tape = p, .stage = stage, .op = op};
    const bool reals = p->buf[s->in].format == SPL_REAL;

    *op = (bind_op){.op = BIND_EVAL, .stmt = s, .in = s->in, .out = s->out};
    op->packets = (prog_move){.from = s->in,
                              .to = s->out,
                              .scalar = p->scalar,
                              .real = reals,
                              .split_in = p->buf[s->in].format == SPL_SPLIT,
                              .split_out = p->buf[s->out].format == SPL_SPLIT};
    if (reals != (p->buf[s->out].format == SPL_REAL) || !bind_read_side(&ch, s->in, s->fin, &ch.in)
        || !bind_read_side(&ch, s->out, s->fout, &ch.out)
        || !prog_move_of(&op->packets, s->fin, s->fout, s->n))
        return SLUICE_OK; /* address by address */
    op->op = BIND_COPY;
    op->in_offset = (ptrdiff_t)ch.in.at.c * ch.in.unit;
    op->out_offset = (ptrdiff_t)ch.out.at.c * ch.out.unit;
    op->packets.non_temporal = s->put && bind_output_is_evicted(&ch);
    p->has_nt_stores = p->has_nt_stores || op->packets.non_temporal;
    return bind_fill_steps(&ch, why);
}
