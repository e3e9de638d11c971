// SPDX-License-Identifier: BSD-3-Clause
/* Tag rules for all tags (drop, product) and for stream(s). The outermost tag is consumed; `rest`
 * are the tags inside it. spe is in rules_spe.c, tile and vec are in rules_lanes.c. */
#include "spl/rules/rewrite.h"

#include <stddef.h>

/* A sum of moves, each of which writes rows of its own: moves have no lanes. */
static bool are_moves(const spl *x)
{
    bool are = x->op == SPL_PLUS;

    for (int i = 0; i < x->nkids && are; i++)
        are = spl_is_data_movement(x->kid[i]);
    return are;
}

/* {P}_t -> P for I, L, T, permutations, diagonals: they merge into the adjacent loops. */
static bool guard_tag_drop(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return spl_unless(refusal,
                      x->op == SPL_TAG
                          && (v.shape == SPL_SHAPE_MOVEMENT
                              || (v.outer.kind == SPL_TAG_VEC && are_moves(v.base))),
                      "it needs a tagged permutation or diagonal");
}

static const spl *build_tag_drop(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return v.shape == SPL_SHAPE_MOVEMENT ? spl_movement_to_sigma(ctx, x, 1, 1)
                                         : spl_tagged(ctx, v.base, v.nrest, v.rest);
}

static const char *const cases_tag_drop[] = {"L(8,2)_{spe(2,1)}",
                                             "(I(2) (x) T(2,3) (x) I(2))_{vec(2,inter)}",
                                             "I(6)_{stream(2)}",
                                             "(L(6,3) * T(2,3))_{tile(2),spe(2,1)}",
                                             "(S(h(2,3,0,1)) * G(h(2,3,2,-2)) + S(h(1,3,2,1)) * "
                                             "G(h(1,3,1,1)))_{vec(2,inter)}",
                                             "(DFT(2)_{leaf} (x) I(2))_{spe(2,1)}",
                                             NULL};

const spl_rule spl_tag_drop = {
    .name = "tag-drop",
    .group = SPL_TAGGING,
    .formula = "{P}_t -> P, P without transforms",
    .reference = "Spiral for the Cell",
    .guard = guard_tag_drop,
    .build = build_tag_drop,
    .cases = cases_tag_drop,
};

static const spl *stream_loop(spl_ctx *ctx, int k, int64_t s, spl_ends f, const spl *body)
{
    const spl_range range = spl_range_over(SPL_STREAM, k, s);
    return spl_sum(ctx, &range, spl_wrap(ctx, f, SPL_COPY, body));
}

/* {A}_stream(1) -> SUM.stream(k<1) S.copy(id) A G.copy(id): all of A is in the local store. */
static bool guard_tag_stream_once(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return spl_unless(refusal, v.outer.kind == SPL_TAG_STREAM && v.outer.a[0] == 1,
                      "the outermost tag is not stream(1)");
}

static const spl *build_tag_stream_once(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    const spl *body = spl_tagged(ctx, v.base, v.nrest, v.rest);
    return stream_loop(ctx, spl_height(body), 1, spl_row_ends(ctx, 1, 0, body), body);
}

static const char *const cases_tag_stream_once[] = {
    "DFT(4)_{leaf,stream(1)}", "(DFT(3)_{leaf} (x) I(4))_{spe(2,2),stream(1)}",
    "((DFT(2)_{leaf} (x) I(3)) * T(2,3) * (I(2) (x) DFT(3)_{leaf}) * L(6,2))"
    "_{spe(2,1),stream(1)}",
    "DFT(4)_{leaf,stream(2)}", NULL};

const spl_rule spl_tag_stream_once = {
    .name = "stream-1",
    .group = SPL_TAGGING,
    .formula = "{A}_stream(1) -> SUM.stream(k<1) S.copy(id) A G.copy(id)",
    .reference = "Spiral for the Cell, Table 3(a) rows 2, 3",
    .guard = guard_tag_stream_once,
    .build = build_tag_stream_once,
    .cases = cases_tag_stream_once,
};

