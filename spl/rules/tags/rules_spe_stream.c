// SPDX-License-Identifier: BSD-3-Clause
/* Tag rules for stream(s) inside spe(p,mu): each part streams its own share. */
#include "spl/rules/rewrite.h"

#include <stddef.h>
#include <string.h>

typedef enum form {
    NO_STREAM,     /* rules_spe.c */
    ROWS,          /* (11)  */
    ROWS_UNEVEN,   /* (11u) */
    COLUMNS,       /* (7)   */
    COLUMNS_UNEVEN /* (7s)  */
} form;

/* The even forms leave I_{n/p} (x) A or A (x) I_{n/p} to stream, which must be more than one row or
 * column. */
static form parts_form_of(const spl *x)
{
    const spl_view v = spl_view_of(x);
    const int64_t p = v.outer.a[0], mu = v.outer.a[1];
    if (spl_view_rest(&v, SPL_TAG_STREAM) == NULL)
        return NO_STREAM;
    if (spl_takes_rows(&v, v.outer.a[0]))
        return v.a % p == 0 && (v.a > p || v.b > 1) ? ROWS : ROWS_UNEVEN;
    return v.b % p == 0 && v.b / p % mu == 0 && v.b > p ? COLUMNS : COLUMNS_UNEVEN;
}

static bool has_parts_form(const spl *x, form form, const char **refusal, const char *condition)
{
    return spl_is_distributable(x, refusal)
           && spl_unless(refusal, parts_form_of(x) == form, condition);
}

/* {I_n (x) A_m}_stream(s),spe(p,mu) -> SUM.par(k<p) S(h_{kN/p,1}) {I_{n/p} (x) A}_stream(s)
 * G(h_{kN/p,1}), p | n                                                           (6), (11). */
static bool guard_tag_spe_stream_rows(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return has_parts_form(x, ROWS, refusal, "it needs I_n (x) A with stream inside, p | n, p < n");
}

static const spl *build_tag_spe_stream_rows(spl_ctx *ctx, const spl *x, const spl_params *params)
{
    (void)params;
    const spl_view v = spl_view_of(x);
    const int64_t p = v.outer.a[0];
    const spl *body = spl_view_inner(ctx, &v, v.a / p, v.b, v.nrest);
    const int k = spl_height(body);
    return spl_parts(ctx, k, p, spl_wrap(ctx, spl_row_ends(ctx, p, k, body), SPL_PLAIN, body));
}

static const char *const cases_tag_spe_stream_rows[] = {
    "(I(8) (x) DFT(3)_{leaf})_{stream(2),spe(2,1)}",
    "(I(4) (x) DFT(2)_{leaf} (x) I(4))_{vec(2,inter),stream(4),spe(2,1)}",
    "(I(6) (x) DFT(2)_{leaf})_{stream(2),spe(4,1)}",
    "(I(4) (x) DFT(2)_{leaf})_{stream(2),spe(4,1)}",
    "(I(4) (x) DFT(2)_{leaf})_{spe(2,1)}",
    NULL};

const spl_rule spl_tag_spe_stream_rows = {
    .name = "(11)",
    .group = SPL_TAGGING,
    .formula = "{I_n (x) A_m}_stream(s),spe(p,mu) -> SUM.par(k<p) S(h_{kN/p,1}) "
               "{I_{n/p} (x) A}_stream(s) G(h_{kN/p,1})",
    .reference = "Spiral for the Cell (6), (11)",
    .guard = guard_tag_spe_stream_rows,
    .build = build_tag_spe_stream_rows,
    .cases = cases_tag_spe_stream_rows,
};

/* A streamed loop distributed over p parts, s iterations each: iteration l of ps runs the l-th
 * share of the n rows or columns; f(j) is one of these. Each copy moves one row or column. */
static const spl *stream_shares_of_parts(spl_ctx *ctx, const spl_view *v, int64_t n, int64_t grain,
                                         bool columns)
{
    const spl_tag *stream = spl_view_rest(v, SPL_TAG_STREAM);
    spl_tag kept[SPL_MAX_TAGS];
    spl_view w = *v;
    const int at = (int)(stream - v->rest);
    memcpy(kept, v->rest, (size_t)v->nrest * sizeof *kept);
    memmove(kept + at, kept + at + 1, (size_t)(v->nrest - at - 1) * sizeof *kept);
    w.rest = kept;
    w.nrest--;
    const int64_t p = v->outer.a[0], s = stream->a[0];
    const spl *body = spl_view_inner(ctx, &w, columns ? v->a : 1, columns ? 1 : v->b, w.nrest);
    const int j = spl_height(body);
    const spl_ends f = columns ? spl_column_ends(ctx, n, j, body) : spl_row_ends(ctx, n, j, body);
    const spl_range each = spl_range_shared(j, n, j + 1, p * s, grain);
    spl_range block = spl_range_shared(j + 1, p * s, j + 2, p, 1);
    block.kind = SPL_STREAM;
    body = spl_sum(ctx, &each, spl_wrap(ctx, f, SPL_COPY, body));
    return spl_parts(ctx, j + 2, p, spl_sum(ctx, &block, body));
}

/* {I_n (x) A_m}_stream(s),spe(p,mu) -> SUM.par(k<p) SUM.stream(l<ps @k/p) SUM(j<n @l/(ps))
 * S.copy(h_{jm,1}) A G.copy(h_{jm,1})                                     (11) for any p, s, n. */
static bool guard_tag_spe_stream_rows_uneven(const spl *x, const spl_params *p,
                                             const char **refusal)
{
    (void)p;
    return has_parts_form(x, ROWS_UNEVEN, refusal,
                          "it needs I_n (x) A with stream inside, p not | n or p = n");
}

