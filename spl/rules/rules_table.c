// SPDX-License-Identifier: BSD-3-Clause
/* The table of all rules, and what concerns them all. */
#include <stddef.h>
#include <string.h>

#include "spl/rules/rewrite.h"

/* Phase by phase; tag and sigma rules in the order in which they are asked. */
const spl_rule *const spl_rules[] = {
    &spl_dft_ct,
    &spl_dft_dif,
    &spl_dft_stockham,
    &spl_dft_sixstep,
    &spl_dft_coprime,
    &spl_dft_bluestein,
    &spl_dft_rader,
    &spl_convolution_blocks,
    &spl_chirp_ends,
    &spl_dft_tiles,
    &spl_slab,
    &spl_row_column,
    /* tags */
    &spl_tag_drop,
    &spl_tag_12c,
    &spl_tag_stream1,
    &spl_tag_product,
    &spl_tag_local,
    &spl_tag_6,
    &spl_tag_6i,
    &spl_tag_11,
    &spl_tag_11u,
    &spl_tag_7,
    &spl_tag_7s,
    &spl_tag_7g,
    &spl_tag_7u,
    &spl_tag_9,
    &spl_tag_9u,
    &spl_tag_10,
    &spl_tag_10u,
    &spl_tag_tile,
    &spl_tag_tile_rows,
    &spl_tag_tile_none,
    &spl_tag_vec_columns,
    &spl_tag_vec_rows,
    &spl_tag_vec_product,
    &spl_tag_vec_inside,
    &spl_tag_vec_leaf,
    /* constructs */
    &spl_sigma_mono,
    &spl_sigma_row_column,
    &spl_sigma_rows,
    &spl_sigma_columns,
    &spl_sigma_sum,
    /* merging */
    &spl_merge_rules[0],
    &spl_merge_rules[1],
    &spl_merge_rules[2],
    &spl_merge_rules[3],
    &spl_merge_rules[4],
    &spl_merge_rules[5],
    &spl_merge_rules[6],
    &spl_merge_rules[7],
    &spl_merge_rules[8],
    &spl_merge_rules[9],
    /* vectors */
    &spl_vector_rules[0],
    &spl_vector_rules[1],
    &spl_vector_rules[2],
    &spl_vector_rules[3],
    &spl_vector_rules[4],
    &spl_vector_rules[5],
    &spl_vector_rules[6],
    NULL,
};

const spl_rule *spl_rule_find(const char *name)
{
    for (const spl_rule *const *rule = spl_rules; *rule != NULL; rule++)
        if (strcmp((*rule)->name, name) == 0)
            return *rule;
    return NULL;
}

const spl *spl_rule_apply(spl_ctx *ctx, const spl_rule *rule, const spl *x, const spl_params *p)
{
    const char *refusal = "it does not match";
    if (x == NULL)
        return NULL;
    if (!rule->guard(x, p, &refusal))
        return spl_refuse(ctx, SLUICE_E_UNSUPPORTED, "rule %s: %s", rule->name, refusal);
    return rule->build(ctx, x, p);
}

static const spl *mark_kid(spl_ctx *ctx, const spl *kid, const void *arg)
{
    (void)arg;
    return spl_mark_leaves(ctx, kid);
}

const spl *spl_mark_leaves(spl_ctx *ctx, const spl *x)
{
    static const spl_tag leaf = {.kind = SPL_TAG_LEAF};
    if (x == NULL || spl_has_tag(x, SPL_TAG_LEAF))
        return x;
    if (x->op == SPL_TRANSFORM)
        return spl_tagged(ctx, x, 1, &leaf);
    return spl_map(ctx, x, mark_kid, NULL);
}

bool spl_complete(const spl *x)
{
    if (x->op == SPL_TRANSFORM)
        return false;
    if (spl_has_tag(x, SPL_TAG_LOCAL))
        return false;
    if (spl_has_tag(x, SPL_TAG_LEAF))
        return x->kid[0]->op == SPL_TRANSFORM;
    for (int i = 0; i < x->nkids; i++)
        if (!spl_complete(x->kid[i]))
            return false;
    return true;
}
