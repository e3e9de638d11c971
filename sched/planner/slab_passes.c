// SPDX-License-Identifier: BSD-3-Clause
#include "sched/planner/slab_passes.h"

#include "spl/rules/rewrite.h"

/* Kinds whose fold is of what they read, and their rules: PAIRS DFT, then perhaps a permutation. */
static const struct {
    spl_kind kind;
    const spl_rule *rule;
} passes[] = {{SPL_DCT2, &spl_dct2_columns}, {SPL_DHT, &spl_dht_columns}};

static const spl_rule *rule_of(spl_kind kind)
{
    for (size_t i = 0; i < sizeof passes / sizeof passes[0]; i++)
        if (passes[i].kind == kind)
            return passes[i].rule;
    return NULL;
}

/* A loop splits at the middle of a fold only if its number of rows is even. */
bool sched_slab_suits(spl_kind kind, int64_t rows)
{
    return kind <= SPL_IDFT || (rule_of(kind) && rows % 2 == 0);
}

/* The right-hand side of the rule; NULL: the kind has none. */
static const spl *product_of(sched_target *t, spl_kind kind, int64_t n)
{
    const spl_rule *rule = rule_of(kind);

    return rule ? spl_rule_apply(t->ctx, rule, spl_transform_node(t->ctx, kind, n), NULL) : NULL;
}

const spl *sched_slab_left(sched_target *t, spl_kind kind, int64_t n, int64_t columns,
                           sched_tags tags)
{
    const spl *x = product_of(t, kind, n);

    return x ? sched_with_columns(t, spl_kron2(t->ctx, x->kid[0], spl_identity(t->ctx, columns)), 0,
                                  tags)
             : NULL;
}

const spl *sched_slab_right(sched_target *t, spl_kind kind, int64_t n, int64_t columns, int64_t pre)
{
    const spl *x = product_of(t, kind, n);

    if (!x || x->nkids < 3)
        return spl_identity(t->ctx, pre * n * columns);
    return spl_kron2(t->ctx, spl_identity(t->ctx, pre),
                     spl_kron2(t->ctx, x->kid[2], spl_identity(t->ctx, columns)));
}
