// SPDX-License-Identifier: BSD-3-Clause
#include "sched/planner/folds.h"

#include "sched/planner/bluestein.h"
#include "sched/planner/groups.h"
#include "spl/rules/rewrite.h"

/* Does a factor move every element, so that it can take an adjacent permutation into its
 * addresses? */
static bool is_stage(const spl *x)
{
    return (x->op == SPL_RETYPE && !spl_is_pair_view(x)) || x->op == SPL_PAIRS
           || (x->op == SPL_TRANSFORM && !sched_is_trivial(x));
}

bool sched_has_stage(const spl *x, int first, int end)
{
    while (first < end && !is_stage(x->kid[first]))
        first++;
    return first < end;
}

static bool is_diagonal(const spl *x)
{
    return x->op == SPL_DIAG_OF || x->op == SPL_DIAGONAL;
}

static bool is_move(const spl *x)
{
    return x->op == SPL_PERM || x->op == SPL_GATH;
}

/* The permutations, gathers and diagonals on one side of a transform, with the views between them:
 * factors first .. end-1 of a product. */
typedef struct chain {
    bool found, left; /* left: the chain is on the left of the transform */
    int first, end;
} chain;

/* Does the transform have stages of complex numbers? A kind that a rule breaks down into another
 * has its own folds. */
static bool has_stages(const spl *x)
{
    return x->op == SPL_TRANSFORM
           && (spl_is_dft_kind(spl_transform_kind(x))
               || spl_transform_of(spl_transform_kind(x))->to != SPL_TYPE_ANY);
}

/* The chain that contains factor i. */
static chain chain_of(const spl *x, int i)
{
    chain c = {.first = i, .end = i + 1};

    while (c.first > 0
           && (spl_is_pair_view(x->kid[c.first - 1]) || is_diagonal(x->kid[c.first - 1])
               || is_move(x->kid[c.first - 1])))
        c.first--;
    while (c.end < x->nkids
           && (spl_is_pair_view(x->kid[c.end]) || is_diagonal(x->kid[c.end])
               || is_move(x->kid[c.end])))
        c.end++;
    c.left = c.first == 0 || !has_stages(x->kid[c.first - 1]);
    c.found = !c.left || (c.end < x->nkids && has_stages(x->kid[c.end]));
    return c;
}

static bool are_signs(const spl *x)
{
    return x->op == SPL_DIAGONAL && spl_diagonal_values(x) == SPL_SIGNS;
}

/* Are these consecutive roots of unity, starting with w^0? */
static bool are_roots(const spl *x)
{
    static const int64_t zeros[IX_MAX_VARS];
    int64_t step;

    return x->op == SPL_DIAG_OF && spl_diagonal_values(x) == SPL_ROOTS
           && ix_linear(x->f, IX_INDEX, x->rows, &step) && ix_eval(x->f, 0, zeros) == 0;
}

bool sched_are_row_factors(const spl *x, int64_t l)
{
    return l > 1 && (are_signs(x) || are_roots(x));
}

static bool are_dfts(const spl *x)
{
    const spl_view v = spl_view_of(x);
    const spl *one = v.nmid == 1 ? v.mid[0] : v.base;

    return v.nmid <= 1 && v.b == 1 && one && spl_is_dft(one) && !sched_is_trivial(one);
}

bool sched_is_spare_copy(const spl *x, int i, int64_t l)
{
    return l > 1 && sched_is_copy(x->kid[i]) && i > 0 && i + 1 < x->nkids
           && x->kid[i - 1]->op == SPL_DIAG_OF && spl_diagonal_values(x->kid[i - 1]) == SPL_TWIDDLES
           && are_dfts(x->kid[i + 1]);
}

bool sched_takes_roots(const sched_tree *tree)
{
    const bool stages = tree->rule == &spl_dft_stockham || tree->rule == &spl_dft_dif
                        || tree->rule == &spl_dft_in_place;
    bool takes = !tree->rule || stages;

    for (int i = 0; i < tree->nkids && takes; i++)
        takes = sched_takes_roots(tree->kid[i]);
    return takes;
}

