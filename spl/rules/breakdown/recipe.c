// SPDX-License-Identifier: BSD-3-Clause
#include "spl/rules/breakdown/recipe.h"

bool spl_recipe_fits(const spl_recipe *r, const spl *x, const char **refusal)
{
    return spl_unless(refusal, x->op == SPL_TRANSFORM && spl_transform_kind(x) == r->kind,
                      "it breaks down another transform")
           && spl_unless(refusal, r->sizes != SPL_SIZES_EVEN || spl_transform_size(x) % 2 == 0,
                         "the size must be even")
           && spl_unless(refusal, r->sizes < SPL_SIZES_ODD || spl_transform_size(x) % 2 == 1,
                         "the size must be odd")
           && spl_unless(refusal, r->sizes != SPL_SIZES_ODD_FROM_3 || spl_transform_size(x) > 1,
                         "the size must be above 1");
}

bool spl_recipe_case(const spl_recipe *r, spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    enum { MOST = 33 };
    const int64_t n = spl_transform_of(r->kind)->least + i;
    *p = (spl_params){{0}};
    if (n > MOST + 1)
        return false;
    *x = n > MOST ? spl_transform_node(ctx, SPL_RDFT, 4) : spl_transform_node(ctx, r->kind, n);
    return *x != NULL;
}

const spl *spl_first_rows(spl_ctx *ctx, int64_t n, int64_t all)
{
    return spl_gather(ctx, ix_h(ctx, n, all, 0, 1), SPL_PLAIN);
}

const spl *spl_reversal(spl_ctx *ctx, int64_t n)
{
    return spl_perm(ctx, ix_h(ctx, n, n, n - 1, -1));
}

const spl *spl_alternating(spl_ctx *ctx, int64_t m)
{
    const spl *const factors[] = {spl_retyped(ctx, SPL_RETYPE_UNVIEW, m),
                                  spl_retyped(ctx, SPL_RETYPE_CONJ, m),
                                  spl_retyped(ctx, SPL_RETYPE_VIEW, m)};
    return spl_mul(ctx, 3, factors);
}

const spl *spl_recipe_pairs_last(spl_ctx *ctx, spl_pairs_kind kind, int64_t m)
{
    const spl *const factors[] = {spl_retyped(ctx, SPL_RETYPE_UNVIEW, m), spl_pairs(ctx, kind, m),
                                  spl_dft(ctx, m, false), spl_retyped(ctx, SPL_RETYPE_VIEW, m)};
    const int from = spl_pairs_def_of(kind)->out == SPL_SIDE_MIRRORED ? 1 : 0;
    return spl_mul(ctx, 4 - from, factors + from);
}

const spl *spl_recipe_pairs_first(spl_ctx *ctx, spl_pairs_kind kind, int64_t m)
{
    const spl *const factors[] = {spl_retyped(ctx, SPL_RETYPE_UNVIEW, m), spl_dft(ctx, m, true),
                                  spl_pairs(ctx, kind, m), spl_retyped(ctx, SPL_RETYPE_VIEW, m)};
    return spl_mul(ctx, spl_pairs_def_of(kind)->in == SPL_SIDE_MIRRORED ? 3 : 4, factors);
}

static const spl *run(spl_ctx *ctx, const spl_two_runs *r, int64_t at, int64_t count, int64_t b,
                      int64_t s)
{
    const ix *order = ix_h(ctx, count, r->n, at, 1), *places = ix_h(ctx, count, r->all, b, s);

    return spl_mul2(ctx, spl_scatter(ctx, r->from_order ? places : order, SPL_PLAIN),
                    spl_gather(ctx, r->from_order ? order : places, SPL_PLAIN));
}

const ix *spl_recipe_exponents(spl_ctx *ctx, int64_t rows, int64_t period, int64_t first,
                               int64_t step)
{
    const ix_term digits[] = {{IX_INDEX, 1, 2, step},
                              {IX_INDEX, 2, rows / 2 + 1, 2 * step % period}};

    return rows <= ((int64_t)1 << 62) / period ? ix_h(ctx, rows, period, first, step)
                                               : ix_digit(ctx, rows, period, first, 2, digits);
}

const spl *spl_moved_runs(spl_ctx *ctx, const spl_two_runs *r)
{
    const spl *const runs[] = {run(ctx, r, 0, r->first, r->b0, r->s),
                               run(ctx, r, r->first, r->n - r->first, r->b1, -r->s)};

    return spl_plus(ctx, 2, runs);
}

const spl *spl_half_parts(spl_ctx *ctx, int64_t n, bool back)
{
    const int64_t rows = n / 2 + 1, last = n % 2 == 0 ? n - 1 : n;
    const spl_two_runs both = {
        .n = n, .first = rows, .all = 2 * rows, .b0 = 0, .b1 = last, .s = 2, .from_order = back};

    return spl_moved_runs(ctx, &both);
}
