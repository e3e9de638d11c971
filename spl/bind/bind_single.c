// SPDX-License-Identifier: BSD-3-Clause
/* A single transform in place. An execution reads what the one before wrote, so that besides the
 * operations the chain of results counts, from load to store and on to the next load: whoever takes
 * w operations a cycle as they become ready needs no longer than
 *     operations / w + longest chain                              (Graham 1966, Brent 1974)
 * which is what W and S are compared by. S has more operations, of shorter chains: W transposes,
 * and often loads what two stores wrote, which waits until that is in L1. */
#include "spl/bind/bind_choice.h"

/* Does nothing stand around the transform? The items of a batch have the batch's bits. */
static bool is_single_in_place(const bind_choice *ch)
{
    const prog_sides *sides = &ch->tape->body->sides;

    return ch->stage->count == 0 && ch->lanes == 1 && sides->in_place && !sides->is_item
           && ch->op->in == 0 && ch->op->out == 1;
}

static double cycles_in_place(const bind_choice *ch, const spl_codelet *c)
{
    const bind_target *t = ch->tape->target;

    return t->cycles(t->owner, ch->tape->costs, c) + c->chain;
}

const spl_codelet *bind_prefer_elements(bind_choice *ch, const spl_codelet *whole)
{
    const spl_key key = bind_key_of(ch, SPL_POS_S, SPL_TW_NONE, SPL_INTER);

    if (whole->chain == 0 || !is_single_in_place(ch) || !bind_try_codelet(ch, &key))
        return whole;
    const spl_codelet *elements = ch->op->codelet;
    return cycles_in_place(ch, elements) < cycles_in_place(ch, whole) ? elements : whole;
}