/* {A B ..}_t -> {A}_t {B}_t .. */
static bool guard_tag_product(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return spl_unless(refusal, v.outer.kind != SPL_TAG_COUNT && v.outer.kind != SPL_TAG_LEAF,
                      "the outermost tag is leaf, or there is none")
           && spl_unless(refusal, v.shape == SPL_SHAPE_PRODUCT, "it needs a tagged product");
}

static const spl *tag_factor(spl_ctx *ctx, const spl *kid, const void *x)
{
    const spl *tagged = x;
    return spl_tagged(ctx, kid, tagged->ntags, tagged->tag);
}

static const spl *build_tag_product(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    const spl *product = spl_view_mid(ctx, &v);
    return product == NULL ? NULL : spl_map(ctx, product, tag_factor, x);
}

static const char *const cases_tag_product[] = {
    "((DFT(2)_{leaf} (x) I(4)) * L(8,2) * T(4,2) * (DFT(4)_{leaf} (x) I(2)))"
    "_{vec(2,inter),spe(2,2)}",
    "(DFT(3)_{leaf} (x) DFT(4)_{leaf})_{spe(2,1)}",
    "((DFT(2)_{leaf} (x) I(4)) * (I(2) (x) DFT(4)_{leaf}))_{stream(2)}",
    "(DFT(3)_{leaf} (x) I(2))_{spe(2,1)}", NULL};

const spl_rule spl_tag_product = {
    .name = "tag-product",
    .group = SPL_TAGGING,
    .formula = "{A B ..}_t -> {A}_t {B}_t ..",
    .reference = "Spiral for the Cell",
    .guard = guard_tag_product,
    .build = build_tag_product,
    .cases = cases_tag_product,
};

/* Can the streamed rows or columns themselves be A's lanes? */
static bool has_lane_leaf(const spl_view *v)
{
    return spl_view_leaf(v) && spl_view_rest(v, SPL_TAG_SPE) == NULL
           && spl_view_rest(v, SPL_TAG_STREAM) == NULL;
}

typedef enum stream_form {
    NOT_STREAM,
    BARE,
    ROWS,
    ROWS_UNEVEN,
    COLUMNS,
    COLUMNS_UNEVEN
} stream_form;

static stream_form stream_form_of(const spl_view *v)
{
    const int64_t s = v->outer.a[0];
    if (v->outer.kind != SPL_TAG_STREAM)
        return NOT_STREAM;
    if (v->shape != SPL_SHAPE_KRON)
        return BARE;
    if (spl_takes_rows(v, s))
        return v->a % s == 0 ? ROWS : ROWS_UNEVEN;
    return v->b % s == 0 ? COLUMNS : COLUMNS_UNEVEN;
}

static bool has_stream_form(const spl *x, stream_form form, const char **refusal,
                            const char *condition)
{
    const spl_view v = spl_view_of(x);
    const stream_form is = stream_form_of(&v);
    return spl_unless(refusal, is != NOT_STREAM, "the outermost tag is not stream")
           && spl_unless(refusal, spl_shares_fit(v.outer.a[0], v.a > v.b ? v.a : v.b),
                         "s is too large: more than 65536 blocks, and more than rows or columns")
           && spl_unless(refusal, is != BARE, "nothing to stream: no I_n (x) A and no A (x) I_n")
           && spl_unless(refusal, is == form, condition);
}

/* {I_n (x) A_m}_stream(s) -> SUM.stream(k<s) S.copy(q_{k,1,mc}) (I_c (x) A) G.copy(q_{k,1,mc}),
 * c = n/s, s | n                                                                            (9). */
static bool guard_tag_stream_rows(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return has_stream_form(x, ROWS, refusal, "it needs I_n (x) A with s | n");
}

