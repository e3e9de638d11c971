// SPDX-License-Identifier: BSD-3-Clause
/* The loop {stream k < s: get; stages; put} of a program becomes a program of its own. The buffers
 * that are got and put are its IN and OUT. The scratch of its stages gets places of its own,
 * because in the whole program there are buffers of the host between them. */
#include "spl/program/prog_pass.h"

#include <string.h>

#include "core/status.h"
#include "spl/context/context.h"

static sluice_status refuse(sluice_diag *why)
{
    return core_fail(
        why, SLUICE_E_UNSUPPORTED, 0,
        "the formula is no product of streams: stream(s) has to be the outermost tag of "
        "each factor that computes");
}

/* Statements of a loop's body that are no barriers. */
static const prog_stmt *first_stage(const prog *p, size_t loop)
{
    size_t i = loop + 1;

    while (i < p->stmt[loop].end && p->stmt[i].op == PROG_SYNC)
        i = p->stmt[i].end;
    return i < p->stmt[loop].end ? &p->stmt[i] : NULL;
}

static const prog_stmt *last_stage(const prog *p, size_t loop)
{
    const prog_stmt *last = NULL;

    for (size_t i = loop + 1; i < p->stmt[loop].end; i = p->stmt[i].end)
        if (p->stmt[i].op != PROG_SYNC)
            last = &p->stmt[i];
    return last;
}

static bool is_pass(const prog *p, size_t at, const prog_stmt *get, const prog_stmt *put)
{
    const prog_stmt *loop = &p->stmt[at];

    if (loop->op != PROG_LOOP || loop->range.kind != SPL_STREAM || loop->range.share_var >= 0)
        return false;
    if (!get || get->op != PROG_COPY || get->put || put->op != PROG_COPY || !put->put)
        return false;
    for (const prog_stmt *s = get + 1; s < put; s++)
        if (s->op == PROG_COPY)
            return false;
    return true;
}

/* A copy of the program's buffer b, which a stage of the block uses. */
static bool take_buffer(const prog *p, prog *body, int b)
{
    prog_buf *own = &body->buf[body->nbufs++];

    *own = p->buf[b];
    own->copies = 1;
    if (own->space < PROG_SHARED)
        return false;
    int64_t *top = own->space == PROG_LOCAL ? &body->local_elems : &body->shared_elems;
    own->offset = *top;
    *top += prog_cells_of(own);
    return true;
}

/* The block's buffers: the one that is got, the one that is put, then those of its stages;
 * number[b] is the new number of the program's buffer b. */
static bool take_buffers(const prog *p, prog_pass *x, int *number)
{
    const prog_stmt *stages = x->get + 1;
    prog *body = x->body;

    body->nbufs = 2;
    body->shared_elems = body->local_elems = 0;
    body->buf = spl_ctx_get(p->ctx, (size_t)(p->nbufs + 2) * sizeof *body->buf);
    if (!body->buf)
        return false;
    for (int side = 0; side < 2; side++) {
        const prog_buf *from = &p->buf[side ? x->put->in : x->get->out];
        body->buf[side] = (prog_buf){.space = side ? PROG_OUT : PROG_IN,
                                     .type = from->type,
                                     .elems = from->elems,
                                     .copies = 1};
    }
    for (int b = 0; b < p->nbufs; b++)
        number[b] = -1;
    number[x->get->out] = 0;
    number[x->put->in] = 1;
    for (const prog_stmt *s = stages; s < x->put; s++)
        for (int side = 0; side < 2 && prog_is_stage(s); side++) {
            const int b = side ? s->out : s->in;
            if (number[b] >= 0)
                continue;
            number[b] = body->nbufs;
            if (!take_buffer(p, body, b))
                return false;
        }
    return true;
}

/* A variable that no loop of the pass uses; IX_MAX_VARS: there is none. */
static int free_variable(const prog *p, size_t at)
{
    bool taken[IX_MAX_VARS] = {false};
    int var = 0;

    for (size_t i = at; i < p->stmt[at].end; i++)
        if (p->stmt[i].op == PROG_LOOP)
            taken[p->stmt[i].range.var] = true;
    while (var < IX_MAX_VARS && taken[var])
        var++;
    return var;
}

