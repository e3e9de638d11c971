// SPDX-License-Identifier: BSD-3-Clause
/* Shared by the rule files: walking formulas, loops around S(f) A G(f), guards and cases. */
#include "spl/rules/rewrite.h"

bool spl_is_leaf(const spl *x)
{
    return x->op == SPL_PAIR
           || (x->op == SPL_TAG && x->ntags == 1 && x->tag[0].kind == SPL_TAG_LEAF
               && x->kid[0]->op == SPL_TRANSFORM);
}

bool spl_contains_tag(const spl *x, spl_tag_kind kind)
{
    if (kind == SPL_TAG_SPE && x->op == SPL_LOOP && spl_loop_kind(x) == SPL_PAR)
        return true;
    if (spl_has_tag(x, kind))
        return true;
    for (int i = 0; i < x->nkids; i++)
        if (spl_contains_tag(x->kid[i], kind))
            return true;
    return false;
}

const spl *spl_map(spl_ctx *ctx, const spl *x, spl_map_fn *f, const void *arg)
{
    if (x->nkids == 0)
        return x;
    const spl **kids = spl_ctx_get(ctx, (size_t)x->nkids * sizeof *kids);
    bool changed = false;
    for (int i = 0; kids != NULL && i < x->nkids; i++) {
        kids[i] = f(ctx, x->kid[i], arg);
        if (kids[i] == NULL)
            return NULL;
        changed |= kids[i] != x->kid[i];
    }
    if (kids == NULL || !changed)
        return kids == NULL ? NULL : x;
    return spl_with_kids(ctx, x, kids);
}

const spl *spl_with_kids(spl_ctx *ctx, const spl *x, const spl *const *kids)
{
    switch (x->op) {
    case SPL_KRON: return spl_kron(ctx, x->nkids, kids);
    case SPL_MUL: return spl_mul(ctx, x->nkids, kids);
    case SPL_DSUM: return spl_dsum(ctx, x->nkids, kids);
    case SPL_PLUS: return spl_plus(ctx, x->nkids, kids);
    case SPL_TAG: return spl_tagged(ctx, kids[0], x->ntags, x->tag);
    case SPL_LOOP: {
        const spl_range range = spl_range_of(x);
        return spl_sum(ctx, &range, kids[0]);
    }
    default: return x;
    }
}

const spl *spl_row_column_of(spl_ctx *ctx, int count, const spl *const *kids)
{
    const spl **factors = spl_ctx_get(ctx, (size_t)count * sizeof *factors);
    int64_t before = 1, after = 1;
    int n = 0;
    if (factors == NULL)
        return NULL;
    for (int i = 0; i < count; i++)
        after *= kids[i]->rows;
    for (int i = 0; i < count; i++) { /* before: columns, after: rows */
        after /= kids[i]->rows;
        if (kids[i]->op != SPL_I) {
            const spl *const three[] = {spl_identity(ctx, before), kids[i],
                                        spl_identity(ctx, after)};
            factors[n++] = spl_kron(ctx, 3, three);
        }
        before *= kids[i]->cols;
    }
    return n == 0 ? spl_identity(ctx, before) : spl_mul(ctx, n, factors);
}

const spl *spl_wrap(spl_ctx *ctx, spl_ends f, spl_class cls, const spl *body)
{
    const spl *const three[] = {spl_scatter(ctx, f.out, cls), body, spl_gather(ctx, f.in, cls)};
    return spl_mul(ctx, 3, three);
}

spl_range spl_range_over(spl_loop kind, int var, int64_t n)
{
    return (spl_range){.var = var, .n = n, .kind = kind, .share_var = -1};
}

spl_range spl_range_shared(int var, int64_t n, int share_var, int64_t shares, int64_t grain)
{
    return (spl_range){.var = var,
                       .n = n,
                       .kind = SPL_SEQ,
                       .share_var = share_var,
                       .shares = shares,
                       .grain = grain};
}

const spl *spl_parts(spl_ctx *ctx, int var, int64_t p, const spl *body)
{
    const spl_range range = spl_range_over(SPL_PAR, var, p);
    return spl_sum(ctx, &range, body);
}