static const spl *build_tag_spe_stream_rows_uneven(spl_ctx *ctx, const spl *x,
                                                   const spl_params *params)
{
    (void)params;
    const spl_view v = spl_view_of(x);
    return stream_shares_of_parts(ctx, &v, v.a, 1, false);
}

static const char *const cases_tag_spe_stream_rows_uneven[] = {
    "(I(7) (x) DFT(3)_{leaf})_{stream(2),spe(2,1)}",
    "(I(5) (x) DFT(2)_{leaf} (x) I(2))_{vec(2,inter),stream(3),spe(2,1)}",
    "(I(3) (x) DFT(2)_{leaf})_{stream(2),spe(4,1)}",
    "(I(4) (x) DFT(2)_{leaf})_{stream(2),spe(2,1)}", NULL};

const spl_rule spl_tag_spe_stream_rows_uneven = {
    .name = "(11u)",
    .group = SPL_TAGGING,
    .formula = "{I_n (x) A_m}_stream(s),spe(p,mu) -> SUM.par(k<p) SUM.stream(l<ps @k/p) "
               "SUM(j<n @l/(ps)) S.copy(h_{jm,1}) A G.copy(h_{jm,1})",
    .reference = "(6u) and (11)",
    .guard = guard_tag_spe_stream_rows_uneven,
    .build = build_tag_spe_stream_rows_uneven,
    .cases = cases_tag_spe_stream_rows_uneven,
};

/* {A_m (x) I_n}_stream(s),spe(p,mu) -> SUM.par(k<p) S(q_{k,p,c}) {A (x) I_c}_stream(s)
 * G(q_{k,p,c}), c = n/p, mu | c                                                             (7). */
static bool guard_tag_spe_stream_columns(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return has_parts_form(x, COLUMNS, refusal,
                          "it needs A (x) I_n with stream inside, p | n, p < n and mu | n/p");
}

static const spl *build_tag_spe_stream_columns(spl_ctx *ctx, const spl *x, const spl_params *params)
{
    (void)params;
    const spl_view v = spl_view_of(x);
    const int64_t p = v.outer.a[0], c = v.b / p;
    const spl *body = spl_view_inner(ctx, &v, v.a, c, v.nrest);
    const int k = spl_height(body);
    return spl_parts(ctx, k, p,
                     spl_wrap(ctx, spl_tile_ends(ctx, v.b, c, k, body), SPL_PLAIN, body));
}

static const char *const cases_tag_spe_stream_columns[] = {
    "(DFT(3)_{leaf} (x) I(8))_{stream(2),spe(2,4)}",
    "(DFT(3)_{leaf} (x) I(8))_{vec(2,inter),stream(2),spe(2,2)}",
    "(I(2) (x) DFT(3)_{leaf} (x) I(8))_{stream(2),spe(4,2)}",
    "(DFT(3)_{leaf} (x) I(8))_{stream(2),spe(2,3)}", NULL};

const spl_rule spl_tag_spe_stream_columns = {
    .name = "(7)",
    .group = SPL_TAGGING,
    .formula = "{A_m (x) I_n}_stream(s),spe(p,mu) -> SUM.par(k<p) S(q_{k,p,c}) "
               "{A (x) I_c}_stream(s) G(q_{k,p,c}), c = n/p",
    .reference = "Spiral for the Cell (7), mu | n/p",
    .guard = guard_tag_spe_stream_columns,
    .build = build_tag_spe_stream_columns,
    .cases = cases_tag_spe_stream_columns,
};

/* {A_m (x) I_n}_stream(s),spe(p,mu) -> SUM.par(k<p) SUM.stream(l<ps @k/p) SUM(j<n @l/(ps)/mu)
 * S.copy(h_{j,n}) A G.copy(h_{j,n})                                        (7) for any p, s, n. */
static bool guard_tag_spe_stream_columns_uneven(const spl *x, const spl_params *p,
                                                const char **refusal)
{
    (void)p;
    return has_parts_form(x, COLUMNS_UNEVEN, refusal,
                          "it needs A (x) I_n with stream inside, p mu not | n or p = n");
}

static const spl *build_tag_spe_stream_columns_uneven(spl_ctx *ctx, const spl *x,
                                                      const spl_params *params)
{
    (void)params;
    const spl_view v = spl_view_of(x);
    return stream_shares_of_parts(ctx, &v, v.b, v.outer.a[1], true);
}

static const char *const cases_tag_spe_stream_columns_uneven[] = {
    "(DFT(3)_{leaf} (x) I(8))_{stream(2),spe(2,3)}",
    "(DFT(3)_{leaf} (x) I(7))_{vec(2,inter),stream(3),spe(2,2)}",
    "(DFT(2)_{leaf} (x) I(3))_{stream(2),spe(4,1)}",
    "(DFT(3)_{leaf} (x) I(8))_{stream(2),spe(2,4)}", NULL};

const spl_rule spl_tag_spe_stream_columns_uneven = {
    .name = "(7s)",
    .group = SPL_TAGGING,
    .formula = "{A_m (x) I_n}_stream(s),spe(p,mu) -> SUM.par(k<p) SUM.stream(l<ps @k/p) "
               "SUM(j<n @l/(ps)/mu) S.copy(h_{j,n}) A G.copy(h_{j,n})",
    .reference = "(7u) and (10)",
    .guard = guard_tag_spe_stream_columns_uneven,
    .build = build_tag_spe_stream_columns_uneven,
    .cases = cases_tag_spe_stream_columns_uneven,
};
