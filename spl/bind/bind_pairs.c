// SPDX-License-Identifier: BSD-3-Clause
/* Chooses the codelet of a step of pairs (spl/formula/pairs.h). For rows k and m - k:
 *     lanes along k, row 1 backwards             M
 *     lanes across, k the loop over sets         B, with one factor per set, or none
 *     anything else                              G
 * Rows without a partner are one set at B, else G. */
#include "spl/bind/bind_choice.h"

/* Does row 1 step by as much as row 0 (sign 1), or backwards by as much (-1)? */
static bool steps_with(const bind_side *side, const prog_stmt *loop, int sign)
{
    const int v = loop->range.var;

    return side->second.loop[v] == sign * side->at.loop[v];
}

static bool both_step(const bind_choice *ch, const prog_stmt *loop, int sign)
{
    return steps_with(&ch->in, loop, sign) && steps_with(&ch->out, loop, sign);
}

/* The loop over pairs, in which row 1 steps backwards as row 0 steps forwards, becomes the sets. */
static void choose_pairs(bind_choice *ch)
{
    for (int i = 0; i < ch->stage->count; i++) {
        const prog_stmt *s = ch->stage->loop[i];
        if (s != ch->cols && bind_may_take(ch, s) && !ch->tw.digits[s->range.var]
            && both_step(ch, s, -1))
            ch->outer = s;
    }
}

/* Tries interleaved compute, then split, which mirrored sides and exchanges of parts have. */
static bool try_either(bind_choice *ch, spl_position position, spl_tw tw)
{
    spl_key key = bind_key_of(ch, position, tw, SPL_INTER);

    if (bind_try_codelet(ch, &key))
        return true;
    key.compute = SPL_SPLIT;
    return bind_try_codelet(ch, &key);
}

/* Tries the longest vectors that the columns fill, of ISAs down to `least`, so that fewer columns
 * go through a small buffer. */
static bool try_filled(bind_choice *ch, spl_position position, spl_tw tw, core_isa least)
{
    const core_isa best = ch->isa;

    for (int isa = (int)best; isa >= (int)least; isa--) {
        ch->isa = (core_isa)isa;
        if (try_either(ch, position, tw) && ch->op->codelet->key.lanes <= ch->cols->range.n)
            return true;
    }
    ch->isa = best;
    return try_either(ch, position, tw);
}

/* Rows at any strides: each side is split, or mirrored. */
static bool try_any_strides(bind_choice *ch, spl_tw tw)
{
    spl_key key = bind_key_of(ch, SPL_POS_G, tw, SPL_SPLIT);

    key.in = key.in == SPL_MIRROR ? SPL_MIRROR : SPL_SPLIT;
    key.out = key.out == SPL_MIRROR ? SPL_MIRROR : SPL_SPLIT;
    if (bind_try_codelet(ch, &key))
        return true;
    key.isa = CORE_ISA_SCALAR; /* where all have the same bits */
    return ch->tape->target->reproducible && bind_try_codelet(ch, &key);
}

/* Is it a single pair of adjacent rows? */
static bool is_alone(const bind_choice *ch)
{
    return ch->cols && ch->cols->range.kind == SPL_VEC && ch->cols->range.n == 1;
}

static bool try_sets(bind_choice *ch)
{
    if (bind_factors_use(ch, ch->cols))
        return false;
    choose_pairs(ch);
    /* columns are distributed to members: plain C would give some of them other bits */
    const core_isa least = ch->isa > CORE_ISA_SCALAR ? CORE_ISA_VEC128 : CORE_ISA_SCALAR;
    if (try_filled(ch, SPL_POS_B, ch->has_tw ? SPL_TW_BROADCAST : SPL_TW_NONE, least))
        return true;
    ch->outer = NULL;
    return false;
}

/* Rows without a partner are few and have the same bits with any vectors. A single one does not
 * fill a vector and uses plain C, as do rows that are loaded one by one. */
bool bind_choose_pairs(bind_choice *ch)
{
    const prog_stmt *k = ch->stage->stmt, *cols = ch->cols;
    const spl_tw tw = ch->has_tw ? SPL_TW_VECTOR : SPL_TW_NONE;

    const bool down = cols && bind_is_adjacent(&ch->in, &ch->in.at, cols)
                      && bind_is_adjacent(&ch->out, &ch->out.at, cols);
    if (k->role != SPL_ROLE_PAIR) {
        if (!down || cols->range.n < ch->lanes)
            ch->isa = CORE_ISA_SCALAR;
        return (down && !ch->has_tw && try_either(ch, SPL_POS_B, SPL_TW_NONE))
               || try_any_strides(ch, tw);
    }
    if (((down && both_step(ch, cols, -1)) || is_alone(ch))
        && try_filled(ch, SPL_POS_M, tw, CORE_ISA_SCALAR))
        return true;
    if (down && both_step(ch, cols, 1) && try_sets(ch))
        return true;
    return try_any_strides(ch, tw);
}

/* A single step whose addresses are evaluated. */
bool bind_try_pairs_alone(bind_choice *ch)
{
    return bind_is_plain_pairs(ch->stage->stmt)
           && try_any_strides(ch, ch->has_tw ? SPL_TW_VECTOR : SPL_TW_NONE);
}