/* a of a stage I_a (x) DFT_r (x) I; 1 if x has no such factor. */
static int64_t rows_around(const spl *x)
{
    x = spl_untagged(x);
    return x->op == SPL_KRON && x->nkids == 3 && x->kid[0]->op == SPL_I ? x->kid[0]->rows : 1;
}

/* r of a stage DFT_r (x) I; 0: x is not a stage. */
static int64_t rows_of_stage(const spl *x)
{
    const int at = rows_around(x) > 1 ? 1 : 0;
    x = spl_untagged(x);
    const spl *first = spl_untagged(x->op == SPL_KRON ? x->kid[at] : x);

    return first->op == SPL_TRANSFORM ? spl_transform_size(first) : 0;
}

/* Distributes factors of rows to stages. The leftmost stage has the highest digit of the row
 * index. */
typedef struct sharing {
    const spl *factors;
    int64_t digit; /* digit of the stage that took its share last */
    bool highest;  /* only the stage of the highest digit takes factors */
} sharing;

static const spl *with_shares(spl_ctx *ctx, const spl *x, const void *arg)
{
    sharing *s = (sharing *)(uintptr_t)arg;
    const bool done = s->highest && s->digit < s->factors->rows;
    const int64_t r = x && !done ? rows_of_stage(x) : 0;

    if (!x || r == 0)
        return x && (x->op == SPL_MUL || x->op == SPL_KRON || x->op == SPL_TAG)
                   ? spl_map(ctx, x, with_shares, s)
                   : x;
    s->digit /= r;
    const ix *digit = ix_h(ctx, r, s->factors->rows, 0, s->digit);
    const ix *rows = s->factors->f ? ix_compose(ctx, s->factors->f, digit) : digit;
    const int64_t a = rows_around(x);
    const spl *const factors[] = {spl_identity(ctx, a), spl_diag_of(ctx, s->factors, rows),
                                  spl_identity(ctx, x->rows / (a * r))};
    return spl_mul2(ctx, spl_kron(ctx, 3, factors), x);
}

/* The roots stay where they are if the stages do not have all digits of the row index. */
const spl *sched_with_roots(const sched_target *t, const spl *x, const spl *stages)
{
    sharing s = {x, x->rows, false};
    const spl *shared = with_shares(t->ctx, stages, &s);

    if (!shared || s.digit == 1)
        return shared;
    return spl_mul2(t->ctx, spl_kron2(t->ctx, x, spl_identity(t->ctx, stages->rows / x->rows)),
                    stages);
}

const spl *sched_with_signs(const sched_target *t, const spl *x, const spl *stages)
{
    sharing s = {x, x->rows, true};
    const spl *shared = are_signs(x) ? with_shares(t->ctx, stages, &s) : NULL;

    return x->rows / s.digit % 2 == 0 ? shared : NULL;
}

/* Can the stage on the other side take the chain's moves into its addresses? A fold must have an
 * even number of rows, since loops over rows can be split at its middle only then. */
static bool can_merge(const spl *x, const chain *c, int64_t l, bool roots)
{
    bool can = true;

    for (int i = c->first; i < c->end; i++)
        can = can
              && (!is_diagonal(x->kid[i])
                  || (c->left && sched_are_row_factors(x->kid[i], l)
                      && (roots || are_signs(x->kid[i]))))
              && (spl_is_pair_view(x->kid[i]) || is_diagonal(x->kid[i])
                  || (x->kid[i]->op == SPL_PERM && x->kid[i]->rows % 2 == 0));
    return can;
}

/* Does the chain contain anything that the codelets of the transform have no addresses or factors
 * for and that no copy takes? A gather, which omits rows, merges into the stage on its left. */
static bool needs_stage(const spl *x, const chain *c)
{
    const bool copied = !c->left && c->end < x->nkids && sched_is_copy(x->kid[c->end]);
    bool needs = false;

    for (int i = c->first; i < c->end && !copied; i++)
        needs = needs || is_diagonal(x->kid[i]) || x->kid[i]->op == SPL_PERM
                || (x->kid[i]->op == SPL_GATH && !c->left);
    return needs;
}

