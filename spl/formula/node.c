// SPDX-License-Identifier: BSD-3-Clause
/* Formula nodes: constructors of transforms, operators and tags. Every one checks its dimensions,
 * brings the node into its normal form (flat n-ary operators, one tag list), and returns the one
 * equal node of the context. */
#include "spl/context/ctx.h"

#include <string.h>

#include "core/mem.h"
#include "spl/formula/formats.h"
#include "spl/formula/node.h"

static bool same_node(const void *a, const void *b)
{
    const spl *x = a, *y = b;
    if (x->op != y->op || x->nkids != y->nkids || x->ntags != y->ntags || x->f != y->f
        || memcmp(x->a, y->a, sizeof x->a) != 0)
        return false;
    for (int i = 0; i < x->ntags; i++)
        if (x->tag[i].kind != y->tag[i].kind || x->tag[i].a[0] != y->tag[i].a[0]
            || x->tag[i].a[1] != y->tag[i].a[1])
            return false;
    for (int i = 0; i < x->nkids; i++)
        if (x->kid[i] != y->kid[i])
            return false;
    return true;
}

static uint64_t hash_node(const spl *x)
{
    uint64_t h = spl_hash((uint64_t)x->op, (uintptr_t)x->f);
    for (size_t i = 0; i < sizeof x->a / sizeof *x->a; i++)
        h = spl_hash(h, (uint64_t)x->a[i]);
    for (int i = 0; i < x->ntags; i++) {
        h = spl_hash(spl_hash(h, x->tag[i].kind), (uint64_t)x->tag[i].a[0]);
        h = spl_hash(h, (uint64_t)x->tag[i].a[1]);
    }
    for (int i = 0; i < x->nkids; i++)
        h = spl_hash(h, (uintptr_t)x->kid[i]);
    return h;
}

const spl *spl_intern(spl_ctx *ctx, const spl *x)
{
    const uint64_t hash = hash_node(x);
    const spl *known = spl_table_find(&ctx->nodes, hash, same_node, x);
    if (known != NULL)
        return known;
    spl *fresh = spl_ctx_copy(ctx, x, sizeof *x);
    if (fresh == NULL)
        return NULL;
    if (x->nkids > 0) {
        fresh->kid = spl_ctx_copy(ctx, x->kid, (size_t)x->nkids * sizeof *x->kid);
        if (fresh->kid == NULL)
            return NULL;
    }
    if (x->ntags > 0) {
        fresh->tag = spl_ctx_copy(ctx, x->tag, (size_t)x->ntags * sizeof *x->tag);
        if (fresh->tag == NULL)
            return NULL;
    }
    for (int i = 0; i < x->nkids && x->op != SPL_LOOP; i++)
        if (x->kid[i]->height > fresh->height)
            fresh->height = x->kid[i]->height;
    return spl_table_add(ctx, &ctx->nodes, hash, fresh) ? fresh : NULL;
}

const spl *spl_refuse_size(spl_ctx *ctx, const char *what, int64_t size)
{
    return spl_refuse(ctx, SLUICE_E_INVALID, "%s: %lld is not a size from 1 to 2^40", what,
                      (long long)size);
}

const spl *spl_identity(spl_ctx *ctx, int64_t n)
{
    if (!spl_is_size(n))
        return spl_refuse_size(ctx, "I", n);
    return spl_intern(ctx, &(spl){.op = SPL_I, .rows = n, .cols = n, .a = {n}});
}

const spl *spl_transform_node(spl_ctx *ctx, spl_kind kind, int64_t n)
{
    const spl_transform *t = spl_transform_of(kind);
    if (!spl_is_size(n) || n < t->least)
        return spl_refuse(ctx, SLUICE_E_INVALID, "%s: %lld is not a size from %lld to 2^40",
                          t->word, (long long)n, (long long)t->least);
    return spl_intern(ctx, &(spl){.op = SPL_TRANSFORM,
                                  .rows = spl_transform_rows(kind, n),
                                  .cols = spl_transform_cols(kind, n),
                                  .from = t->from,
                                  .to = t->to,
                                  .a = {n, kind}});
}

