// SPDX-License-Identifier: BSD-3-Clause
/* The table of all rules, and what concerns them all. */
#include <stddef.h>
#include <string.h>

#include "spl/rules/rewrite.h"

const spl_rule *const spl_rules[] = {
#define SPL_RULE(name) &name,
#include "spl/rules/rules.list"
#undef SPL_RULE
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

bool spl_rule_case(spl_ctx *ctx, const spl_rule *rule, int i, const spl **x, spl_params *p)
{
    int sets = 0;
    *p = (spl_params){{0}};
    if (rule->test_case != NULL)
        return rule->test_case(ctx, i, x, p);
    while (rule->case_params != NULL && rule->case_params[sets].v[0] != 0)
        sets++;
    if (sets == 0)
        return spl_text_case(ctx, rule->cases, i, x);
    *p = rule->case_params[i % sets];
    return spl_text_case(ctx, rule->cases, i / sets, x);
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
