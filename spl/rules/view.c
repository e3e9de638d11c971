// SPDX-License-Identifier: BSD-3-Clause
/* The view that a rule has of a node: tags, outer identities, and the operator between them. */
#include "spl/rules/rewrite.h"

/* Splits the outer identities off a Kronecker product. */
static void split_outer_identities(spl_view *v)
{
    const spl *x = v->base;
    int first = 0, last = x->nkids;
    while (first < last && x->kid[first]->op == SPL_I)
        v->a *= x->kid[first++]->rows;
    while (last > first && x->kid[last - 1]->op == SPL_I)
        v->b *= x->kid[--last]->rows;
    v->mid = x->kid + first;
    v->nmid = last - first;
}

static spl_shape shape_of(const spl_view *v, bool leaf)
{
    if (spl_is_data_movement(v->base))
        return SPL_SHAPE_MOVEMENT;
    if (v->a > 1 || v->b > 1)
        return SPL_SHAPE_KRON;
    if (v->base->op == SPL_MUL || v->base->op == SPL_KRON)
        return SPL_SHAPE_PRODUCT;
    return leaf ? SPL_SHAPE_LEAF : SPL_SHAPE_OTHER;
}

spl_view spl_view_of(const spl *x)
{
    spl_view v = {.base = spl_untagged(x), .outer = {.kind = SPL_TAG_COUNT}, .a = 1, .b = 1};
    const bool tagged = x->op == SPL_TAG;
    const bool marked = tagged && x->tag[0].kind == SPL_TAG_LEAF && v.base->op == SPL_TRANSFORM;
    if (tagged) {
        v.rest = x->tag;
        v.nrest = x->ntags;
        if (x->ntags > (marked ? 1 : 0))
            v.outer = x->tag[--v.nrest];
    }
    if (v.base->op == SPL_KRON) {
        split_outer_identities(&v);
    } else if (v.base->op == SPL_DSUM && spl_all_equal(v.base)) {
        v.a = v.base->nkids;
        v.mid = v.base->kid;
        v.nmid = 1;
    }
    v.m = v.base->rows / (v.a * v.b);
    v.shape = shape_of(&v, marked || v.base->op == SPL_PAIR);
    return v;
}

const spl *spl_view_mid(spl_ctx *ctx, const spl_view *v)
{
    if (v->nmid == 0)
        return v->base;
    return v->nmid == 1 ? v->mid[0] : spl_row_column_of(ctx, v->nmid, v->mid);
}

const spl *spl_view_inner(spl_ctx *ctx, const spl_view *v, int64_t a, int64_t b, int nrest)
{
    const spl *const kids[] = {spl_identity(ctx, a), spl_view_mid(ctx, v), spl_identity(ctx, b)};
    return spl_tagged(ctx, spl_kron(ctx, 3, kids), nrest, v->rest);
}

bool spl_view_leaf(const spl_view *v)
{
    return v->shape == SPL_SHAPE_LEAF || (v->nmid == 1 && spl_is_leaf(v->mid[0]));
}

bool spl_takes_rows(const spl_view *v, int64_t count)
{
    return v->a > 1 && (v->a >= count || v->b == 1);
}

const spl_tag *spl_view_rest(const spl_view *v, spl_tag_kind kind)
{
    for (int i = v->nrest - 1; i >= 0; i--)
        if (v->rest[i].kind == kind)
            return &v->rest[i];
    return NULL;
}

void spl_range_lanes(spl_range *range, const spl_view *v)
{
    const spl_tag *vec = spl_view_rest(v, SPL_TAG_VEC);
    if (vec == NULL)
        return;
    range->kind = SPL_VEC;
    range->nu = vec->a[0];
    range->format = (int)vec->a[1];
    if (range->share_var >= 0 && range->grain == 1)
        range->grain = vec->a[0];
}