int spl_height(const spl *x)
{
    return x == NULL ? 0 : x->height;
}

const ix *spl_row_ix(spl_ctx *ctx, int64_t n, int64_t m, int var)
{
    return ix_h_var(ctx, m, n * m, var, n, m, 1);
}

spl_ends spl_row_ends(spl_ctx *ctx, int64_t n, int var, const spl *body)
{
    if (body == NULL)
        return (spl_ends){NULL, NULL};
    return (spl_ends){spl_row_ix(ctx, n, body->rows, var), spl_row_ix(ctx, n, body->cols, var)};
}

spl_ends spl_column_ends(spl_ctx *ctx, int64_t n, int var, const spl *body)
{
    return spl_tile_ends(ctx, n, 1, var, body);
}

/* The w columns from w v + at on, of m rows of n columns: q_{v,n/w,w} if w divides n and at is
 * 0. */
static const ix *columns_ix(spl_ctx *ctx, int64_t m, int64_t n, int64_t w, int var, int64_t at)
{
    const ix_term digits[] = {{IX_INDEX, 1, w, 1}, {IX_INDEX, w, m, n}, {var, 1, (n - at) / w, w}};
    return ix_digit(ctx, m * w, m * n, at, 3, digits);
}

static spl_ends columns_ends(spl_ctx *ctx, int64_t n, int64_t w, int var, int64_t at,
                             const spl *body)
{
    if (body == NULL)
        return (spl_ends){NULL, NULL};
    return (spl_ends){columns_ix(ctx, body->rows / w, n, w, var, at),
                      columns_ix(ctx, body->cols / w, n, w, var, at)};
}

spl_ends spl_tile_ends(spl_ctx *ctx, int64_t n, int64_t w, int var, const spl *body)
{
    return columns_ends(ctx, n, w, var, 0, body);
}

const spl *spl_with_rest(spl_ctx *ctx, const spl *tiles, int64_t n, int64_t r, const spl *rest)
{
    const spl *const terms[] = {
        tiles, spl_wrap(ctx, columns_ends(ctx, n, r, 0, n - r, rest), SPL_PLAIN, rest)};
    return spl_plus(ctx, 2, terms);
}

const spl *spl_loop_rows(spl_ctx *ctx, int64_t n, const spl *body)
{
    const int i = spl_height(body);
    const spl_range range = spl_range_over(SPL_SEQ, i, n);
    return spl_sum(ctx, &range, spl_wrap(ctx, spl_row_ends(ctx, n, i, body), SPL_PLAIN, body));
}

const spl *spl_loop_columns(spl_ctx *ctx, int64_t n, const spl *body)
{
    const int j = spl_height(body);
    const spl_range range = spl_range_over(SPL_SEQ, j, n);
    return spl_sum(ctx, &range, spl_wrap(ctx, spl_column_ends(ctx, n, j, body), SPL_PLAIN, body));
}

bool spl_unless(const char **refusal, bool condition, const char *sentence)
{
    if (!condition && refusal != NULL)
        *refusal = sentence;
    return condition;
}

int spl_list_factors(int64_t n, spl_params *out, int max)
{
    int count = 0;

    for (int64_t r = 2; r <= n / 2 && count < max; r++)
        if (n % r == 0)
            out[count++] = (spl_params){{r}};
    return count;
}

bool spl_text_case(spl_ctx *ctx, const char *const *cases, int i, const spl **x)
{
    sluice_diag why;
    if (cases[i] == NULL)
        return false;
    if (spl_parse(ctx, cases[i], x, &why) == SLUICE_OK)
        return true;
    (void)spl_refuse(ctx, SLUICE_E_PARSE, "\"%s\": %s", cases[i], why.message);
    return false;
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

bool spl_is_complete(const spl *x)
{
    if (x->op == SPL_TRANSFORM)
        return false;
    if (spl_has_tag(x, SPL_TAG_LOCAL))
        return false;
    if (spl_has_tag(x, SPL_TAG_LEAF))
        return x->kid[0]->op == SPL_TRANSFORM;
    for (int i = 0; i < x->nkids; i++)
        if (!spl_is_complete(x->kid[i]))
            return false;
    return true;
}
