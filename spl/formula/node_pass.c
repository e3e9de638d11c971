// SPDX-License-Identifier: BSD-3-Clause
/* Formula nodes: passes and their kernels. */
#include "spl/context/ctx.h"
#include "spl/formula/node.h"
#include "spl/index/ix_form.h"

/* Numbers of roots stay sizes. */
static const int64_t max_points = (int64_t)1 << 36;

static bool check_points(spl_ctx *ctx, const char *word, spl_pass_kind kind, int64_t m)
{
    if (m >= 1 && m <= max_points)
        return true;
    (void)spl_refuse(ctx, SLUICE_E_INVALID, "%s.%s: %lld is not a size from 1 to 2^36", word,
                     spl_pass_of(kind)->word, (long long)m);
    return false;
}

const spl *spl_pairs(spl_ctx *ctx, spl_pass_kind kind, int64_t m)
{
    if (!check_points(ctx, "PAIRS", kind, m))
        return NULL;
    return spl_intern(ctx, &(spl){.op = SPL_PAIRS,
                                  .rows = spl_pass_rows(kind, m),
                                  .cols = spl_pass_cols(kind, m),
                                  SPL_NODE_COMPLEX,
                                  .a = {m, kind}});
}

/* Does k stay among the pairs of m points, and only they have one? */
static bool numbers_pairs(spl_ctx *ctx, spl_pass_role role, int64_t m, const ix *k)
{
    int64_t lo, hi;
    if (role != SPL_ROLE_PAIR)
        return true;
    if (k == NULL)
        return false;
    if (k->n == 1 && ix_bounds(k, &lo, &hi) && lo >= 1 && hi <= spl_pass_pairs(m))
        return true;
    (void)spl_refuse(ctx, SLUICE_E_INVALID,
                     "PAIR: the index function must give one number from 1 to %lld",
                     (long long)spl_pass_pairs(m));
    return false;
}

const spl *spl_pair_kernel(spl_ctx *ctx, spl_pass_kind kind, spl_pass_role role, int64_t m,
                           const ix *k)
{
    if (!check_points(ctx, spl_role_word(role), kind, m) || !numbers_pairs(ctx, role, m, k))
        return NULL;
    if (role == SPL_ROLE_SELF && m % 2 != 0)
        return spl_refuse(ctx, SLUICE_E_INVALID, "SELF.%s(%lld): the size must be even",
                          spl_pass_of(kind)->word, (long long)m);
    return spl_intern(ctx, &(spl){.op = SPL_PAIR,
                                  .rows = spl_role_rows(kind, role),
                                  .cols = spl_role_cols(kind, role),
                                  SPL_NODE_COMPLEX,
                                  .a = {m, kind, role},
                                  .f = role == SPL_ROLE_PAIR ? k : NULL});
}

bool spl_pass_is_complex_linear(spl_pass_kind kind)
{
    const spl_pass *p = spl_pass_of(kind);
    return p->y[1] != SPL_ROW_CONJUGATE && p->x[1] != SPL_ROW_CONJUGATE;
}
