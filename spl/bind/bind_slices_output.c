// SPDX-License-Identifier: BSD-3-Clause
/* Blocks that leave the caches by ordinary stores. A stage that writes columns reaches the lines of
 * its block in no order, and its stores wait for each line. To avoid this, the scratch that the
 * last kernel of a loop reads is placed in the block itself, and the kernel works in place: the
 * stages before it fetch the lines, in the order of addresses if they write rows. Calls of a few
 * lines are faster this way than with non-temporal stores. The block must stay in L1 until the last
 * kernel has run: a longer one is fetched into L1 twice, while scratch of that size would always be
 * in L2. No value depends on this. */
#include "spl/bind/bind_choice.h"
#include "spl/bind/bind_slices.h"

/* The rest of L1 holds what the stages read besides the block: input, tables, the next rows. */
enum { L1_SHARE = 2 };

/* Do the columns left over run well in shorter vectors (one that starts early would read results)?
 * If there are several such vectors, small calls take longer than their lines. */
static bool fills_vectors(const bind_op *op, size_t bytes)
{
    int64_t rest = op->cols.n % op->tail.lanes;
    int vectors = 0;

    for (int i = 0; i < BIND_WIDTHS && op->shorter[i]; i++) {
        vectors += (int)(rest / op->shorter[i]->key.lanes);
        rest %= op->shorter[i]->key.lanes;
    }
    return rest == 0 && (vectors <= 1 || bytes > BIND_SLICE_BYTES);
}

/* Does a side of the op at `at` begin with the lowest address of its block, re before im? */
static bool starts_block(const bind_tape *p, size_t loop, size_t at, bool out)
{
    const bind_op *op = &p->op[at];
    bind_block b;

    return p->buf[out ? op->out : op->in].format == SPL_INTER
           && bind_block_of_op(p, loop, at, out, &b) && b.base.bytes == op->base[out ? 2 : 0].bytes;
}

/* May every op that accesses the scratch be redirected to the block: does it begin at the block's
 * start, is there room for its steps, and are re and im not exchanged? */
static bool may_redirect(const bind_tape *p, size_t loop, int scratch)
{
    bind_op outer = p->op[p->op[loop].end - 1];

    bind_slices_outer_steps(p, loop, &outer);
    if (!starts_block(p, loop, p->op[loop].end - 1, true))
        return false;
    for (size_t i = loop + 1; i < p->op[loop].end; i++)
        for (int out = 0; out < 2; out++)
            if (bind_slices_touches(p, &p->op[i], out, scratch)
                && (p->op[i].swap || !starts_block(p, loop, i, out)
                    || p->op[i].nsteps + 2 * outer.nsteps > BIND_MAX_STEPS))
                return false;
    return true;
}

static void use_block(bind_tape *p, size_t loop, int scratch)
{
    const bind_op last = p->op[p->op[loop].end - 1];
    bind_op outer = last;

    bind_slices_outer_steps(p, loop, &outer);
    for (size_t i = loop + 1; i < p->op[loop].end; i++)
        for (int out = 0; out < 2; out++)
            if (bind_slices_touches(p, &p->op[i], out, scratch))
                (void)bind_slices_redirect(&p->op[i], out, &last.base[2], outer.step, outer.nsteps);
    bind_stay_in_place(&p->op[p->op[loop].end - 1]);
    bind_constant_steps(p);
    p->op[loop].in_block = true;
}

static size_t bytes_of_call(const bind_tape *p, const bind_op *op)
{
    return (size_t)(op->tail.outputs * op->cols.n * op->outer.n) * 2 * p->scalar;
}

int bind_slices_in_block(const bind_tape *p, size_t loop)
{
    const bind_op *last = &p->op[p->op[loop].end - 1];
    const int scratch = bind_slices_scratch(p, loop);

    return scratch >= 0 && !last->swap && bind_slices_exceeds_caches(p, last->out)
                   && bind_buffer_bytes(p, scratch) <= p->target->memory.l1 / L1_SHARE
                   && (!last->codelet_nt || bytes_of_call(p, last) <= BIND_SLICE_BYTES)
                   && fills_vectors(last, bytes_of_call(p, last)) && may_redirect(p, loop, scratch)
               ? scratch
               : -1;
}

void bind_scratch_in_blocks(bind_tape *p)
{
    for (size_t i = 0; i < p->nops; i++) {
        const bind_op *loop = &p->op[i];
        if (loop->op != BIND_LOOP || (loop->slices && loop->slices->put_bytes))
            continue;
        const int scratch = bind_slices_in_block(p, i);
        if (scratch >= 0)
            use_block(p, i, scratch);
    }
}
