// SPDX-License-Identifier: BSD-3-Clause
/* local(bytes): a stream whose s is derived from the capacity of a local store. Formulas do not
 * know how many bytes an element has. Planners do: they apply this rule, so that their formulas
 * have stream(s). */
#include "spl/rules/tags/rules_local.h"

#include <string.h>

#include "spl/rules/rewrite.h"

/* Blocks that a store holds at once: two that are being filled, two that are being emptied, and two
 * between the stages of a product. */
enum { LEAF_BLOCKS = 4, PRODUCT_BLOCKS = 6 };

/* {base}_{inner.., local, outer..} */
typedef struct place {
    spl_view v;
    int at;           /* of local in the list */
    int64_t p;        /* parts that each have a stream of their own: spe outside */
    int64_t capacity; /* complex numbers in all stores that hold a block together: spe inside */
    const spl_tag *tags;
    int ntags;
} place;

static place describe_local(const spl *x, int64_t element)
{
    place l = {.v = spl_view_of(x), .at = -1, .p = 1, .tags = x->tag, .ntags = x->ntags};

    for (int i = 0; i < x->ntags; i++)
        if (x->tag[i].kind == SPL_TAG_LOCAL)
            l.at = i;
    for (int i = 0; i < x->ntags; i++)
        if (l.at >= 0 && x->tag[i].kind == SPL_TAG_SPE && i > l.at)
            l.p = x->tag[i].a[0];
    l.capacity = l.at < 0 || element < 1 ? 0 : x->tag[l.at].a[0] / element;
    for (int i = 0; i < l.at; i++)
        if (x->tag[i].kind == SPL_TAG_SPE && l.capacity <= INT64_MAX / x->tag[i].a[0])
            l.capacity *= x->tag[i].a[0];
    return l;
}

static bool block_fits(const place *l, int64_t block)
{
    const bool leaf = spl_view_leaf(&l->v);

    return (block + SPL_STORE_ALIGN - 1) / SPL_STORE_ALIGN * SPL_STORE_ALIGN
           <= l->capacity / (leaf ? LEAF_BLOCKS : PRODUCT_BLOCKS);
}

/* The size of the larger side of one of n equal parts of x, in complex numbers: two reals count as
 * one; elements of either type count as complex. */
static int64_t places_of(const spl *x, int64_t n)
{
    const int64_t rows = x->rows / n, cols = x->cols / n;
    const int64_t out = x->to == SPL_TYPE_REAL ? (rows + 1) / 2 : rows;
    const int64_t in = x->from == SPL_TYPE_REAL ? (cols + 1) / 2 : cols;

    return in > out ? in : out;
}

/* The least divisor s of n such that n/s rows or columns of `unit` numbers fit; 0: none. */
static int64_t find_least_divisor(const place *l, int64_t n, int64_t unit)
{
    int64_t best = 0;

    for (int64_t d = 1; d <= n / d; d++) {
        if (n % d != 0)
            continue;
        if (block_fits(l, n / d * unit))
            return d;
        if (block_fits(l, d * unit))
            best = n / d;
    }
    return best;
}

/* s; 0: not even one row or column fits, or there is nothing to stream. If shares are uneven, one
 * row or column is copied at a time. */
static int64_t derive_block_count(const place *l)
{
    const spl_view *v = &l->v;
    const int64_t p = l->p;

    if (l->p == 1 && block_fits(l, places_of(v->base, 1)))
        return 1;
    if (v->shape != SPL_SHAPE_KRON)
        return 0;
    const bool by_rows = spl_takes_rows(v, p);
    const int64_t n = by_rows ? v->a : v->b, unit = places_of(v->base, n);
    if (n % p != 0)
        return block_fits(l, unit) ? (n + p - 1) / p : 0;
    const int64_t s = find_least_divisor(l, n / p, unit);
    /* the stream rules take rows only if there are s of them */
    return by_rows || v->a == 1 || s > v->a ? s : 0;
}

static bool guard_tag_local(const spl *x, const spl_params *p, const char **refusal)
{
    const place l = describe_local(x, p->v[0]);
    const spl_view *v = &l.v;

    if (!spl_unless(refusal, l.at >= 0, "there is no tag local")
        || !spl_unless(refusal, p->v[0] > 0,
                       "the bytes of an element are not known: the planner derives s"))
        return false;
    for (int i = 0; i < x->ntags; i++) {
        const spl_nest *nest = spl_nest_of(SPL_TAG_LOCAL, x->tag[i].kind);
        if (i != l.at && !spl_unless(refusal, i > l.at || nest->allowed, nest->reason))
            return false;
    }
    if (v->shape == SPL_SHAPE_MOVEMENT || v->shape == SPL_SHAPE_PRODUCT)
        return true;
    return spl_unless(refusal, derive_block_count(&l) > 0,
                      "a row or column does not fit the local store with the buffers that rotate, "
                      "or there is nothing to stream");
}

