// SPDX-License-Identifier: BSD-3-Clause
/* Formulas of the passes that groups.c finds. */
#include "sched/planner/bluestein.h"
#include "sched/planner/groups_pass.h"
#include "spl/rules/rewrite.h"

/* ---- factors ---- */

/* w_rm^{k c} as a factor of its own for one digit of k: (k div `div`) mod `ext`. */
static const spl *turn_of_digit(const sched_target *t, const spl *twiddle, int64_t div, int64_t ext)
{
    const int64_t r = twiddle->a[0], m = twiddle->a[1];
    const ix_term at[] = {{.src = IX_INDEX, .div = 1, .ext = m, .coef = 1},
                          {.src = IX_INDEX, .div = m * div, .ext = ext, .coef = m}};

    /* w_rm^div is a root of order rm/div; the digit takes the first `ext` rows of its diagonal. */
    const spl *all = spl_twiddle(t->ctx, r / div, m, twiddle->a[2]);
    return spl_diag_of(t->ctx, all, ix_digit(t->ctx, r * m, r / div * m, 0, 2, at));
}

/* The smallest divisor of n that is at least its square root. */
static int64_t upper_half(int64_t n)
{
    int64_t d = 1;

    while (d * d < n || n % d != 0)
        d++;
    return d;
}

/* The number of rows of T_{r,m} in the first digit; 1: there is none, since for few factors a
 * product of two does not pay. */
static int64_t first_digit(int64_t r)
{
    enum { FEW = 8 };
    const int64_t h = upper_half(r);

    return r < FEW || h == r ? 1 : h;
}

int64_t sched_group_turns(int64_t r)
{
    const int64_t h = first_digit(r);

    return h == 1 ? r : h + r / h;
}

/* T_{r,m}, with k of r and c of m, by digits k = i0 + h i1:
 *     w_rm^{(i0 + h i1) c} = w_rm^{i0 c} w_rm^{h i1 c}
 * An item that has all rows of a column loads h + r/h factors instead of r, and L1 holds fewer in
 * the same proportion. */
static const spl *split_turns(spl_ctx *ctx, const spl *x, const void *target)
{
    const sched_target *t = target;
    const spl *const turn = x->op == SPL_KRON ? x->kid[0] : x;
    const bool turns = turn->op == SPL_DIAGONAL && spl_diagonal_values(turn) == SPL_TWIDDLES;
    const int64_t r = turns ? turn->a[0] : 1, h = first_digit(r);

    if (h == 1)
        return x;
    const spl *const columns = spl_identity(ctx, x->rows / turn->rows);
    return spl_mul2(ctx, spl_kron2(ctx, turn_of_digit(t, turn, h, r / h), columns),
                    spl_kron2(ctx, turn_of_digit(t, turn, 1, h), columns));
}

const spl *sched_group_split_turns(const sched_target *t, const spl *x)
{
    return x && x->op == SPL_MUL ? spl_map(t->ctx, x, split_turns, t) : x;
}

/* ---- a pass ---- */

static const spl *repeated_kid(spl_ctx *ctx, const spl *kid, const void *count)
{
    return sched_group_repeated_factor(ctx, *(const int64_t *)count, kid);
}

const spl *sched_group_repeated_factors(spl_ctx *ctx, const spl *x, int64_t b)
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

/* The formula of one group. */
static const spl *pass_formula(const sched_target *t, const sched_deal *d, int64_t b, int64_t w)
{
    const pass_tree *p = d->arg;
    sched_tree inner = *p->tree;

    inner.tile = 0;
    const spl *one = sched_group_split_turns(t, sched_expand(t, &inner, p->kind, w, SCHED_BARE));

    one = sched_group_repeated_factors(t->ctx, one, b);
    if (p->x->stages > 1 || d->l > 1)
        return one;
    const spl *copy = sched_copy_stage(t, b * p->x->n, SCHED_BARE);
    const spl *const factors[] = {copy, one, copy};
    return spl_mul(t->ctx, 3, factors);
}

static const spl *expand_pass(const sched_target *t, const sched_tree *tree, spl_kind kind,
                              int64_t pre, int64_t l, bool divides)
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

/* ---- several ---- */

enum { TURNS = 3 };

/* T_{r,m} after a pass whose last stage has g columns. With row k = k2 + g (i0 + h i1), k2 the
 * column,
 *     w_rm^{(k2 + g i0 + g h i1) c} = w_rm^{k2 c} w_rm^{g i0 c} w_rm^{g h i1 c}
 * An item loads the first factor once; its g columns share the h values of the second, and the
 * third. From a single table the factors would be half as many bytes again as the elements, and as
 * many loads. */
static int between_passes(const sched_target *t, const spl *twiddle, int64_t g,
                          const spl *turn[TURNS])
{
    const int64_t r = twiddle->a[0];
    int count = 0;

    turn[count++] = twiddle;
    if (g == 1 || r % g != 0)
        return count;
    const int64_t h = upper_half(r / g);
    count = 0;
    if (r / g / h > 1)
        turn[count++] = turn_of_digit(t, twiddle, g * h, r / g / h);
    turn[count++] = turn_of_digit(t, twiddle, g, h);
    turn[count++] = turn_of_digit(t, twiddle, 1, g);
    return count;
}

static const spl *expand_in(const sched_target *t, const sched_tree *tree, spl_kind kind,
                            int64_t pre, int64_t l, bool divides)
{
    if (tree->tile > 0)
        return expand_pass(t, tree, kind, pre, l, divides);
    const spl *rule = spl_rule_apply(t->ctx, tree->rule, spl_transform_node(t->ctx, kind, tree->n),
                                     &tree->params);
    const int64_t r = tree->params.v[0], m = tree->n / r;
    if (!rule)
        return NULL;
    const sched_pass x = sched_group_pass(tree->kid[1]);
    const spl *columns = spl_identity(t->ctx, l), *turn[TURNS], *factor[TURNS + 3];
    const int turns = between_passes(t, rule->kid[2], x.n / x.radix[x.stages - 1], turn);
    int count = 0;

    factor[count++] = expand_in(t, tree->kid[0], kind, pre, r * l, true);
    factor[count++] =
        sched_group_repeated_factors(t->ctx, spl_kron2(t->ctx, rule->kid[1], columns), pre);
    for (int i = 0; i < turns; i++)
        factor[count++] =
            sched_group_repeated_factors(t->ctx, spl_kron2(t->ctx, turn[i], columns), pre);
    factor[count++] = expand_in(t, tree->kid[1], kind, pre, m * l, true);
    return spl_mul(t->ctx, count, factor);
}

const spl *sched_groups_expand(const sched_target *t, const sched_tree *tree, spl_kind kind,
                               int64_t pre, int64_t l)
{
    if (!spl_is_dft_kind(kind))
        return sched_group_expand_kind(t, tree, kind, t->around.type, pre, l);
    return tree->rule == &spl_dft_bluestein ? sched_group_expand_convolution(t, tree, kind, pre, l)
                                            : expand_in(t, tree, kind, pre, l, false);
}
