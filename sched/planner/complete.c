// SPDX-License-Identifier: BSD-3-Clause
/* Completes formulas that were read as text: transforms without tags get trees chosen by the
 * planner. */
#include "sched/planner/find.h"
#include "sched/planner/formula.h"
#include "sched/planner/groups.h"
#include "sched/planner/streams.h"
#include "spl/codelet/codelet.h"
#include "spl/formula/source_offset.h"
#include "spl/rules/rewrite.h"
#include "spl/rules/tags/rules_local.h"

enum { MAX_KIDS = 64 };

/* Columns that the tags of a transform require in each of its stages: p packets of mu, or s. */
static int64_t required_columns(const spl *x)
{
    int64_t max = 0;

    for (int i = 0; x->kid[0]->op == SPL_TRANSFORM && i < x->ntags; i++) {
        const spl_tag *tag = &x->tag[i];
        int64_t columns = 0;
        if (tag->kind == SPL_TAG_SPE && tag->a[1] <= INT64_MAX / tag->a[0])
            columns = tag->a[0] * tag->a[1];
        if (tag->kind == SPL_TAG_STREAM && tag->a[0] > 1)
            columns = tag->a[0];
        max = columns > max ? columns : max;
    }
    return max;
}

/* A transform without tags, by its cheapest tree. */
static const spl *expand_cheapest(const sched_target *t, const spl *x)
{
    const sched_place at = {.kind = spl_transform_kind(x),
                            .type = x->from != SPL_TYPE_ANY ? x->from : t->around.type,
                            .n = spl_transform_size(x),
                            .columns = 1,
                            .batch = 1};
    sched_target own = *t;
    sched_list list;

    if (at.n == 1 && spl_is_dft(x))
        return spl_identity(t->ctx, 1);
    sched_find_trees(t, &at, &list);
    if (spl_ctx_status(t->ctx, NULL) != SLUICE_OK || list.count == 0)
        return NULL;
    if (t->comments)
        sched_explain_list(at.kind, &list, list.tree[0], t->comments);
    own.around.is_first = own.around.is_last = true;
    return sched_expand(&own, list.tree[0], at.kind, 1, SCHED_LANES);
}

/* I_a (x) DFT_n (x) I_b without tags, outside of distributed loops, by its cheapest tree for
 * groups; NULL: x has another form. */
static const spl *expand_in_groups(const sched_target *t, const spl *x)
{
    const spl_view v = spl_view_of(x);
    const spl *middle = v.nmid == 1 ? v.mid[0] : v.base;
    sched_list list;

    if (!sched_has_groups(t) || t->around.inside_parts || v.nmid > 1 || v.nrest > 0
        || v.outer.kind != SPL_TAG_COUNT || !spl_is_dft(middle) || spl_transform_size(middle) == 1)
        return NULL;
    const sched_place at = {.kind = spl_transform_kind(middle),
                            .type = SPL_TYPE_COMPLEX,
                            .n = spl_transform_size(middle),
                            .columns = v.b,
                            .batch = v.a};
    sched_groups_find(t, &at, &list);
    if (list.count > 0 && t->comments)
        sched_explain_list(at.kind, &list, list.tree[0], t->comments);
    return list.count > 0 ? sched_groups_expand(t, list.tree[0], at.kind, v.a, v.b) : NULL;
}

/* Completes the operands of x, each in the place that x makes for it. */
static void complete_kids(const sched_target *t, const spl *x, const spl **kids)
{
    sched_target own = *t;

    own.around.min_columns = x->op == SPL_TAG ? required_columns(x) : 0;
    own.around.inside_parts =
        t->around.inside_parts || (x->op == SPL_TAG && spl_has_tag(x, SPL_TAG_SPE));
    if (x->op == SPL_TAG && spl_has_tag(x, SPL_TAG_VEC)) {
        own.around.inside_vec = true;
        own.vec_lanes = 1;
    }
    for (int i = 0; i < x->nkids; i++) {
        /* The right factor of a tensor product has no columns and stays contiguous; permutations
         * may stand between the factors of a product. */
        own.around.contiguous =
            t->around.contiguous && x->op != SPL_MUL && (x->op != SPL_KRON || i == x->nkids - 1);
        kids[i] = sched_complete(&own, x->kid[i]);
        if (x->op == SPL_MUL)
            own.around.type = sched_type_before(x->kid[i], own.around.type);
    }
}

static const spl *complete_node(const sched_target *t, const spl *x)
{
    const spl *kids[MAX_KIDS];
    const int64_t element = sched_complex_bytes(t->precision);
    const spl *grouped = expand_in_groups(t, x);

    if (grouped)
        return grouped;
    if (x->op == SPL_TRANSFORM)
        return expand_cheapest(t, x);
    if (x->op == SPL_TAG && spl_has_tag(x, SPL_TAG_LEAF))
        return spl_derive_streams(t->ctx, x, element);
    if (x->nkids == 0 || x->op == SPL_LOOP)
        return x;
    if (x->nkids > MAX_KIDS)
        return spl_refuse(t->ctx, SLUICE_E_UNSUPPORTED, "a product of more than %d factors",
                          MAX_KIDS);
    complete_kids(t, x, kids);
    const spl *all = spl_with_kids(t->ctx, x, kids);
    return x->op == SPL_TAG ? spl_derive_streams(t->ctx, all, element) : all;
}

/* Replaces transforms without tags; tags and leaves stay. */
const spl *sched_complete(const sched_target *t, const spl *x)
{
    const spl *made = x ? complete_node(t, x) : NULL;

    if (made)
        spl_source_like(t->ctx, made, x);
    else
        spl_blame(t->ctx, x);
    return made;
}
