// SPDX-License-Identifier: BSD-3-Clause
/* Tag rules for tile(mu), columns in blocks that stay in cache, and vec(nu,format), the lanes. */
#include "spl/rules/rewrite.h"

#include <stddef.h>

/* {A_m (x) I_n}_tile(mu) -> SUM(l<n div w) S(f_l) (A (x) I_w) G(f_l) + S(g) (A (x) I_r) G(g), w the
 * smaller of mu and n; the last r = n mod w columns are in no tile: (7g) without parts. */
static bool guard_tag_tile(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return spl_unless(refusal, v.outer.kind == SPL_TAG_TILE, "the outermost tag is not tile")
           && spl_unless(refusal, v.shape == SPL_SHAPE_KRON && v.a == 1, "it needs A (x) I_n");
}

static const spl *build_tag_tile(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    const int64_t w = v.outer.a[0] < v.b ? v.outer.a[0] : v.b, r = v.b % w;
    const spl *body = spl_view_inner(ctx, &v, 1, w, v.nrest);
    if (w == v.b)
        return body;
    const int l = spl_height(body);
    const spl_range range = spl_range_over(SPL_SEQ, l, v.b / w);
    body = spl_wrap(ctx, spl_tile_ends(ctx, v.b, w, l, body), SPL_PLAIN, body);
    body = range.n > 1 ? spl_sum(ctx, &range, body) : body;
    return r == 0 ? body : spl_with_rest(ctx, body, v.b, r, spl_view_inner(ctx, &v, 1, r, v.nrest));
}

static const char *const cases_tag_tile[] = {
    "(DFT(3)_{leaf} (x) I(8))_{tile(4)}",
    "(DFT(3)_{leaf} (x) I(8))_{vec(2,inter),tile(3)}",
    "(((DFT(2)_{leaf} (x) I(3)) * T(2,3) * (I(2) (x) DFT(3)_{leaf}) * L(6,2)) (x) I(7))"
    "_{vec(2,inter),tile(4)}",
    "(S(h(2,3,0,1)) (x) DFT(2)_{leaf} (x) I(7))_{tile(2)}",
    "(((DFT(2)_{leaf} (x) I(2)) * L(4,2) * T(2,2) * (DFT(2)_{leaf} (x) I(2))) (x) I(9))"
    "_{vec(2,inter),tile(3)}",
    "(DFT(3)_{leaf} (x) I(8))_{tile(16)}",
    "(DFT(3)_{leaf} (x) I(7))_{tile(4)}",
    "(I(2) (x) DFT(3)_{leaf} (x) I(8))_{tile(4)}",
    NULL};

const spl_rule spl_tag_tile = {
    .name = "tile",
    .group = SPL_TAGGING,
    .formula = "{A_m (x) I_n}_tile(mu) -> SUM(l<n div mu) S(q_{l,n/mu,mu}) (A (x) I_mu) "
               "G(q_{l,n/mu,mu}) + S (A (x) I_r) G, r = n mod mu",
    .reference = "Spiral for the Cell (7), corrected, without parts",
    .guard = guard_tag_tile,
    .build = build_tag_tile,
    .cases = cases_tag_tile,
};

/* {I_n (x) A_m}_tile -> SUM(i<n) S(h_{im,1}) {A}_tile G(h_{im,1}), A of columns or a product. */
static bool guard_tag_tile_rows(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return spl_unless(refusal, v.outer.kind == SPL_TAG_TILE, "the outermost tag is not tile")
           && spl_unless(refusal,
                         v.shape == SPL_SHAPE_KRON && v.a > 1 && (v.b > 1 || !spl_view_leaf(&v)),
                         "it needs I_n (x) A, A not a leaf");
}

static const spl *build_tag_tile_rows(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return spl_loop_rows(ctx, v.a, spl_view_inner(ctx, &v, 1, v.b, v.nrest + 1));
}

