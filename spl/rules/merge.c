// SPDX-License-Identifier: BSD-3-Clause
/* Merging: applies the merge rules from the outside in. At every node the first rule of the table
 * that holds is applied until none does, then its operands are merged. By then the factors around a
 * loop have moved into it, so they continue down to the kernels. */
#include "spl/rules/factors.h"
#include "spl/rules/rewrite.h"
#include "spl/rules/sigma.h"

#include <stddef.h>

/* Only the class of gathers and scatters changes. */
static const spl *drop_copies(spl_ctx *ctx, const spl *x, const void *arg)
{
    if (x->op == SPL_GATH)
        return spl_gather(ctx, x->f, SPL_PLAIN);
    if (x->op == SPL_SCAT)
        return spl_scatter(ctx, x->f, SPL_PLAIN);
    return spl_map(ctx, x, drop_copies, arg);
}

static const spl *apply_merge_rules(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const spl_rule *const *rule = spl_rules;
    while (x != NULL && *rule != NULL) {
        const bool holds = (*rule)->group == SPL_MERGE && (*rule)->guard(x, p, NULL);
        x = holds ? (*rule)->build(ctx, x, p) : x;
        rule = holds ? spl_rules : rule + 1;
    }
    return x;
}

static const spl *merge_inside(spl_ctx *ctx, const spl *x, const void *arg);

/* Only loops and sums have operands to merge; other factors stay as they are. */
static const spl *merge_factor(spl_ctx *ctx, const spl *x, const void *arg)
{
    if (spl_is_loop_or_sum(x))
        return merge_inside(ctx, x, arg);
    if (spl_is_leaf(x) || x->op == SPL_SCAT || x->op == SPL_DIAG_OF || x->op == SPL_GATH
        || x->op == SPL_RETYPE)
        return x;
    return spl_refuse(ctx, SLUICE_E_INVALID,
                      "only Sigma-SPL is merged: loops, gathers, scatters and leaves");
}

static const spl *merge_inside(spl_ctx *ctx, const spl *x, const void *arg)
{
    x = apply_merge_rules(ctx, x, arg);
    if (x == NULL)
        return NULL;
    if (x->op == SPL_LOOP)
        return spl_map(ctx, x, merge_inside, &(spl_params){{SPL_INSIDE_LOOPS}});
    return x->op == SPL_PLUS ? spl_map(ctx, x, merge_inside, arg)
                             : spl_map(ctx, x, merge_factor, arg);
}

const spl *spl_merge(spl_ctx *ctx, const spl *sigma, bool without_copies)
{
    if (sigma != NULL && without_copies)
        sigma = drop_copies(ctx, sigma, NULL);
    return sigma == NULL || sigma->op == SPL_I
               ? sigma
               : merge_inside(ctx, sigma, &(spl_params){{SPL_OUTSIDE_LOOPS}});
}
