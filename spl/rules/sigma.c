// SPDX-License-Identifier: BSD-3-Clause
/* From a complete tagged formula to Sigma-SPL: the driver. At every node the first rule of the
 * table whose guard holds is applied; the rules convert what is inside before they make a loop
 * around it, so that an outer loop's variable is above all inner ones. */
#include "spl/rules/sigma.h"

#include "spl/formula/place.h"
#include "spl/rules/rewrite.h"

static const spl *kid_to_sigma(spl_ctx *ctx, const spl *kid, const void *arg)
{
    (void)arg;
    return spl_to_sigma(ctx, kid);
}

/* The rule whose sentence tells best why {x}_tag has no form. */
static const spl_rule *refuser(const spl_view *v)
{
    switch (v->outer.kind) {
    case SPL_TAG_SPE:
        return v->what == SPL_IS_KRON && !spl_deals_rows(v) ? &spl_tag_7u : &spl_tag_6;
    case SPL_TAG_STREAM: return &spl_tag_9;
    case SPL_TAG_LOCAL: return &spl_tag_local;
    case SPL_TAG_TILE: return &spl_tag_tile_none;
    default: return &spl_tag_vec_leaf;
    }
}

static const spl *refuse(spl_ctx *ctx, const spl *x)
{
    const spl_view v = spl_look(x);
    if (v.outer.kind != SPL_TAG_COUNT && v.outer.kind != SPL_TAG_LEAF)
        return spl_rule_apply(ctx, refuser(&v), x, &(spl_params){{0}});
    if (v.base->op != SPL_TRANSFORM)
        return spl_refuse(ctx, SLUICE_E_UNSUPPORTED, "leaf is a tag of transforms only");
    return spl_refuse(ctx, SLUICE_E_UNSUPPORTED, "%s(%lld) is neither broken down nor marked leaf",
                      spl_transform_of((spl_kind)v.base->a[1])->word, (long long)v.base->a[0]);
}

static const spl *to_sigma(spl_ctx *ctx, const spl *x)
{
    switch (x->op) {
    case SPL_I:
    case SPL_RETYPE:
    case SPL_PERM:
    case SPL_DIAG:
    case SPL_GATH:
    case SPL_SCAT: return x;
    case SPL_MUL:
    case SPL_PLUS:
    case SPL_LOOP: return spl_map(ctx, x, kid_to_sigma, NULL);
    default: break;
    }
    if (spl_is_leaf(x))
        return x;
    const spl_phase phase = x->op == SPL_TAG ? SPL_TAGGING : SPL_SIGMA;
    const spl_params none = {{0}};
    for (const spl_rule *const *rule = spl_rules; *rule != NULL; rule++)
        if ((*rule)->phase == phase && (*rule)->guard(x, &none, NULL))
            return (*rule)->build(ctx, x, &none);
    return refuse(ctx, x);
}

const spl *spl_to_sigma(spl_ctx *ctx, const spl *x)
{
    const spl *made = x == NULL ? NULL : to_sigma(ctx, x);
    if (made == NULL)
        spl_blame(ctx, x);
    return made;
}