static const char *const cases_tag_tile_rows[] = {
    "(I(2) (x) DFT(3)_{leaf} (x) I(8))_{vec(2,inter),tile(4)}",
    "(I(3) (x) ((DFT(2)_{leaf} (x) I(4)) * (I(2) (x) DFT(4)_{leaf})))_{tile(2)}",
    "(I(2) (x) DFT(3)_{leaf})_{tile(4)}", NULL};

const spl_rule spl_tag_tile_rows = {
    .name = "tile-rows",
    .group = SPL_TAGGING,
    .formula = "{I_n (x) A_m}_tile(mu) -> SUM(i<n) S(h_{im,1}) {A}_tile(mu) G(h_{im,1})",
    .reference = "Table 2",
    .guard = guard_tag_tile_rows,
    .build = build_tag_tile_rows,
    .cases = cases_tag_tile_rows,
};

/* {I_n (x) K}_tile -> I_n (x) K for K a leaf or PAIRS: there are no columns. */
static bool guard_tag_tile_none(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return spl_unless(refusal, v.outer.kind == SPL_TAG_TILE, "the outermost tag is not tile")
           && spl_unless(refusal, (spl_view_leaf(&v) || v.base->op == SPL_PAIRS) && v.b == 1,
                         "it needs a leaf, or A (x) I_n: the transform is not broken down");
}

static const spl *build_tag_tile_none(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return spl_tagged(ctx, v.base, v.nrest, v.rest);
}

static const char *const cases_tag_tile_none[] = {
    "(I(2) (x) DFT(3)_{leaf})_{tile(4)}", "DFT(4)_{leaf,vec(2,inter),tile(2)}",
    "PAIRS.rdft(6)_{vec(2,inter),tile(2)}", "DFT(4)_{tile(2)}", NULL};

static bool explains_tag_tile_none(const spl *x)
{
    return spl_view_of(x).outer.kind == SPL_TAG_TILE;
}

const spl_rule spl_tag_tile_none = {
    .name = "tile-none",
    .group = SPL_TAGGING,
    .formula = "{I_n (x) K}_tile(mu) -> I_n (x) K, K a leaf or PAIRS",
    .reference = "nothing to tile",
    .guard = guard_tag_tile_none,
    .build = build_tag_tile_none,
    .explains = explains_tag_tile_none,
    .cases = cases_tag_tile_none,
};

static bool is_vec(const spl_view *v, const char **refusal)
{
    return spl_unless(refusal, v->outer.kind == SPL_TAG_VEC, "the outermost tag is not vec")
           && spl_nests(v, refusal);
}

/* SUM.vec(j<n) S(f) K G(f), K a leaf */
static const spl *loop_over_lanes(spl_ctx *ctx, const spl *x, int64_t n, spl_ends f,
                                  const spl *leaf)
{
    const spl_tag *vec = &x->tag[x->ntags - 1];
    spl_range range = spl_range_over(SPL_VEC, 0, n);
    range.nu = vec->a[0];
    range.format = (int)vec->a[1];
    return spl_sum(ctx, &range, spl_wrap(ctx, f, SPL_PLAIN, leaf));
}

/* {I_a (x) K_m (x) I_b}_vec -> SUM(i<a) S(h_{imb,1}) (SUM.vec(j<b) S(h_{j,b}) K G(h_{j,b}))
 * G(h_{imb,1}), K a leaf                                                    V1 of the lanes. */
static bool guard_tag_vec_columns(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return is_vec(&v, refusal)
           && spl_unless(refusal, v.b > 1 && spl_view_leaf(&v), "it needs K (x) I_b, K a leaf");
}

static const spl *build_tag_vec_columns(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    const spl *body =
        loop_over_lanes(ctx, x, v.b, spl_column_ends(ctx, v.b, 0, v.mid[0]), v.mid[0]);
    return v.a == 1 ? body : spl_loop_rows(ctx, v.a, body);
}