const spl *spl_dft(spl_ctx *ctx, int64_t n, bool inverse)
{
    return spl_transform_node(ctx, inverse ? SPL_IDFT : SPL_DFT, n);
}

bool spl_is_dft(const spl *x)
{
    return x->op == SPL_TRANSFORM
           && (spl_transform_kind(x) == SPL_DFT || spl_transform_kind(x) == SPL_IDFT);
}

typedef struct retype {
    const char *word;
    int rows, cols; /* times n */
    spl_type from, to;
} retype;

static const retype retypes[SPL_RETYPES] = {
    [SPL_RETYPE_VIEW] = {"V", 1, 2, SPL_TYPE_REAL, SPL_TYPE_COMPLEX},
    [SPL_RETYPE_UNVIEW] = {"V", 2, 1, SPL_TYPE_COMPLEX, SPL_TYPE_REAL},
    [SPL_RETYPE_EMBED] = {"EMBED", 1, 1, SPL_TYPE_REAL, SPL_TYPE_COMPLEX},
    [SPL_RETYPE_RE] = {"RE", 1, 1, SPL_TYPE_COMPLEX, SPL_TYPE_REAL},
    [SPL_RETYPE_CONJ] = {"CONJ", 1, 1, SPL_TYPE_COMPLEX, SPL_TYPE_COMPLEX},
};

const char *spl_retype_word(spl_retype how)
{
    return retypes[how].word;
}

const spl *spl_retyped(spl_ctx *ctx, spl_retype how, int64_t n)
{
    const retype *r = &retypes[how];
    if (n < 1 || n > spl_max_size / 2)
        return spl_refuse(ctx, SLUICE_E_INVALID, "%s: %lld is not a size from 1 to 2^39", r->word,
                          (long long)n);
    return spl_intern(ctx, &(spl){.op = SPL_RETYPE,
                                  .rows = r->rows * n,
                                  .cols = r->cols * n,
                                  .from = r->from,
                                  .to = r->to,
                                  .a = {n, how}});
}

const spl *spl_stride(spl_ctx *ctx, int64_t N, int64_t k)
{
    if (!spl_is_size(N))
        return spl_refuse_size(ctx, "L", N);
    if (k < 1 || N % k != 0)
        return spl_refuse(ctx, SLUICE_E_INVALID, "L(%lld,%lld): the stride must divide the size",
                          (long long)N, (long long)k);
    return spl_intern(ctx, &(spl){.op = SPL_L, .rows = N, .cols = N, .a = {N, k}});
}

/* ---- n-ary operators ---- */

/* Does `x` vanish as an operand of `op`? */
static bool is_neutral(spl_op op, const spl *x)
{
    return x->op == SPL_I && (op == SPL_MUL || (op == SPL_KRON && x->a[0] == 1));
}

static const char *type_word(spl_type type)
{
    return type == SPL_TYPE_REAL ? "reals" : "complex numbers";
}

/* Do the elements on both sides of an operator fit? */
static bool types_meet(spl_ctx *ctx, spl_op op, spl_type left, spl_type right)
{
    if (left == right || left == SPL_TYPE_ANY || right == SPL_TYPE_ANY)
        return true;
    (void)spl_refuse(ctx, SLUICE_E_INVALID, "%s: %s on the left of the operator, %s on the right",
                     op == SPL_MUL    ? "a product"
                     : op == SPL_KRON ? "a tensor product"
                                      : "a sum",
                     type_word(left), type_word(right));
    return false;
}

/* A term that acts on either type keeps it, so that it fits no sum that changes it. */
static bool keeps_type(spl_ctx *ctx, const spl *x, const spl *kid)
{
    const bool begun = x->rows > 0, changes = x->from != x->to || kid->from != kid->to;
    const bool keeps = kid->from == SPL_TYPE_ANY || (begun && x->from == SPL_TYPE_ANY);
    if (!changes || !keeps)
        return true;
    (void)spl_refuse(ctx, SLUICE_E_INVALID,
                     "a sum: one term keeps the type of its vector, another changes it");
    return false;
}