static const spl *replace_local(spl_ctx *ctx, const spl *x, const place *l, int64_t s)
{
    spl_tag tags[SPL_MAX_TAGS];

    memcpy(tags, x->tag, (size_t)x->ntags * sizeof *tags);
    tags[l->at] = (spl_tag){.kind = SPL_TAG_STREAM, .a = {s, 0}};
    return spl_tagged(ctx, spl_untagged(x), x->ntags, tags);
}

typedef struct spread {
    const spl *tagged;
    const spl_params *p;
} spread;

static const spl *derive_in_factor(spl_ctx *ctx, const spl *kid, const void *arg)
{
    const spread *s = arg;

    if (spl_is_data_movement(kid))
        return kid;
    return spl_rule_apply(ctx, &spl_tag_local,
                          spl_tagged(ctx, kid, s->tagged->ntags, s->tagged->tag), s->p);
}

static const spl *build_tag_local(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const place l = describe_local(x, p->v[0]);
    const int64_t s = l.v.shape == SPL_SHAPE_MOVEMENT ? 1 : derive_block_count(&l);

    if (s > 0)
        return replace_local(ctx, x, &l, s);
    const spl *product = spl_view_mid(ctx, &l.v);
    if (product != NULL && product->op == SPL_KRON)
        product = spl_row_column_of(ctx, product->nkids, product->kid);
    return product == NULL ? NULL : spl_map(ctx, product, derive_in_factor, &(spread){x, p});
}

static int list_choices_tag_local(const spl *x, spl_params *out, int max)
{
    int count = 0;

    for (int64_t element = 8; element <= 16 && count < max; element *= 2)
        if (guard_tag_local(x, &(spl_params){{element}}, NULL))
            out[count++] = (spl_params){{element}};
    return count;
}

static const char *const cases_tag_local[] = {
    "(I(64) (x) DFT(4)_{leaf})_{local(4096)}",
    "(DFT(4)_{leaf} (x) I(64))_{vec(2,inter),local(4096)}",
    "(I(16) (x) DFT(3)_{leaf} (x) I(8))_{local(8192),spe(2,2)}",
    "(I(7) (x) DFT(16)_{leaf})_{local(8192),spe(2,1)}",
    "((DFT(8)_{leaf} (x) I(16)) * T(8,16) * (I(8) (x) DFT(16)_{leaf}) * "
    "L(128,8))_{local(4096)}",
    "((DFT(8)_{leaf} (x) I(16)) * T(8,16) * (I(8) (x) DFT(16)_{leaf}) * L(128,8))"
    "_{spe(2,2),local(8192)}",
    "(DFT(8)_{leaf} (x) DFT(16)_{leaf})_{local(4096),spe(2,1)}",
    "L(8,2)_{local(64)}",
    "DFT(8)_{leaf,local(65536)}",
    "DFT(64)_{leaf,local(64)}",
    "(I(64) (x) DFT(4)_{leaf})_{stream(4),local(4096)}",
    "(I(64) (x) DFT(4)_{leaf})_{stream(4)}",
    "(I(64) (x) RDFT(8)_{leaf})_{local(4096)}",
    NULL};
static const spl_params element_bytes[] = {{{8}}, {{0}}};

static bool explains_tag_local(const spl *x)
{
    return spl_view_of(x).outer.kind == SPL_TAG_LOCAL;
}

const spl_rule spl_tag_local = {
    .name = "local",
    .group = SPL_TAGGING,
    .formula = "{A}_local(b) -> {A}_stream(s), s the least divisor for which 4 blocks (6 of a "
               "product) fit b bytes; products that do not fit whole: each factor its own s",
    .reference = "Spiral for the Cell, 3.2; buffers of the multibuffer schedule",
    .params = "v = {bytes of a complex number}",
    .guard = guard_tag_local,
    .build = build_tag_local,
    .explains = explains_tag_local,
    .choices = list_choices_tag_local,
    .cases = cases_tag_local,
    .case_params = element_bytes,
};

const spl *spl_derive_streams(spl_ctx *ctx, const spl *x, int64_t element)
{
    const spl_params params = {{element}};

    return x != NULL && spl_has_tag(x, SPL_TAG_LOCAL)
               ? spl_rule_apply(ctx, &spl_tag_local, x, &params)
               : x;
}
