// SPDX-License-Identifier: BSD-3-Clause
/* Lists the codelets that are steps of pairs. */
#include <string.h>

#include "spl/codelet/tool/gen_list.h"

/* Steps of pairs. Complex rows are written or read by a transform, so they are interleaved; in
 * pairs that are computed interleaved, one side may be split if it is the user's. */
static const family middle_families[] = {
    {SPL_POS_M, SPL_INTER, SPL_INTER, SPL_INTER, SPL_TW_VECTOR, 0, 0, false, true},
    {SPL_POS_M, SPL_INTER, SPL_INTER, SPL_SPLIT, SPL_TW_VECTOR, 0, 0, false, true},
    {SPL_POS_M, SPL_INTER, SPL_SPLIT, SPL_INTER, SPL_TW_VECTOR, 0, 0, false, true},
};
static const family copy_families[] = {
    {SPL_POS_M, SPL_SPLIT, SPL_INTER, SPL_MIRROR, SPL_TW_NONE, 1, 1, false, true},
    {SPL_POS_M, SPL_SPLIT, SPL_MIRROR, SPL_INTER, SPL_TW_NONE, 1, 1, false, true},
    {SPL_POS_M, SPL_SPLIT, SPL_MIRROR, SPL_INTER, SPL_TW_NONE, 1, 1, true, false},
};

/* Adds a step. Kernels of several kinds share one codelet if they compute the same. */
static void add_step(listing *l, family f, int kind)
{
    const spl_key key = gen_list_key(l, &f, gen_pairs_inputs(kind), kind);
    gen_list_add(l, &key);
    for (int i = 0; i + 1 < l->count; i++)
        if (strcmp(l->out[i].name, l->out[l->count - 1].name) == 0) {
            l->count--;
            return;
        }
}

/* Are the results whole rows, neither of which has a single element? */
static bool leaves_whole_lines(const listing *l, const spl_pairs_def *p, family f, int kind)
{
    const spl_key key = gen_list_key(l, &f, gen_pairs_inputs(kind), kind);
    return p->form == SPL_PAIR_SWAP_OUT && gen_whole_lines(gen_vector_of(&key, key.compute, 0));
}

/* Pairs with one column at M, with several at B. Pairs that are not complex-linear are computed
 * split at both, except those without a mirrored side that have a form of their own. */
static void add_pair(listing *l, const spl_pairs_def *p, int kind, family f)
{
    const bool mirrored = f.in == SPL_MIRROR || f.out == SPL_MIRROR;
    const bool split = mirrored || !gen_step_inter_has_form(p->form);
    f.in = f.in == SPL_MIRROR ? SPL_MIRROR : SPL_INTER;
    f.out = f.out == SPL_MIRROR ? SPL_MIRROR : SPL_INTER;
    f.compute = split ? SPL_SPLIT : SPL_INTER;
    f.position = SPL_POS_M;
    if (split)
        add_step(l, f, kind);
    if (leaves_whole_lines(l, p, f, kind)) {
        f.nt = true;
        add_step(l, f, kind);
        f.nt = false;
    }
    for (size_t i = 0; i < sizeof middle_families / sizeof *middle_families; i++)
        if (!split && p->form == SPL_PAIR_MIDDLE)
            add_step(l, middle_families[i], kind);
    f.position = SPL_POS_B;
    f.tw = f.tw == SPL_TW_NONE ? SPL_TW_NONE : SPL_TW_BROADCAST;
    add_step(l, f, kind);
}

/* Adds a row without a partner, with several columns. */
static void add_row(listing *l, int kind)
{
    add_step(l,
             (family){.position = SPL_POS_B,
                      .compute = SPL_SPLIT,
                      .in = SPL_INTER,
                      .out = SPL_INTER,
                      .tw = SPL_TW_NONE},
             kind);
}

static void add_role(listing *l, spl_pairs_kind pairs, spl_pairs_role role)
{
    const spl_pairs_def *p = spl_pairs_def_of(pairs);
    const int kind = spl_pairs_codelet((int)spl_role_like(pairs, role), (int)role);
    const bool pair = role == SPL_ROLE_PAIR;
    const family f = {.position = SPL_POS_G,
                      .compute = SPL_SPLIT,
                      .in = pair && p->in == SPL_SIDE_MIRRORED ? SPL_MIRROR : SPL_SPLIT,
                      .out = pair && p->out == SPL_SIDE_MIRRORED ? SPL_MIRROR : SPL_SPLIT,
                      .tw = spl_role_factors(pairs, role) ? SPL_TW_VECTOR : SPL_TW_NONE};
    if (role == SPL_ROLE_EDGE && p->edge == SPL_EDGE_NO_ROW)
        return;
    add_step(l, f, kind);
    if (l->set)
        return;
    if (pair)
        add_pair(l, p, kind, f);
    else if (p->in == SPL_SIDE_ROWS && p->out == SPL_SIDE_ROWS && f.tw == SPL_TW_NONE)
        add_row(l, kind);
}

void gen_list_pairs(listing *l)
{
    for (int pairs = 0; pairs < SPL_PAIRS_KINDS; pairs++)
        for (int role = 0; role < SPL_ROLES; role++)
            add_role(l, (spl_pairs_kind)pairs, (spl_pairs_role)role);
    for (size_t i = 0; i < sizeof copy_families / sizeof *copy_families; i++) {
        const spl_key key = gen_list_key(l, &copy_families[i], 1, SPL_CODELET_DFT);
        if (!key.nt || gen_whole_lines(gen_vector_of(&key, key.compute, 0)))
            gen_list_add(l, &key);
    }
}
