// SPDX-License-Identifier: BSD-3-Clause
/* The merge rule for sums of moves of which some multiply by a constant, as edges of orthogonal
 * cosine and sine transforms next to elements that are only moved. A single loop around the sum
 * would handle a few elements of each kind in every iteration. */
#include "spl/rules/factors.h"
#include "spl/rules/rewrite.h"

#include <stddef.h>

/* The number of constants in x if x only moves elements, perhaps times constants; -1: it does
 * more. */
static int constants_of_moves(const spl *x)
{
    const bool sums = x->op == SPL_LOOP || x->op == SPL_PLUS;
    const spl *const *factor;
    int constants = 0;

    if (x->op == SPL_LOOP && spl_loop_kind(x) != SPL_SEQ)
        return -1;
    const int count = sums ? x->nkids : spl_factors(&x, &factor);
    for (int i = 0; i < count; i++) {
        const spl *kid = sums ? x->kid[i] : factor[i];
        const bool moves = kid->op == SPL_I || kid->op == SPL_PERM || spl_is_plain(kid, SPL_GATH)
                           || spl_is_plain(kid, SPL_SCAT);
        const bool constant = kid->op == SPL_DIAG_OF && spl_diagonal_values(kid) == SPL_CONST;
        const int inside = constant                          ? 1
                           : moves && !sums                  ? 0
                           : sums || spl_is_loop_or_sum(kid) ? constants_of_moves(kid)
                                                             : -1;
        if (inside < 0)
            return -1;
        constants += inside;
    }
    return constants;
}

/* The index of the only nest if all other factors are moves; -1: none. */
static int find_nest(const spl *const *factor, int count)
{
    int at = -1;

    for (int i = 0; i < count; i++)
        if (spl_is_loop_or_sum(factor[i]) && at >= 0)
            return -1;
        else if (spl_is_loop_or_sum(factor[i]))
            at = i;
    return at;
}

/* The sum if the loops around it contain only moves besides; NULL: there is none. */
static const spl *sum_inside(const spl *x)
{
    while (x->op == SPL_LOOP || x->op == SPL_MUL) {
        const int at = x->op == SPL_MUL ? find_nest(x->kid, x->nkids) : 0;
        if (at < 0)
            return NULL;
        x = x->kid[at];
    }
    return x->op == SPL_PLUS ? x : NULL;
}

static bool guard_merge_apart(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return spl_unless(refusal, x->op == SPL_LOOP && sum_inside(x) && constants_of_moves(x) > 0,
                      "it needs a loop around a sum of moves, one of them times a constant");
}

/* The loops and moves of x around one term of its sum. */
static const spl *around(spl_ctx *ctx, const spl *x, const spl *term)
{
    if (x->op == SPL_PLUS)
        return term;
    const int at = x->op == SPL_MUL ? find_nest(x->kid, x->nkids) : 0;
    const spl *inside = around(ctx, x->kid[at], term);
    if (inside == NULL || x->op == SPL_MUL)
        return inside == NULL ? NULL : spl_splice(ctx, x, at, 1, 1, &inside);
    const spl_range range = spl_range_of(x);
    return spl_sum(ctx, &range, inside);
}

static const spl *build_merge_apart(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const spl *sum = sum_inside(x);
    const spl **kid = spl_ctx_get(ctx, (size_t)sum->nkids * sizeof *kid);
    (void)p;
    for (int i = 0; kid != NULL && i < sum->nkids; i++)
        kid[i] = around(ctx, x, sum->kid[i]);
    return kid == NULL ? NULL : spl_plus(ctx, sum->nkids, kid);
}

static const char *const cases_merge_apart[] = {
    "SUM(k0<3, (S(h(1,12,4*k0%3,1)) * D.const(0.5,h(1,1,0,0)) * G(h(1,12,4*k0%3,1))) + "
    "(S(h(3,12,1 + 4*k0%3,1)) * G(h(3,12,1 + 4*k0%3,1))))",
    "SUM(k1<2, SUM(k0<3, (S(h(1,12,6*k1%2 + 2*k0%3,1)) * D.const(2,h(1,1,0,0)) * G(h(1,12,6*k1%2 + "
    "2*k0%3,1))) + (S(h(1,12,1 + 6*k1%2 + 2*k0%3,1)) * G(h(1,12,1 + 6*k1%2 + 2*k0%3,1)))))",
    "SUM(k0<3, S(h(4,12,4*k0%3,1)) * ((S(h(1,4,0,0)) * D.const(2,h(1,1,0,0)) * G(h(1,4,0,0))) + "
    "(S(h(3,4,1,1)) * G(h(3,4,1,1)))) * G(h(4,12,4*k0%3,1)))",
    "SUM(k0<4, S(h(3,12,3*k0%4,1)) * DFT(3)_{leaf} * G(h(3,12,3*k0%4,1)))", NULL};

const spl_rule spl_merge_apart = {
    .name = "merge-apart",
    .group = SPL_MERGE,
    .formula = "SUM(j<n) (A + B) = SUM(j<n) A + SUM(j<n) B",
    .reference = "the sum of a loop's iterations is one of matrices",
    .guard = guard_merge_apart,
    .build = build_merge_apart,
    .cases = cases_merge_apart,
};
