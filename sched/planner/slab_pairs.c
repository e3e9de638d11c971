// SPDX-License-Identifier: BSD-3-Clause
/* The pairs, order and fold of an axis with slabs, from the rules of the kinds that have them. */
#include "sched/planner/slab_pairs.h"

#include "spl/rules/breakdown/recipe.h"

/* Kinds with a fold of what they read, and their rules. A right-hand side may also have an order J
 * of the results of PAIRS DFT, and signs and a permutation of its input. */
static const struct {
    spl_kind kind;
    const spl_rule *rule;
} with_folds[] = {
    {SPL_DCT2, &spl_dct2_columns}, {SPL_DST2, &spl_dst2_columns}, {SPL_DHT, &spl_dht_columns}};

static const spl_rule *rule_of(spl_kind kind)
{
    for (size_t i = 0; i < sizeof with_folds / sizeof with_folds[0]; i++)
        if (with_folds[i].kind == kind)
            return with_folds[i].rule;
    return NULL;
}

/* A loop can be split at the middle of a fold only if its number of rows is even. */
bool sched_slab_suits(spl_kind kind, int64_t rows)
{
    return spl_is_dft_kind(kind) || (rule_of(kind) && rows % 2 == 0);
}

/* The right-hand side of the rule; NULL: the kind has none. */
static const spl *product_of(const sched_target *t, spl_kind kind, int64_t n)
{
    const spl_rule *rule = rule_of(kind);

    return rule ? spl_rule_apply(t->ctx, rule, spl_transform_node(t->ctx, kind, n), NULL) : NULL;
}

bool sched_slab_has_signs(spl_kind kind)
{
    return kind == SPL_DST2;
}

/* J (x) I_l, `pre` times; J reverses n rows. */
static const spl *reversed(const sched_target *t, int64_t pre, int64_t n, int64_t l)
{
    const spl *const factors[] = {spl_identity(t->ctx, pre), spl_reversal(t->ctx, n),
                                  spl_identity(t->ctx, l)};

    return spl_kron(t->ctx, 3, factors);
}

const spl *sched_slab_left(const sched_target *t, spl_kind kind, int64_t n, int64_t columns,
                           sched_tags tags)
{
    const spl *x = product_of(t, kind, n);

    if (!x)
        return NULL;
    const int at = x->kid[0]->op == SPL_PERM ? 1 : 0;
    const spl *pairs = spl_kron2(t->ctx, x->kid[at], spl_identity(t->ctx, columns));
    pairs = sched_with_columns(t, pairs, 0, tags);
    if (at == 0)
        return pairs;
    const ix *order = ix_tensor(t->ctx, x->kid[0]->f, ix_id(t->ctx, columns));
    const spl *const factors[] = {reversed(t, 1, n, columns), pairs,
                                  spl_gather(t->ctx, order, SPL_PLAIN)};
    return spl_mul(t->ctx, 3, factors);
}

const spl *sched_slab_order(const sched_target *t, spl_kind kind, int64_t pre, int64_t n, int64_t l)
{
    const spl *x = product_of(t, kind, n);

    return x && x->kid[0]->op == SPL_PERM ? reversed(t, pre, n, l)
                                          : spl_identity(t->ctx, pre * n * l);
}

const spl *sched_slab_right(const sched_target *t, spl_kind kind, int64_t n, int64_t columns,
                            int64_t pre)
{
    const spl *x = product_of(t, kind, n), *fold = x ? x->kid[x->nkids - 1] : NULL;

    if (!fold || fold->op != SPL_PERM)
        return spl_identity(t->ctx, pre * n * columns);
    return spl_kron2(t->ctx, spl_identity(t->ctx, pre),
                     spl_kron2(t->ctx, fold, spl_identity(t->ctx, columns)));
}
