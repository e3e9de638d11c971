// SPDX-License-Identifier: BSD-3-Clause
/* A single transform in place. An execution reads what the previous one wrote, so that besides the
 * number of operations the longest chain of dependent results counts, from load to store and on to
 * the next load. A core that executes w operations a cycle as they become ready needs at most
 *     operations / w + longest chain                              (Graham 1966, Brent 1974)
 * which is the bound by which W and S are compared. S has more operations but shorter chains: W
 * transposes, and often loads what two stores wrote, which waits until both are in L1. */
#include "spl/bind/bind_choice.h"

/* Is the transform all there is? Items of a batch have to have the batch's bits. */
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
