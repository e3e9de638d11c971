// SPDX-License-Identifier: BSD-3-Clause
/* Formulas of the passes that groups.c finds. */
#include "sched/planner/bluestein.h"
#include "sched/planner/groups_pass.h"
#include "spl/rules/rewrite.h"

static const spl *repeated_kid(spl_ctx *ctx, const spl *kid, const void *count)
{
    return sched_group_repeated(ctx, *(const int64_t *)count, kid);
}

const spl *sched_group_repeat(spl_ctx *ctx, const spl *x, int64_t b)
{
    if (!x || b == 1)
        return x;
    return x->op == SPL_MUL ? spl_map(ctx, x, repeated_kid, &b) : repeated_kid(ctx, x, &b);
}

typedef struct pass_tree {
    const sched_tree *tree;
    const sched_pass *x;
    spl_kind kind;
} pass_tree;

/* What one group does. */
static const spl *pass_formula(sched_target *t, const sched_deal *d, int64_t b, int64_t w)
{
    const pass_tree *p = d->arg;
    sched_tree inner = *p->tree;

    inner.tile = 0;
    const spl *one = sched_group_repeat(t->ctx, sched_expand(t, &inner, p->kind, w, SCHED_BARE), b);
    if (p->x->stages > 1 || d->l > 1)
        return one;
    const spl *copy = sched_copy_stage(t, b * p->x->n, SCHED_BARE);
    const spl *const factors[] = {copy, one, copy};
    return spl_mul(t->ctx, 3, factors);
}

static const spl *expand_pass(sched_target *t, const sched_tree *tree, spl_kind kind, int64_t pre,
                              int64_t l, bool divides)
{
    sched_pass x = sched_group_pass(tree);
    const pass_tree pass = {tree, &x, kind};

    x.divides = divides;
    const sched_deal deal = {.pre = pre,
                             .l = l,
                             .rows = x.n,
                             .cols = x.n,
                             .b = sched_group_batch(t, &x, l, pre),
                             .w = x.w,
                             .body = pass_formula,
                             .arg = &pass};
    return sched_group_deal(t, &deal);
}

/* T_{r,m} behind a pass whose last stage has g columns: row k2 + g i is column k2's i-th, and
 *     w_rm^{(k2 + g i) c} = w_rm^{k2 c} w_{rm/g}^{i c}
 * is a factor that an item loads once, from a g-th of the diagonal, and one that the g columns
 * share. Read from one table the factors would be half as many bytes again as the elements. */
static const spl *between_passes(sched_target *t, const spl *twiddle, int64_t g)
{
    const int64_t r = twiddle->a[0], m = twiddle->a[1];
    const ix_term low[] = {{.src = IX_INDEX, .div = 1, .ext = m, .coef = 1},
                           {.src = IX_INDEX, .div = m, .ext = g, .coef = m}};
    const ix_term high[] = {{.src = IX_INDEX, .div = 1, .ext = m, .coef = 1},
                            {.src = IX_INDEX, .div = m * g, .ext = r / g, .coef = m}};

    if (g == 1 || r % g != 0)
        return twiddle;
    const spl *both = spl_twiddle(t->ctx, r / g, m, twiddle->a[2]);
    return spl_mul2(t->ctx, spl_diag_of(t->ctx, twiddle, ix_digit(t->ctx, r * m, r * m, 0, 2, low)),
                    spl_diag_of(t->ctx, both, ix_digit(t->ctx, r * m, r / g * m, 0, 2, high)));
}

static const spl *expand_in(sched_target *t, const sched_tree *tree, spl_kind kind, int64_t pre,
                            int64_t l, bool divides)
{
    if (tree->tile > 0)
        return expand_pass(t, tree, kind, pre, l, divides);
    const spl *rule = spl_rule_apply(t->ctx, tree->rule, spl_transform_node(t->ctx, kind, tree->n),
                                     &tree->params);
    const int64_t r = tree->params.v[0], m = tree->n / r;
    if (!rule)
        return NULL;
    const sched_pass x = sched_group_pass(tree->kid[1]);
    const spl *columns = spl_identity(t->ctx, l);
    const spl *turned = between_passes(t, rule->kid[2], x.n / x.radix[x.stages - 1]);
    if (!turned)
        return NULL;
    const spl *const turns[] = {turned->op == SPL_MUL ? turned->kid[0] : turned,
                                turned->op == SPL_MUL ? turned->kid[1]
                                                      : spl_identity(t->ctx, r * m)};
    const spl *const factors[] = {
        expand_in(t, tree->kid[0], kind, pre, r * l, true),
        sched_group_repeat(t->ctx, spl_kron2(t->ctx, rule->kid[1], columns), pre),
        sched_group_repeat(t->ctx, spl_kron2(t->ctx, turns[0], columns), pre),
        sched_group_repeat(t->ctx, spl_kron2(t->ctx, turns[1], columns), pre),
        expand_in(t, tree->kid[1], kind, pre, m * l, true)};
    return spl_mul(t->ctx, 5, factors);
}

const spl *sched_groups_expand(sched_target *t, const sched_tree *tree, spl_kind kind, int64_t pre,
                               int64_t l)
{
    if (kind > SPL_IDFT)
        return sched_group_expand_kind(t, tree, kind, t->type, pre, l);
    return tree->rule == &spl_dft_bluestein ? sched_group_expand_convolution(t, tree, kind, pre, l)
                                            : expand_in(t, tree, kind, pre, l, false);
}