static int first_move(const spl *x, const chain *c)
{
    int i = c->first;

    while (spl_is_pair_view(x->kid[i]))
        i++;
    return i;
}

/* The factor on whose right the copy stage is inserted: a diagonal merges into the stage on its
 * right. */
static int before_copy(const spl *x, const chain *c)
{
    int at = c->first - 1;

    for (int i = c->first; i < c->end; i++)
        if (c->left ? !spl_is_pair_view(x->kid[i]) : is_diagonal(x->kid[i]))
            at = i;
    return at;
}

/* A copy stage for the elements of x, a factor of a product, on l columns: complex numbers, or
 * reals that the adjacent factor views as pairs. */
static const spl *copy_stage(const sched_target *t, const spl *x, const spl *adjacent, int64_t l,
                             sched_tags tags)
{
    const bool pairs = !is_diagonal(x) && spl_is_pair_view(adjacent);
    const int64_t points = x->rows * l, m = pairs ? points / 2 : points;
    /* distributed lanes could not be split at the middle of a fold */
    const spl *copy = sched_copy_stage(t, m, tags == SCHED_PARTS ? SCHED_LANES : tags);
    const spl *const factors[] = {spl_retyped(t->ctx, SPL_RETYPE_UNVIEW, m), copy,
                                  spl_retyped(t->ctx, SPL_RETYPE_VIEW, m)};

    return pairs ? spl_mul(t->ctx, 3, factors) : copy;
}

/* A move (x) I_l as a gather, which merges into the stage on its left. */
static const spl *gather_of(const sched_target *t, const spl *x, int64_t l)
{
    return spl_gather(t->ctx, ix_tensor(t->ctx, x->f, ix_id(t->ctx, l)), SPL_PLAIN);
}

/* Is this a fold of pairs of reals, without factors? Its copy stage keeps the pairs on its own side
 * of the fold, so that elements are adjacent on both sides, one part of them in reverse order. */
static bool is_fold_of_pairs(const spl *x, const chain *c, int i)
{
    bool alone = x->kid[i]->op == SPL_PERM && spl_is_pair_view(x->kid[c->left ? i + 1 : i - 1]);

    for (int k = c->first; k < c->end; k++)
        alone = alone && (k == i || spl_is_pair_view(x->kid[k]));
    return alone;
}

bool sched_is_fold(const spl *x, int i)
{
    return (is_move(x->kid[i]) || is_diagonal(x->kid[i])) && chain_of(x, i).found;
}

const spl *sched_expand_fold(const sched_target *t, const spl *x, int i, int64_t l, sched_tags tags,
                             bool roots)
{
    const chain c = chain_of(x, i);
    const spl *own = x->kid[i], *all = spl_kron2(t->ctx, own, spl_identity(t->ctx, l));
    const bool has_neighbour = c.left ? !t->around.is_last || sched_has_stage(x, 0, c.first)
                                      : !t->around.is_first || sched_has_stage(x, c.end, x->nkids);
    const bool merges = has_neighbour && can_merge(x, &c, l, roots);

    /* Work-items of groups have an address for every row. */
    if (sched_has_groups(t) && (l > 1 || tags == SCHED_PARTS) && can_merge(x, &c, l, false))
        return all;
    if (is_move(own) && c.left == merges)
        all = gather_of(t, own, l);
    if (merges || !needs_stage(x, &c))
        return all;
    if (l == 1 && is_fold_of_pairs(x, &c, i) && c.left)
        return spl_mul2(t->ctx, copy_stage(t, own, x->kid[i + 1], l, tags), gather_of(t, own, l));
    if (l == 1 && is_fold_of_pairs(x, &c, i))
        return spl_mul2(t->ctx, own, copy_stage(t, own, x->kid[i - 1], l, tags));
    const int at = before_copy(x, &c);
    if (i == at)
        return spl_mul2(t->ctx, all, copy_stage(t, own, x->kid[i + 1], l, tags));
    return at < c.first && i == first_move(x, &c)
               ? spl_mul2(t->ctx, copy_stage(t, own, x->kid[i - 1], l, tags), all)
               : all;
}