/* Adds the types of one more operand: products, and A (x) B = (A (x) I)(I (x) B), pass vectors from
 * right to left, sums take and make the same. */
static bool extend_types(spl_ctx *ctx, spl *x, const spl *kid)
{
    const bool chain = x->op == SPL_MUL || x->op == SPL_KRON;
    if (!types_meet(ctx, x->op, x->from, chain ? kid->to : kid->from)
        || (!chain && !types_meet(ctx, x->op, x->to, kid->to)))
        return false;
    if (!chain && !keeps_type(ctx, x, kid))
        return false;
    if (kid->from == SPL_TYPE_ANY)
        return true;
    x->to = x->to == SPL_TYPE_ANY || !chain ? kid->to : x->to;
    x->from = kid->from;
    return true;
}

/* Adds the dimensions of one more operand to those of *x. */
static bool extend_dimensions(spl_ctx *ctx, spl *x, const spl *kid)
{
    bool fits = true;
    if (x->op == SPL_PLUS && x->rows != 0 && (x->rows != kid->rows || x->cols != kid->cols)) {
        (void)spl_refuse(
            ctx, SLUICE_E_INVALID, "a sum: %lld x %lld on the left of +, %lld x %lld on the right",
            (long long)x->rows, (long long)x->cols, (long long)kid->rows, (long long)kid->cols);
        return false;
    }
    if (x->rows == 0 || x->op == SPL_PLUS) {
        x->rows = kid->rows;
        x->cols = kid->cols;
    } else if (x->op == SPL_MUL) {
        if (x->cols != kid->rows) {
            (void)spl_refuse(ctx, SLUICE_E_INVALID,
                             "a product: %lld columns on the left of *, %lld rows on the right",
                             (long long)x->cols, (long long)kid->rows);
            return false;
        }
        x->cols = kid->cols;
    } else if (x->op == SPL_KRON) {
        fits = spl_size_mul(x->rows, kid->rows, &x->rows)
               && spl_size_mul(x->cols, kid->cols, &x->cols);
    } else {
        x->rows += kid->rows;
        x->cols += kid->cols;
        fits = x->rows <= spl_max_size && x->cols <= spl_max_size;
    }
    if (!fits)
        (void)spl_refuse(ctx, SLUICE_E_INVALID, "%s exceeds 2^40",
                         x->op == SPL_KRON ? "a tensor product" : "a direct sum");
    return fits;
}

/* Appends an operand, flattened; neutral ones count for the dimensions only. */
static bool append_operand(spl_ctx *ctx, spl *x, const spl **kid, const spl *more)
{
    if (more->op == x->op) {
        for (int i = 0; i < more->nkids; i++)
            if (!append_operand(ctx, x, kid, more->kid[i]))
                return false;
        return true;
    }
    if (!extend_types(ctx, x, more) || !extend_dimensions(ctx, x, more))
        return false;
    if (!is_neutral(x->op, more))
        kid[x->nkids++] = more;
    return true;
}

static const spl *make_operator(spl_ctx *ctx, spl_op op, int count, const spl *const *kids)
{
    size_t capacity = 0;
    if (count < 1)
        return spl_refuse(ctx, SLUICE_E_INVALID, "an operator without operands");
    for (int i = 0; i < count; i++) {
        if (kids[i] == NULL)
            return NULL;
        capacity += kids[i]->op == op ? (size_t)kids[i]->nkids : 1;
    }
    const spl **kid = core_calloc(capacity, sizeof *kid);
    if (kid == NULL)
        return spl_refuse(ctx, SLUICE_E_MEMORY, "out of memory");
    spl x = {.op = op, .kid = kid};
    bool fits = true;
    for (int i = 0; i < count && fits; i++)
        fits = append_operand(ctx, &x, kid, kids[i]);
    const spl *result = NULL;
    if (fits && x.nkids == 0)
        result = spl_identity(ctx, x.rows);
    else if (fits)
        result = x.nkids == 1 ? kid[0] : spl_intern(ctx, &x);
    core_free(kid);
    return result;
}

