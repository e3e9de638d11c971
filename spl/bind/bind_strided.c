// SPDX-License-Identifier: BSD-3-Clause
/* Transforms without a vector loop whose elements need not be adjacent, one at a time: a codelet of
 * columns whose vectors hold one complex number takes any strides of rows. Such short vectors are
 * as fast as longer ones there, and have their bits; without them plain C is used. Loops around a
 * column stay loops, so that a batch and its items are computed alike. (Units without longer
 * vectors have no vector loops: there codelets of all positions take their columns in one call.) */
#include "spl/bind/bind_choice.h"

/* The loop whose iterations are adjacent on both sides; NULL: there is none. */
static const prog_stmt *adjacent_loop(const bind_choice *ch)
{
    for (int i = 0; i < ch->stage->count; i++) {
        const prog_stmt *s = ch->stage->loop[i];
        if (bind_may_take(ch, s) && bind_is_adjacent(&ch->in, &ch->in.at, s)
            && bind_is_adjacent(&ch->out, &ch->out.at, s))
            return s;
    }
    return NULL;
}

bool bind_try_strided(bind_choice *ch)
{
    const bind_target *t = ch->tape->target;
    const core_isa isa = ch->isa;
    const bool longer = bind_lanes(t, t->isa, ch->tape->precision, ch->format) > 1;

    if (ch->lanes > 1 || !longer || t->reproducible || !prog_is_dft(ch->stage->stmt))
        return false;
    ch->isa = bind_isa_of_one(t, ch->tape->precision, ch->format);
    const spl_key key = bind_key_of(ch, SPL_POS_C, SPL_TW_NONE, ch->format);
    if (bind_try_codelet(ch, &key)) {
        ch->cols = adjacent_loop(ch);
        return true;
    }
    ch->isa = isa;
    return false;
}