static const char *const cases_tag_vec_columns[] = {
    "(DFT(3)_{leaf} (x) I(8))_{vec(4,inter)}", "(I(3) (x) DFT(4)_{leaf} (x) I(5))_{vec(2,split)}",
    "(I(3) (x) DFT(4)_{leaf})_{vec(2,inter)}", "(DFT(3)_{leaf} (x) I(8))_{tile(2),vec(4,inter)}",
    NULL};

const spl_rule spl_tag_vec_columns = {
    .name = "vec-columns",
    .group = SPL_TAGGING,
    .formula = "{I_a (x) K_m (x) I_b}_vec(nu,f) -> SUM(i<a) S(h_{imb,1}) (SUM.vec(j<b) S(h_{j,b}) "
               "K G(h_{j,b})) G(h_{imb,1})",
    .reference = "V1: vector code for free",
    .guard = guard_tag_vec_columns,
    .build = build_tag_vec_columns,
    .cases = cases_tag_vec_columns,
};

/* {I_n (x) K_m}_vec -> SUM.vec(j<n) S(h_{jm,1}) K G(h_{jm,1}), K a leaf. */
static bool guard_tag_vec_rows(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return is_vec(&v, refusal)
           && spl_unless(refusal, v.a > 1 && v.b == 1 && spl_view_leaf(&v),
                         "it needs I_n (x) K, K a leaf");
}

static const spl *build_tag_vec_rows(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return loop_over_lanes(ctx, x, v.a, spl_row_ends(ctx, v.a, 0, v.mid[0]), v.mid[0]);
}

static const char *const cases_tag_vec_rows[] = {
    "(I(8) (x) DFT(3)_{leaf})_{vec(4,inter)}", "(I(5) (x) IDFT(4)_{leaf})_{vec(2,split)}",
    "(DFT(4)_{leaf} (+) DFT(4)_{leaf})_{vec(2,split)}",
    "(I(3) (x) (I(2) (x) DFT(4)_{leaf})_{vec(2,inter)})_{vec(2,inter)}", NULL};

const spl_rule spl_tag_vec_rows = {
    .name = "vec-rows",
    .group = SPL_TAGGING,
    .formula = "{I_n (x) K_m}_vec(nu,f) -> SUM.vec(j<n) S(h_{jm,1}) K G(h_{jm,1})",
    .reference = "V6: lanes over transforms, in-register transposes",
    .guard = guard_tag_vec_rows,
    .build = build_tag_vec_rows,
    .cases = cases_tag_vec_rows,
};

/* {(A B ..) (x) I_n}_vec -> {A (x) I_n}_vec {B (x) I_n}_vec .. */
static bool guard_tag_vec_product(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return is_vec(&v, refusal)
           && spl_unless(refusal,
                         v.shape == SPL_SHAPE_KRON && v.a == 1
                             && (v.nmid > 1 || v.mid[0]->op == SPL_MUL),
                         "it needs a product (x) I_n");
}

static const spl *tag_columns_of_factor(spl_ctx *ctx, const spl *kid, const void *arg)
{
    const spl *x = arg;
    const spl_view v = spl_view_of(x);
    kid = spl_kron2(ctx, kid, spl_identity(ctx, v.b));
    return spl_tagged(ctx, kid, x->ntags, x->tag);
}

static const spl *build_tag_vec_product(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    const spl *product = spl_view_mid(ctx, &v);
    return product == NULL ? NULL : spl_map(ctx, product, tag_columns_of_factor, x);
}

static const char *const cases_tag_vec_product[] = {
    "(((DFT(2)_{leaf} (x) I(4)) * L(8,2) * T(4,2) * (DFT(4)_{leaf} (x) I(2))) (x) I(3))"
    "_{vec(2,inter)}",
    "(DFT(2)_{leaf} (x) DFT(3)_{leaf} (x) I(4))_{vec(4,inter)}",
    "(DFT(3)_{leaf} (x) I(4))_{vec(4,inter)}", NULL};