const spl *spl_kron(spl_ctx *ctx, int count, const spl *const *kids)
{
    return make_operator(ctx, SPL_KRON, count, kids);
}

const spl *spl_mul(spl_ctx *ctx, int count, const spl *const *kids)
{
    return make_operator(ctx, SPL_MUL, count, kids);
}

const spl *spl_dsum(spl_ctx *ctx, int count, const spl *const *kids)
{
    return make_operator(ctx, SPL_DSUM, count, kids);
}

const spl *spl_plus(spl_ctx *ctx, int count, const spl *const *kids)
{
    return make_operator(ctx, SPL_PLUS, count, kids);
}

const spl *spl_kron2(spl_ctx *ctx, const spl *a, const spl *b)
{
    const spl *const kids[] = {a, b};
    return make_operator(ctx, SPL_KRON, 2, kids);
}

const spl *spl_mul2(spl_ctx *ctx, const spl *a, const spl *b)
{
    const spl *const kids[] = {a, b};
    return make_operator(ctx, SPL_MUL, 2, kids);
}

/* ---- tags ---- */

/* Checks a tag and sets the arguments that its kind does not have to 0. */
static bool tag_fits(spl_tag *tag)
{
    switch (tag->kind) {
    case SPL_TAG_SPE: return spl_is_size(tag->a[0]) && spl_is_size(tag->a[1]);
    case SPL_TAG_VEC:
        return spl_is_size(tag->a[0]) && tag->a[1] >= SPL_INTER && tag->a[1] <= SPL_REAL;
    case SPL_TAG_STREAM:
    case SPL_TAG_LOCAL:
    case SPL_TAG_TILE: tag->a[1] = 0; return spl_is_size(tag->a[0]);
    case SPL_TAG_LEAF: tag->a[0] = tag->a[1] = 0; return true;
    case SPL_TAG_COUNT: break;
    }
    return false;
}

const spl *spl_tagged(spl_ctx *ctx, const spl *x, int count, const spl_tag *tags)
{
    spl_tag all[SPL_MAX_TAGS];
    if (x == NULL || count == 0)
        return x;
    const int old = x->op == SPL_TAG ? x->ntags : 0;
    if (count > SPL_MAX_TAGS - old)
        return spl_refuse(ctx, SLUICE_E_UNSUPPORTED, "more than %d tags on one formula",
                          SPL_MAX_TAGS);
    for (int i = 0; i < old; i++)
        all[i] = x->tag[i];
    for (int i = 0; i < count; i++) {
        all[old + i] = tags[i];
        if (!tag_fits(&all[old + i]))
            return spl_refuse(ctx, SLUICE_E_INVALID, "a tag has an argument that is not a size");
    }
    const spl *kid = spl_untagged(x);
    return spl_intern(ctx, &(spl){.op = SPL_TAG,
                                  .rows = x->rows,
                                  .cols = x->cols,
                                  .from = x->from,
                                  .to = x->to,
                                  .nkids = 1,
                                  .kid = &kid,
                                  .ntags = old + count,
                                  .tag = all});
}

const spl *spl_untagged(const spl *x)
{
    return x->op == SPL_TAG ? x->kid[0] : x;
}

const spl_tag *spl_find_tag(const spl *x, spl_tag_kind kind)
{
    for (int i = 0; i < x->ntags; i++)
        if (x->tag[i].kind == kind)
            return &x->tag[i];
    return NULL;
}

bool spl_has_tag(const spl *x, spl_tag_kind kind)
{
    return spl_find_tag(x, kind) != NULL;
}

bool spl_is_complex_linear(const spl *x)
{
    if (x->op == SPL_RETYPE)
        return false;
    if (x->op == SPL_TRANSFORM)
        return x->from == x->to;
    if (x->op == SPL_PAIRS || x->op == SPL_PAIR)
        return spl_pairs_is_complex_linear(spl_pairs_kind_of(x));
    for (int i = 0; i < x->nkids; i++)
        if (!spl_is_complex_linear(x->kid[i]))
            return false;
    return true;
}
