// SPDX-License-Identifier: BSD-3-Clause
/* Tag rules for spe(p,mu): p parts, shares that begin at multiples of mu columns.
 *
 * Shares are bounds of a loop, not index functions: part k runs the k-th of p shares of one loop
 * over all n iterations. So p need not divide n, and the even forms (6) and (7) give the same
 * addresses. rules_spe_stream.c is for stream inside spe. */
#include "spl/rules/rewrite.h"

#include <stddef.h>

/* Does every factor of x have rows, columns or pairs to distribute? */
static bool can_be_split(const spl *x)
{
    const spl_view v = spl_view_of(x);
    if (v.shape == SPL_SHAPE_MOVEMENT || v.shape == SPL_SHAPE_KRON || v.base->op == SPL_KRON
        || v.base->op == SPL_PAIRS)
        return true;
    for (int i = 0; i < v.base->nkids; i++)
        if (!can_be_split(v.base->kid[i]))
            return false;
    return v.shape == SPL_SHAPE_PRODUCT;
}

typedef enum form {
    STREAMED,    /* rules_spe_stream.c */
    ROWS,        /* (6)   */
    ROWS_INSIDE, /* (6i)  */
    COLUMNS,     /* (7u)  */
    TILES        /* (7g)  */
} form;

static form spe_form_of(const spl *x)
{
    const spl_view v = spl_view_of(x);
    if (spl_view_rest(&v, SPL_TAG_STREAM) != NULL)
        return STREAMED;
    if (spl_takes_rows(&v, v.outer.a[0]))
        return v.a < v.outer.a[0] && (v.nmid > 1 || can_be_split(v.mid[0])) ? ROWS_INSIDE : ROWS;
    return spl_view_leaf(&v) && spl_view_rest(&v, SPL_TAG_TILE) == NULL ? COLUMNS : TILES;
}

static bool has_spe_form(const spl *x, form form, const char **refusal, const char *condition)
{
    return spl_is_distributable(x, refusal)
           && spl_unless(refusal, spe_form_of(x) == form, condition);
}

/* {I_n (x) A_m}_spe(p,mu) -> SUM.par(k<p) SUM(j<n @k/p) S(h_{jm,1}) A G(h_{jm,1})     (6), (6u). */
static bool guard_tag_spe_rows(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return has_spe_form(x, ROWS, refusal,
                        "it needs I_n (x) A, without stream, n >= p or A unsplit");
}

static const spl *build_tag_spe_rows(spl_ctx *ctx, const spl *x, const spl_params *params)
{
    (void)params;
    const spl_view v = spl_view_of(x);
    const int64_t p = v.outer.a[0];
    const bool lanes = v.b == 1 && spl_view_leaf(&v);
    const spl *body = lanes ? v.mid[0] : spl_view_inner(ctx, &v, 1, v.b, v.nrest);
    const int j = spl_height(body);
    spl_range range = spl_range_shared(j, v.a, j + 1, p, 1);
    if (lanes)
        spl_range_lanes(&range, &v);
    body = spl_wrap(ctx, spl_row_ends(ctx, v.a, j, body), SPL_PLAIN, body);
    return spl_parts(ctx, j + 1, p, spl_sum(ctx, &range, body));
}

static const char *const cases_tag_spe_rows[] = {
    "(I(4) (x) DFT(3)_{leaf})_{spe(2,1)}",
    "(I(5) (x) DFT(3)_{leaf})_{spe(2,4)}",
    "(I(3) (x) DFT(2)_{leaf})_{spe(5,1)}",
    "(I(4) (x) DFT(4)_{leaf})_{vec(2,inter),spe(4,1)}",
    "(I(6) (x) DFT(2)_{leaf} (x) I(3))_{vec(2,split),spe(4,2)}",
    "(I(1) (x) DFT(3)_{leaf})_{spe(1,1)}",
    "DFT(4)_{leaf,spe(2,1)}",
    "(I(4) (x) (I(2) (x) DFT(3)_{leaf})_{spe(2,1)})_{spe(2,1)}",
    "(I(4) (x) ((DFT(2)_{leaf} (x) I(2)) * T(2,2) * (I(2) (x) DFT(2)_{leaf}) * L(4,2)))"
    "_{vec(2,inter),spe(3,1)}",
    NULL};

static bool explains_tag_spe_rows(const spl *x)
{
    const spl_view v = spl_view_of(x);
    return v.outer.kind == SPL_TAG_SPE
           && (v.shape != SPL_SHAPE_KRON || spl_takes_rows(&v, v.outer.a[0]));
}

