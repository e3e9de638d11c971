// SPDX-License-Identifier: BSD-3-Clause
/* The driver from a complete tagged formula to Sigma-SPL. At every node it applies the first rule
 * of the table whose guard holds, then converts the operands inside the result. A rule numbers the
 * loops that it makes by the height of the formula inside, which may grow when that is converted;
 * so loops are renumbered: an outer loop's variable is above all inner ones. */
#include "spl/rules/sigma.h"

#include "spl/formula/source_offset.h"
#include "spl/rules/rewrite.h"

static const spl *convert_formula(spl_ctx *ctx, const spl *x, int top);

/* ---- loops ---- */

typedef struct renaming {
    int from, to; /* loop variables */
    int64_t n;    /* values of the variable: 0 .. n-1 */
} renaming;

static const spl *rename_variable(spl_ctx *ctx, const spl *x, const void *arg)
{
    const renaming *r = arg;
    if (x == NULL || r->from == r->to)
        return x;
    if (x->op == SPL_LOOP) {
        spl_range range = spl_range_of(x);
        if (range.share_var == r->from)
            range.share_var = r->to;
        return spl_sum(ctx, &range, rename_variable(ctx, x->kid[0], r));
    }
    if (x->f == NULL || !ix_uses(x->f, r->from))
        return spl_map(ctx, x, rename_variable, r);
    const ix *f = ix_split_var(ctx, x->f, r->from, r->to, r->n, 1, r->to, 1, 0);
    switch (x->op) {
    case SPL_GATH: return spl_gather(ctx, f, spl_move_class(x));
    case SPL_SCAT: return spl_scatter(ctx, f, spl_move_class(x));
    case SPL_PAIR:
        return spl_pair_kernel(ctx, spl_pairs_kind_of(x), spl_pair_role(x), spl_pairs_points(x), f);
    default: return spl_diag_of(ctx, x, f);
    }
}

/* During the conversion of the body the variable is top - 1, above all variables that the body may
 * bind. */
static const spl *convert_loop(spl_ctx *ctx, const spl *x, int top)
{
    spl_range range = spl_range_of(x);
    const int own = range.var, high = top - 1;
    if (high < spl_height(x->kid[0]))
        return spl_refuse(ctx, SLUICE_E_UNSUPPORTED, "more than %d loops inside each other",
                          IX_MAX_VARS);
    const renaming lift = {own, high, range.n};
    const spl *body = convert_formula(ctx, rename_variable(ctx, x->kid[0], &lift), high);
    range.var = spl_height(body) > own ? spl_height(body) : own;
    return spl_sum(ctx, &range, rename_variable(ctx, body, &(renaming){high, range.var, range.n}));
}

/* ---- refusals ---- */

static const spl *refuse_formula(spl_ctx *ctx, const spl *x)
{
    const spl *base = spl_untagged(x);
    for (const spl_rule *const *rule = spl_rules; *rule != NULL; rule++)
        if ((*rule)->explains != NULL && (*rule)->explains(x))
            return spl_rule_apply(ctx, *rule, x, &(spl_params){{0}});
    if (base->op != SPL_TRANSFORM)
        return spl_refuse(ctx, SLUICE_E_UNSUPPORTED, "leaf is a tag of transforms only");
    return spl_refuse(ctx, SLUICE_E_UNSUPPORTED, "%s(%lld) is neither broken down nor marked leaf",
                      spl_transform_of(spl_transform_kind(base))->word,
                      (long long)spl_transform_size(base));
}

/* ---- the driver ---- */

static const spl *convert_factor(spl_ctx *ctx, const spl *kid, const void *top)
{
    return convert_formula(ctx, kid, *(const int *)top);
}

static const spl *convert_node(spl_ctx *ctx, const spl *x, int top)
{
    switch (x->op) {
    case SPL_I:
    case SPL_PERM:
    case SPL_DIAG_OF:
    case SPL_GATH:
    case SPL_SCAT: return x;
    case SPL_RETYPE:
        return spl_retype_kind(x) == SPL_RETYPE_CONJ ? spl_movement_to_sigma(ctx, x, 1, 1) : x;
    case SPL_LOOP: return convert_loop(ctx, x, top);
    case SPL_MUL:
    case SPL_PLUS: return spl_map(ctx, x, convert_factor, &top);
    default: break;
    }
    if (spl_is_leaf(x))
        return x;
    const spl_rule_group group = x->op == SPL_TAG ? SPL_TAGGING : SPL_SIGMA;
    const spl_params none = {{0}};
    for (const spl_rule *const *rule = spl_rules; *rule != NULL; rule++)
        if ((*rule)->group == group && (*rule)->guard(x, &none, NULL)) {
            const spl *made = (*rule)->build(ctx, x, &none);
            return made == x ? x : convert_formula(ctx, made, top);
        }
    return refuse_formula(ctx, x);
}

static const spl *convert_formula(spl_ctx *ctx, const spl *x, int top)
{
    const spl *made = x == NULL ? NULL : convert_node(ctx, x, top);
    if (made == NULL)
        spl_blame(ctx, x);
    return made;
}

const spl *spl_to_sigma(spl_ctx *ctx, const spl *x)
{
    return convert_formula(ctx, x, IX_MAX_VARS);
}