static const spl *build_tag_stream_rows(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    const int64_t s = v.outer.a[0];
    const spl *body = spl_view_inner(ctx, &v, v.a / s, v.b, v.nrest);
    const int k = spl_height(body);
    return stream_loop(ctx, k, s, spl_row_ends(ctx, s, k, body), body);
}

static const char *const cases_tag_stream_rows[] = {
    "(I(8) (x) DFT(3)_{leaf})_{stream(4)}",
    "(I(8) (x) DFT(3)_{leaf})_{spe(2,1),stream(4)}",
    "(I(4) (x) DFT(3)_{leaf})_{vec(2,inter),stream(2)}",
    "(I(2) (x) ((DFT(2)_{leaf} (x) I(4)) * T(2,4) * (I(2) (x) DFT(4)_{leaf}) * L(8,2)))"
    "_{spe(2,2),stream(2)}",
    "(I(3) (x) DFT(2)_{leaf})_{stream(2)}",
    "(DFT(2)_{leaf} (x) I(4))_{stream(2)}",
    NULL};

static bool explains_tag_stream_rows(const spl *x)
{
    return spl_view_of(x).outer.kind == SPL_TAG_STREAM;
}

const spl_rule spl_tag_stream_rows = {
    .name = "(9)",
    .group = SPL_TAGGING,
    .formula = "{I_n (x) A_m}_stream(s) -> SUM.stream(k<s) S.copy(q_{k,1,mc}) (I_c (x) A) "
               "G.copy(q_{k,1,mc}), c = n/s",
    .reference = "Spiral for the Cell (9); with spe inside (12c)",
    .guard = guard_tag_stream_rows,
    .build = build_tag_stream_rows,
    .explains = explains_tag_stream_rows,
    .cases = cases_tag_stream_rows,
};

/* The shares of n rows or columns as iterations of a stream; each row or column is copied by
 * itself. */
static const spl *stream_shares(spl_ctx *ctx, const spl_view *v, bool columns)
{
    const int64_t s = v->outer.a[0], n = columns ? v->b : v->a;
    const bool lanes = has_lane_leaf(v) && (columns ? v->a == 1 : v->b == 1);
    const spl *body =
        lanes ? v->mid[0]
              : spl_view_inner(ctx, v, columns ? v->a : 1, columns ? 1 : v->b, v->nrest);
    const int j = spl_height(body);
    spl_range range = spl_range_shared(j, n, j + 1, s, 1);
    if (lanes)
        spl_range_lanes(&range, v);
    const spl_ends f = columns ? spl_column_ends(ctx, n, j, body) : spl_row_ends(ctx, n, j, body);
    const spl_range blocks = spl_range_over(SPL_STREAM, j + 1, s);
    return spl_sum(ctx, &blocks, spl_sum(ctx, &range, spl_wrap(ctx, f, SPL_COPY, body)));
}

/* {I_n (x) A_m}_stream(s) -> SUM.stream(k<s) SUM(j<n @k/s) S.copy(h_{jm,1}) A G.copy(h_{jm,1})
 * for any n and s.                                                                         (9u). */
static bool guard_tag_stream_rows_uneven(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return has_stream_form(x, ROWS_UNEVEN, refusal, "it needs I_n (x) A with s not | n");
}

static const spl *build_tag_stream_rows_uneven(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return stream_shares(ctx, &v, false);
}

static const char *const cases_tag_stream_rows_uneven[] = {
    "(I(7) (x) DFT(3)_{leaf})_{stream(4)}",
    "(I(3) (x) DFT(2)_{leaf})_{stream(5)}",
    "(I(5) (x) DFT(3)_{leaf} (x) I(4))_{vec(2,inter),spe(2,2),stream(2)}",
    "(I(5) (x) DFT(3)_{leaf})_{vec(2,inter),stream(2)}",
    "(I(4) (x) DFT(2)_{leaf})_{stream(2)}",
    NULL};

