// SPDX-License-Identifier: BSD-3-Clause
/* The table of tags that may enclose other tags, in one list or with a formula between them:
 * whether loops of the outer tag may contain loops of the inner one. Guards of tag rules refuse in
 * these words. */
#include "spl/rules/rewrite.h"

static const spl_nest table[SPL_TAG_COUNT][SPL_TAG_COUNT] = {
    [SPL_TAG_SPE] =
        {
            [SPL_TAG_SPE] = {false, "spe inside spe: parallel loops do not nest"},
            [SPL_TAG_STREAM] = {true, "(11), (7): each part streams what is its own"},
            [SPL_TAG_LOCAL] = {true, "as stream(s)"},
            [SPL_TAG_TILE] = {true, "(7g): shares of tiles"},
            [SPL_TAG_VEC] = {true, "(6), (7u): shares of whole vectors"},
        },
    [SPL_TAG_STREAM] =
        {
            [SPL_TAG_SPE] = {true, "(12c): all parts on each block"},
            [SPL_TAG_STREAM] = {true, "merge-fuse: the transfers become one"},
            [SPL_TAG_LOCAL] = {true, "as stream(s)"},
            [SPL_TAG_TILE] = {true, "(9), (10): tiles of a block"},
            [SPL_TAG_VEC] = {true, "(9), (10): lanes of a block"},
        },
    [SPL_TAG_LOCAL] =
        {
            [SPL_TAG_SPE] = {true, "as stream(s); the stores of all parts"},
            [SPL_TAG_STREAM] = {false, "local and stream on one formula: both say s"},
            [SPL_TAG_LOCAL] = {false, "local inside local: both say s"},
            [SPL_TAG_TILE] = {true, "as stream(s)"},
            [SPL_TAG_VEC] = {true, "as stream(s)"},
        },
    [SPL_TAG_TILE] =
        {
            [SPL_TAG_SPE] = {true, "tile: all parts on each tile"},
            [SPL_TAG_STREAM] = {true, "tile: blocks of a tile"},
            [SPL_TAG_LOCAL] = {true, "as stream(s)"},
            [SPL_TAG_TILE] = {true, "tile: tiles of a tile"},
            [SPL_TAG_VEC] = {true, "tile: lanes of a tile"},
        },
    [SPL_TAG_VEC] =
        {
            [SPL_TAG_SPE] = {false, "vec must be the innermost tag"},
            [SPL_TAG_STREAM] = {false, "vec must be the innermost tag"},
            [SPL_TAG_LOCAL] = {false, "vec must be the innermost tag"},
            [SPL_TAG_TILE] = {false, "vec must be the innermost tag"},
            [SPL_TAG_VEC] = {false, "vec inside vec"},
        },
};

const spl_nest *spl_nest_of(spl_tag_kind outer, spl_tag_kind inner)
{
    static const spl_nest leaf = {true, "a codelet"};

    return outer == SPL_TAG_LEAF || inner == SPL_TAG_LEAF ? &leaf : &table[outer][inner];
}

bool spl_shares_fit(int64_t shares, int64_t n)
{
    return shares <= n || shares <= SPL_EMPTY_SHARES;
}

bool spl_nests(const spl_view *v, const char **refusal)
{
    for (int kind = 0; kind < SPL_TAG_LEAF; kind++) {
        const spl_tag_kind inner = (spl_tag_kind)kind;
        const spl_nest *nest = spl_nest_of(v->outer.kind, inner);
        if (!nest->allowed && (spl_view_rest(v, inner) != NULL || spl_contains_tag(v->base, inner)))
            return spl_unless(refusal, false, nest->reason);
    }
    return true;
}

bool spl_is_distributable(const spl *x, const char **refusal)
{
    const spl_view v = spl_view_of(x);
    const spl_tag *stream = spl_view_rest(&v, SPL_TAG_STREAM);
    const int64_t n = spl_takes_rows(&v, v.outer.a[0]) ? v.a : v.b;
    return spl_unless(refusal, v.outer.kind == SPL_TAG_SPE, "the outermost tag is not spe")
           && spl_nests(&v, refusal)
           && spl_unless(refusal, v.shape == SPL_SHAPE_KRON,
                         "nothing to distribute: no I_n (x) A and no A (x) I_n")
           && spl_unless(refusal, spl_shares_fit(v.outer.a[0], n),
                         "p is too large: more than 65536 parts, and more than rows or columns")
           && spl_unless(refusal, stream == NULL || spl_shares_fit(stream->a[0], n),
                         "s is too large: more than 65536 blocks, and more than rows or columns")
           && spl_unless(refusal, spl_takes_rows(&v, v.outer.a[0]) || v.outer.a[1] <= v.b,
                         "mu is too large: a packet of mu columns needs as many");
}