const spl_rule spl_tag_vec_product = {
    .name = "vec-product",
    .group = SPL_TAGGING,
    .formula = "{(A B ..) (x) I_n}_vec -> {A (x) I_n}_vec {B (x) I_n}_vec ..",
    .reference = "(A B) (x) I = (A (x) I)(B (x) I)",
    .guard = guard_tag_vec_product,
    .build = build_tag_vec_product,
    .cases = cases_tag_vec_product,
};

/* {I_n (x) A_m}_vec -> SUM(i<n) S(h_{im,1}) {A}_vec G(h_{im,1});
 *   {A_m (x) I_n}_vec -> SUM(j<n) S(h_{j,n}) {A}_vec G(h_{j,n}) if A is not a product itself. */
static bool guard_tag_vec_inside(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return is_vec(&v, refusal)
           && spl_unless(refusal, v.shape == SPL_SHAPE_KRON && !spl_view_leaf(&v),
                         "it needs I_n (x) A or A (x) I_n, A not a leaf");
}

static const spl *build_tag_vec_inside(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    if (v.a > 1)
        return spl_loop_rows(ctx, v.a, spl_view_inner(ctx, &v, 1, v.b, v.nrest + 1));
    return spl_loop_columns(ctx, v.b, spl_view_inner(ctx, &v, 1, 1, v.nrest + 1));
}

static const char *const cases_tag_vec_inside[] = {
    "(I(3) (x) ((DFT(2)_{leaf} (x) I(4)) * (I(2) (x) DFT(4)_{leaf})))_{vec(2,inter)}",
    "(I(2) (x) ((DFT(2)_{leaf} (x) I(2)) * T(2,2) * (I(2) (x) DFT(2)_{leaf})) (x) I(3))"
    "_{vec(2,inter)}",
    "(I(3) (x) DFT(2)_{leaf})_{vec(2,inter)}", NULL};

const spl_rule spl_tag_vec_inside = {
    .name = "vec-inside",
    .group = SPL_TAGGING,
    .formula = "{I_n (x) A_m}_vec -> SUM(i<n) S(h_{im,1}) {A}_vec G(h_{im,1}); A_m (x) I_n alike",
    .reference = "Table 2",
    .guard = guard_tag_vec_inside,
    .build = build_tag_vec_inside,
    .cases = cases_tag_vec_inside,
};

/* {K}_vec -> SUM.vec(j<1) S(id) K G(id), so that nu and format reach the backend. */
static bool guard_tag_vec_leaf(const spl *x, const spl_params *p, const char **refusal)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    return is_vec(&v, refusal)
           && spl_unless(refusal, v.shape == SPL_SHAPE_LEAF,
                         "the transform is neither broken down nor a leaf");
}

static const spl *build_tag_vec_leaf(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    (void)p;
    const spl_view v = spl_view_of(x);
    const spl *leaf = spl_tagged(ctx, v.base, v.nrest, v.rest);
    return loop_over_lanes(ctx, x, 1, spl_row_ends(ctx, 1, 0, leaf), leaf);
}

static const char *const cases_tag_vec_leaf[] = {
    "DFT(8)_{leaf,vec(4,inter)}", "IDFT(5)_{leaf,vec(2,split)}", "DFT(8)_{vec(4,inter)}", NULL};

static bool explains_tag_vec_leaf(const spl *x)
{
    return spl_view_of(x).outer.kind == SPL_TAG_VEC;
}

const spl_rule spl_tag_vec_leaf = {
    .name = "vec-leaf",
    .group = SPL_TAGGING,
    .formula = "{K}_vec(nu,f) -> SUM.vec(j<1) S(id) K G(id)",
    .reference = "one lane",
    .guard = guard_tag_vec_leaf,
    .build = build_tag_vec_leaf,
    .explains = explains_tag_vec_leaf,
    .cases = cases_tag_vec_leaf,
};