const spl_rule spl_tag_stream_rows_uneven = {
    .name = "(9u)",
    .group = SPL_TAGGING,
    .formula = "{I_n (x) A_m}_stream(s) -> SUM.stream(k<s) SUM(j<n @k/s) S.copy(h_{jm,1}) A "
               "G.copy(h_{jm,1})",
    .reference = "Spiral for the Cell (9), uneven",
    .guard = guard_tag_stream_rows_uneven,
    .build = build_tag_stream_rows_uneven,
    .cases = cases_tag_stream_rows_uneven,
};

/* {A_m (x) I_n}_stream(s) -> SUM.stream(k<s) S.copy(q_{k,s,c}) (A (x) I_c) G.copy(q_{k,s,c}),
 * c = n/s, s | n                                                                           (10). */
static bool guard_tag_stream_columns(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return has_stream_form(x, COLUMNS, refusal, "it needs A (x) I_n with s | n");
}

static const spl *build_tag_stream_columns(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    const int64_t s = v.outer.a[0], c = v.b / s;
    const spl *body = spl_view_inner(ctx, &v, v.a, c, v.nrest);
    const int k = spl_height(body);
    return stream_loop(ctx, k, s, spl_tile_ends(ctx, v.b, c, k, body), body);
}

static const char *const cases_tag_stream_columns[] = {
    "(DFT(3)_{leaf} (x) I(8))_{stream(4)}",
    "(DFT(3)_{leaf} (x) I(8))_{spe(2,2),stream(2)}",
    "(((DFT(2)_{leaf} (x) I(2)) * (I(2) (x) DFT(2)_{leaf})) (x) I(6))_{spe(3,1),stream(2)}",
    "(I(2) (x) DFT(3)_{leaf} (x) I(8))_{vec(2,inter),stream(4)}",
    "(DFT(3)_{leaf} (x) I(8))_{stream(3)}",
    NULL};

const spl_rule spl_tag_stream_columns = {
    .name = "(10)",
    .group = SPL_TAGGING,
    .formula = "{A_m (x) I_n}_stream(s) -> SUM.stream(k<s) S.copy(q_{k,s,c}) (A (x) I_c) "
               "G.copy(q_{k,s,c}), c = n/s",
    .reference = "Spiral for the Cell (10)",
    .guard = guard_tag_stream_columns,
    .build = build_tag_stream_columns,
    .cases = cases_tag_stream_columns,
};

/* {A_m (x) I_n}_stream(s) -> SUM.stream(k<s) SUM(j<n @k/s) S.copy(h_{j,n}) A G.copy(h_{j,n})
 * for any n and s.                                                                        (10u). */
static bool guard_tag_stream_columns_uneven(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    return has_stream_form(x, COLUMNS_UNEVEN, refusal, "it needs A (x) I_n with s not | n");
}

static const spl *build_tag_stream_columns_uneven(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return stream_shares(ctx, &v, true);
}

static const char *const cases_tag_stream_columns_uneven[] = {
    "(DFT(3)_{leaf} (x) I(8))_{stream(3)}",
    "(DFT(3)_{leaf} (x) I(2))_{stream(5)}",
    "(I(2) (x) DFT(3)_{leaf} (x) I(7))_{vec(2,inter),stream(4)}",
    "(DFT(3)_{leaf} (x) I(7))_{vec(2,split),stream(2)}",
    "(DFT(3)_{leaf} (x) I(8))_{stream(2)}",
    NULL};

const spl_rule spl_tag_stream_columns_uneven = {
    .name = "(10u)",
    .group = SPL_TAGGING,
    .formula = "{A_m (x) I_n}_stream(s) -> SUM.stream(k<s) SUM(j<n @k/s) S.copy(h_{j,n}) A "
               "G.copy(h_{j,n})",
    .reference = "Spiral for the Cell (10), uneven",
    .guard = guard_tag_stream_columns_uneven,
    .build = build_tag_stream_columns_uneven,
    .cases = cases_tag_stream_columns_uneven,
};