const spl_rule spl_tag_spe_rows = {
    .name = "(6)",
    .group = SPL_TAGGING,
    .formula = "{I_n (x) A_m}_spe(p,mu) -> SUM.par(k<p) SUM(j<n @k/p) S(h_{jm,1}) A G(h_{jm,1})",
    .reference = "Spiral for the Cell (6); uneven (6u)",
    .guard = guard_tag_spe_rows,
    .build = build_tag_spe_rows,
    .explains = explains_tag_spe_rows,
    .cases = cases_tag_spe_rows,
};

/* {I_n (x) A_m}_spe(p,mu), n < p -> SUM(i<n) S(h_{im,1}) {A}_spe(p,mu) G(h_{im,1}): the parts work
 * on one A at a time.                                                         (12c) inside. */
static bool guard_tag_spe_inside_rows(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return has_spe_form(x, ROWS_INSIDE, refusal,
                        "it needs I_n (x) A, n < p, with an A that splits");
}

static const spl *build_tag_spe_inside_rows(spl_ctx *ctx, const spl *x, const spl_params *params)
{
    (void)params;
    const spl_view v = spl_view_of(x);
    return spl_loop_rows(ctx, v.a, spl_view_inner(ctx, &v, 1, 1, v.nrest + 1));
}

static const char *const cases_tag_spe_inside_rows[] = {
    "(I(2) (x) ((DFT(3)_{leaf} (x) I(4)) * L(12,3) * (DFT(4)_{leaf} (x) I(3))))_{spe(3,1)}",
    "(I(2) (x) ((DFT(4)_{leaf} (x) I(4)) * (I(4) (x) DFT(4)_{leaf})))_{vec(2,inter),spe(4,2)}",
    "(I(2) (x) DFT(3)_{leaf})_{spe(4,1)}", NULL};

const spl_rule spl_tag_spe_inside_rows = {
    .name = "(6i)",
    .group = SPL_TAGGING,
    .formula = "{I_n (x) A_m}_spe(p,mu) -> SUM(i<n) S(h_{im,1}) {A}_spe(p,mu) G(h_{im,1}), n < p",
    .reference = "what is inside (12c)",
    .guard = guard_tag_spe_inside_rows,
    .build = build_tag_spe_inside_rows,
    .cases = cases_tag_spe_inside_rows,
};

/* {A_m (x) I_n}_spe(p,mu) -> SUM.par(k<p) (SUM(l<n div mu @k/p) S(f_l) (A (x) I_mu) G(f_l) +
 * SUM(l<1 @k/p) S(g) (A (x) I_r) G(g)), r = n mod mu: a tile of mu columns runs all stages of A,
 * and so do the r columns that are in no tile. (7g). */
static bool guard_tag_spe_tiles(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return has_spe_form(x, TILES, refusal, "it needs A (x) I_n with a product A or tile");
}

static const spl *build_tag_spe_tiles(spl_ctx *ctx, const spl *x, const spl_params *params)
{
    (void)params;
    const spl_view v = spl_view_of(x);
    const int64_t p = v.outer.a[0], mu = v.outer.a[1], r = v.b % mu;
    const spl *body = spl_view_inner(ctx, &v, v.a, mu, v.nrest);
    const int l = spl_height(body);
    const spl_range range = spl_range_shared(l, v.b / mu, l + 1, p, 1);
    body = spl_wrap(ctx, spl_tile_ends(ctx, v.b, mu, l, body), SPL_PLAIN, body);
    body = spl_sum(ctx, &range, body);
    if (r > 0) {
        const spl_range last = spl_range_shared(l, 1, l + 1, p, 1);
        const spl *rest = spl_sum(ctx, &last, spl_view_inner(ctx, &v, v.a, r, v.nrest));
        body = spl_with_rest(ctx, body, v.b, r, rest);
    }
    return spl_parts(ctx, l + 1, p, body);
}

