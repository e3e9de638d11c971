// SPDX-License-Identifier: BSD-3-Clause
/* Pairs and their kernels from text: PAIRS.rdft(m), PAIR.rdft(m,f), EDGE.rdft(m), SELF.rdft(m). */
#include "spl/formula/parse.h"

/* "." word "(" m */
static spl_pairs_kind parse_word(spl_cursor *c, int64_t *m)
{
    int kind = 0;
    spl_expect(c, ".");
    while (kind < SPL_PAIRS_KINDS
           && !spl_accept_call(c, spl_pairs_def_of((spl_pairs_kind)kind)->word))
        kind++;
    if (kind == SPL_PAIRS_KINDS)
        (void)spl_expected(c, "the word of pairs (rdft, dct2, ..)");
    *m = spl_parse_size(c);
    return (spl_pairs_kind)kind;
}

static const spl *parse_pairs(spl_cursor *c)
{
    int64_t m;
    const spl_pairs_kind kind = parse_word(c, &m);
    return spl_expect(c, ")") ? spl_pairs(c->ctx, kind, m) : NULL;
}

/* A pair has an index function after its size. */
static const spl *parse_kernel(spl_cursor *c, spl_pairs_role role)
{
    int64_t m;
    const spl_pairs_kind kind = parse_word(c, &m);
    const ix *k = role == SPL_ROLE_PAIR && spl_expect(c, ",") ? spl_parse_ix(c) : NULL;
    return spl_expect(c, ")") ? spl_pair_kernel(c->ctx, kind, role, m, k) : NULL;
}

bool spl_accept_pairs(spl_cursor *c, const spl **x)
{
    if (spl_accept_word(c, "PAIRS")) {
        *x = parse_pairs(c);
        return true;
    }
    for (int role = 0; role < SPL_ROLES; role++)
        if (spl_accept_word(c, spl_role_word((spl_pairs_role)role))) {
            *x = parse_kernel(c, (spl_pairs_role)role);
            return true;
        }
    return false;
}