/* The loops around the stages: the loop over blocks, and, unless that contains a PAR loop, a PAR
 * loop of one part, so that the loop over blocks does not become a loop of a stage. */
static size_t take_loops(const prog *p, size_t at, int var, prog *body)
{
    const bool alone = !p->stmt[at].has_par;

    body->stmt[0] = body->stmt[1] = p->stmt[at];
    body->stmt[0].has_par = body->stmt[1].has_par = true;
    body->stmt[1].range = (spl_range){.var = var, .n = 1, .kind = SPL_PAR, .share_var = -1};
    body->stmt[1].depth++;
    return alone ? 2 : 1;
}

/* Its statements: the loops, and the statements between get and put. In place, statements before
 * the first write read IN. */
static bool take_statements(const prog *p, size_t at, prog_pass *x, const int *number)
{
    const size_t first = (size_t)(x->get - p->stmt) + 1, end = (size_t)(x->put - p->stmt);
    const int var = free_variable(p, at);
    prog *body = x->body;
    bool written = false;

    body->stmt = spl_ctx_get(p->ctx, (end - first + 2) * sizeof *body->stmt);
    if (!body->stmt || var == IX_MAX_VARS)
        return false;
    const size_t loops = take_loops(p, at, var, body);
    body->nstmts = end - first + loops;
    for (size_t i = 0; i < loops; i++)
        body->stmt[i].end = body->nstmts;
    memcpy(body->stmt + loops, p->stmt + first, (end - first) * sizeof *body->stmt);
    for (prog_stmt *s = body->stmt + loops; s < body->stmt + body->nstmts; s++) {
        s->end = s->end + loops - first;
        s->depth += (int)loops - 1;
        if (!prog_is_stage(s))
            continue;
        s->in = number[s->in] == 1 && body->sides.in_place && !written ? 0 : number[s->in];
        s->out = number[s->out];
        written = written || s->out == 1;
        if (s->out == 0)
            return false;
    }
    return true;
}

static sluice_status take_pass(const prog *p, size_t at, prog_pass *x, sluice_diag *why)
{
    int *number = spl_ctx_get(p->ctx, (size_t)p->nbufs * sizeof *number);

    *x = (prog_pass){.var = p->stmt[at].range.var,
                     .get = first_stage(p, at),
                     .put = last_stage(p, at),
                     .body = spl_ctx_get(p->ctx, sizeof *x->body)};
    if (!number || !x->body)
        return core_fail_memory(why);
    if (!is_pass(p, at, x->get, x->put))
        return refuse(why);
    x->in_elems = p->buf[x->get->out].elems;
    x->out_elems = p->buf[x->put->in].elems;
    *x->body = *p;
    x->body->rows = x->out_elems;
    x->body->cols = x->in_elems;
    x->body->blocks = p->stmt[at].range.n;
    x->body->sides.in = x->body->sides.out = NULL;
    x->body->sides.in_layout = x->body->sides.out_layout = SLUICE_INTERLEAVED;
    x->body->sides.in_place = x->get->out == x->put->in;
    x->body->sides.out_is_scratch = false;
    memset((void *)x->body->sides.hook, 0, sizeof x->body->sides.hook);
    if (take_buffers(p, x, number) && take_statements(p, at, x, number))
        return SLUICE_OK;
    const sluice_status status = spl_ctx_status(p->ctx, why); /* out of memory */
    return status == SLUICE_OK ? refuse(why) : status;
}

sluice_status prog_passes(const prog *p, prog_pass **out, int *count, sluice_diag *why)
{
    prog_pass *pass = spl_ctx_get(p->ctx, (p->nstmts + 1) * sizeof *pass);
    sluice_status status = pass ? SLUICE_OK : core_fail_memory(why);

    *count = 0;
    *out = pass;
    for (size_t i = 0; i < p->nstmts && status == SLUICE_OK; i = p->stmt[i].end)
        if (p->stmt[i].op != PROG_SYNC)
            status = take_pass(p, i, &pass[(*count)++], why);
    return status == SLUICE_OK && *count == 0 ? refuse(why) : status;
}