static const char *const cases_tag_spe_tiles[] = {
    "(((DFT(2)_{leaf} (x) I(3)) * T(2,3) * (I(2) (x) DFT(3)_{leaf}) * L(6,2)) (x) I(8))"
    "_{vec(2,inter),spe(2,2)}",
    "(((DFT(2)_{leaf} (x) I(2)) * (I(2) (x) DFT(2)_{leaf})) (x) I(9))_{spe(2,3)}",
    "(DFT(3)_{leaf} (x) I(12))_{vec(2,inter),tile(2),spe(2,6)}",
    "(I(2) (x) DFT(3)_{leaf} (x) DFT(2)_{leaf} (x) I(8))_{vec(2,inter),spe(4,2)}",
    "(((DFT(2)_{leaf} (x) I(2)) * (I(2) (x) DFT(2)_{leaf})) (x) I(9))_{spe(2,2)}",
    "(((DFT(2)_{leaf} (x) I(3)) * T(2,3) * (I(2) (x) DFT(3)_{leaf}) * L(6,2)) (x) I(11))"
    "_{vec(2,inter),spe(3,4)}",
    "(DFT(3)_{leaf} (x) I(13))_{vec(2,inter),tile(4),spe(2,4)}",
    "(DFT(3)_{leaf} (x) I(8))_{spe(2,4)}",
    NULL};

const spl_rule spl_tag_spe_tiles = {
    .name = "(7g)",
    .group = SPL_TAGGING,
    .formula = "{A_m (x) I_n}_spe(p,mu) -> SUM.par(k<p) (SUM(l<n div mu @k/p) S(q_{l,n/mu,mu}) "
               "(A (x) I_mu) G(q_{l,n/mu,mu}) + SUM(1 @k/p) S (A (x) I_r) G), r = n mod mu",
    .reference = "Spiral for the Cell (7), corrected, any mu and n",
    .guard = guard_tag_spe_tiles,
    .build = build_tag_spe_tiles,
    .cases = cases_tag_spe_tiles,
};

/* {A_m (x) I_n}_spe(p,mu) -> SUM.par(k<p) SUM(j<n @k/p/mu) S(h_{j,n}) A G(h_{j,n}), A a leaf: the
 * loop over columns is that of the lanes. Shares begin at multiples of mu, so that only the last
 * one has a partial vector. For I_a (x) A (x) I_n this is inside the loop over a. (7u). */
static bool guard_tag_spe_columns(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return has_spe_form(x, COLUMNS, refusal, "it needs A (x) I_n with a leaf A and no tile");
}

static const spl *build_tag_spe_columns(spl_ctx *ctx, const spl *x, const spl_params *params)
{
    (void)params;
    const spl_view v = spl_view_of(x);
    const int64_t p = v.outer.a[0];
    const spl *body = v.mid[0];
    const int j = spl_height(body), k = v.a > 1 ? j + 2 : j + 1;
    spl_range range = spl_range_shared(j, v.b, k, p, v.outer.a[1]);
    spl_range_lanes(&range, &v);
    body = spl_wrap(ctx, spl_column_ends(ctx, v.b, j, body), SPL_PLAIN, body);
    body = spl_sum(ctx, &range, body);
    if (v.a > 1)
        body = spl_loop_rows(ctx, v.a, body);
    return spl_parts(ctx, k, p, body);
}

static const char *const cases_tag_spe_columns[] = {
    "(DFT(3)_{leaf} (x) I(8))_{vec(4,inter),spe(2,4)}",
    "(DFT(3)_{leaf} (x) I(8))_{spe(2,2)}",
    "(DFT(3)_{leaf} (x) I(9))_{spe(2,4)}",
    "(DFT(2)_{leaf} (x) I(3))_{spe(7,1)}",
    "(I(2) (x) DFT(3)_{leaf} (x) I(7))_{spe(3,2)}",
    "(((DFT(2)_{leaf} (x) I(2)) * (I(2) (x) DFT(2)_{leaf})) (x) I(9))_{spe(2,3)}",
    NULL};

static bool explains_tag_spe_columns(const spl *x)
{
    const spl_view v = spl_view_of(x);
    return v.outer.kind == SPL_TAG_SPE && v.shape == SPL_SHAPE_KRON
           && !spl_takes_rows(&v, v.outer.a[0]);
}

const spl_rule spl_tag_spe_columns = {
    .name = "(7u)",
    .group = SPL_TAGGING,
    .formula = "{A_m (x) I_n}_spe(p,mu) -> SUM.par(k<p) SUM(j<n @k/p/mu) S(h_{j,n}) A G(h_{j,n})",
    .reference = "Spiral for the Cell (7), uneven",
    .guard = guard_tag_spe_columns,
    .build = build_tag_spe_columns,
    .explains = explains_tag_spe_columns,
    .cases = cases_tag_spe_columns,
};
