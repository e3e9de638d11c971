// SPDX-License-Identifier: BSD-3-Clause
/* Formula nodes: stages of pairs and their kernels. */
#include "spl/context/ctx.h"
#include "spl/formula/node.h"
#include "spl/index/ix_form.h"

/* Numbers of roots, at most 32 for each point, stay sizes. */
static const int64_t max_points = (int64_t)1 << 35;

static bool check_points(spl_ctx *ctx, const char *word, spl_pairs_kind kind, int64_t m)
{
    if (m >= 1 && m <= max_points)
        return true;
    (void)spl_refuse(ctx, SLUICE_E_INVALID, "%s.%s: %lld is not a size from 1 to 2^35", word,
                     spl_pairs_def_of(kind)->word, (long long)m);
    return false;
}

static spl_type type_of(spl_pairs_side side)
{
    return side == SPL_SIDE_MIRRORED ? SPL_TYPE_REAL : SPL_TYPE_COMPLEX;
}

const spl *spl_pairs(spl_ctx *ctx, spl_pairs_kind kind, int64_t m)
{
    if (!check_points(ctx, "PAIRS", kind, m))
        return NULL;
    return spl_intern(ctx, &(spl){.op = SPL_PAIRS,
                                  .rows = spl_pairs_rows(kind, m),
                                  .cols = spl_pairs_cols(kind, m),
                                  .from = type_of(spl_pairs_def_of(kind)->in),
                                  .to = type_of(spl_pairs_def_of(kind)->out),
                                  .a = {m, kind}});
}

/* Does k stay among the pairs of m points, and only they have one? */
static bool numbers_pairs(spl_ctx *ctx, spl_pairs_kind kind, spl_pairs_role role, int64_t m,
                          const ix *k)
{
    const int64_t first = spl_pairs_first(kind), last = first + spl_pairs_count(kind, m) - 1;
    int64_t lo, hi;
    if (role != SPL_ROLE_PAIR)
        return true;
    if (k == NULL)
        return false;
    if (k->n == 1 && ix_bounds(k, &lo, &hi) && lo >= first && hi <= last)
        return true;
    (void)spl_refuse(ctx, SLUICE_E_INVALID,
                     "PAIR: the index function must give one number from %lld to %lld",
                     (long long)first, (long long)last);
    return false;
}

const spl *spl_pair_kernel(spl_ctx *ctx, spl_pairs_kind kind, spl_pairs_role role, int64_t m,
                           const ix *k)
{
    if (!check_points(ctx, spl_role_word(role), kind, m) || !numbers_pairs(ctx, kind, role, m, k))
        return NULL;
    if (role == SPL_ROLE_SELF && spl_pairs_self(kind, m) < 0)
        return spl_refuse(ctx, SLUICE_E_INVALID, "SELF.%s(%lld): the size must be %s",
                          spl_pairs_def_of(kind)->word, (long long)m, m % 2 == 0 ? "odd" : "even");
    if (role == SPL_ROLE_EDGE && spl_pairs_first(kind) == 0)
        return spl_refuse(ctx, SLUICE_E_INVALID, "EDGE.%s: rows k and m-1-k are pairs",
                          spl_pairs_def_of(kind)->word);
    return spl_intern(ctx, &(spl){.op = SPL_PAIR,
                                  .rows = spl_role_rows(kind, role),
                                  .cols = spl_role_cols(kind, role),
                                  SPL_NODE_COMPLEX,
                                  .a = {m, kind, role},
                                  .f = role == SPL_ROLE_PAIR ? k : NULL});
}

bool spl_pairs_is_complex_linear(spl_pairs_kind kind)
{
    const spl_pairs_def *p = spl_pairs_def_of(kind);
    return p->form == SPL_PAIR_IN || p->form == SPL_PAIR_OUT || p->form == SPL_PAIR_TURN;
}
