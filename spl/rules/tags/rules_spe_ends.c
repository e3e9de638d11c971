// SPDX-License-Identifier: BSD-3-Clause
/* Tag rule for spe inside stream around a product. The stream's transfers move into the parts of
 * the first and the last stage; data between the stages stay in the local stores. */
#include "spl/rules/rewrite.h"

#include <stddef.h>

/* {I_s (x) F_1 F_2 .. F_k}_{.., spe(p,mu), stream(s)}, or with all tags but stream(s) on the
 * product. The ends are the first and the last of the factors that contain transforms; the
 * rightmost runs first. */
typedef struct ends {
    const spl *product;  /* NULL: x has another form */
    const spl_tag *tags; /* of the product; spe is the last one */
    int ntags;
    int64_t s;
    int first, last;
} ends;

static ends find_ends(const spl *x)
{
    const spl_view v = spl_view_of(x);
    const bool batch = v.shape == SPL_SHAPE_KRON && v.b == 1 && v.nmid == 1;
    const spl *mid = batch ? v.mid[0] : v.base;
    ends e = {.tags = v.rest, .ntags = v.nrest, .s = v.outer.a[0]};

    if (v.nrest == 0 && mid->op == SPL_TAG) {
        e.tags = mid->tag;
        e.ntags = mid->ntags;
        mid = mid->kid[0];
    }
    if (v.outer.kind != SPL_TAG_STREAM || e.s != v.a || mid->op != SPL_MUL || e.ntags == 0
        || e.tags[e.ntags - 1].kind != SPL_TAG_SPE || spl_contains_tag(mid, SPL_TAG_STREAM))
        return e;
    for (int i = 0; i < e.ntags; i++)
        if (e.tags[i].kind == SPL_TAG_STREAM)
            return e;
    e.product = mid;
    e.first = mid->nkids - 1;
    while (e.first > 0 && spl_is_data_movement(mid->kid[e.first]))
        e.first--;
    while (e.last < e.first && spl_is_data_movement(mid->kid[e.last]))
        e.last++;
    return e;
}

/* Do all parts get the same number of whole packets of the rows or columns of this factor? */
static bool distributes_evenly(const ends *e, int kid)
{
    const spl *x = e->product->kid[kid];
    const spl_view v = spl_view_of(x);
    const int64_t p = e->tags[e->ntags - 1].a[0], mu = e->tags[e->ntags - 1].a[1];

    if (v.shape != SPL_SHAPE_KRON || spl_contains_tag(x, SPL_TAG_SPE))
        return false;
    return spl_takes_rows(&v, p) ? v.a % p == 0 : v.b % p == 0 && v.b / p % mu == 0;
}

static bool guard_tag_spe_inside_stream(const spl *x, const spl_params *p, const char **refusal)
{
    const ends e = find_ends(x);

    (void)p;
    return spl_unless(refusal, e.product != NULL,
                      "it needs I_s (x) (A .. B) with spe inside stream(s)")
           && spl_unless(refusal, e.last < e.first, "it needs two stages")
           && spl_unless(refusal, distributes_evenly(&e, e.first) && distributes_evenly(&e, e.last),
                         "it needs p | n, and mu | n/p of columns, for the first and last stage");
}

/* SUM.par(k<p) S.put(f_k) A G.get(f_k), A the share of a part in a stage */
static const spl *make_end_stage(spl_ctx *ctx, const spl *x, spl_class put, spl_class get)
{
    if (x == NULL)
        return NULL;
    const spl_view v = spl_view_of(x);
    const int64_t p = v.outer.a[0];
    const bool rows = spl_takes_rows(&v, v.outer.a[0]);
    const spl *body = spl_view_inner(ctx, &v, rows ? v.a / p : v.a, rows ? v.b : v.b / p, v.nrest);
    const int k = spl_height(body);
    const spl_ends f =
        rows ? spl_row_ends(ctx, p, k, body) : spl_tile_ends(ctx, v.b, v.b / p, k, body);
    const spl *const kids[] = {spl_scatter(ctx, f.out, put), body, spl_gather(ctx, f.in, get)};

    return spl_parts(ctx, k, p, spl_mul(ctx, 3, kids));
}

static const spl *build_tag_spe_inside_stream(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    const ends e = find_ends(x);
    const spl *product = spl_identity(ctx, e.product->rows);

    (void)p;
    for (int i = 0; i < e.product->nkids; i++) {
        const spl *kid = spl_tagged(ctx, e.product->kid[i], e.ntags, e.tags);
        if (i == e.first || i == e.last)
            kid = make_end_stage(ctx, kid, i == e.last ? SPL_COPY : SPL_PLAIN,
                                 i == e.first ? SPL_COPY : SPL_PLAIN);
        product = spl_mul2(ctx, product, kid);
    }
    const int j = spl_height(product);
    const spl_range blocks = spl_range_over(SPL_STREAM, j, e.s);
    if (e.s > 1)
        product = spl_wrap(ctx, spl_row_ends(ctx, e.s, j, product), SPL_PLAIN, product);
    return spl_sum(ctx, &blocks, product);
}

static const char *const cases_tag_spe_inside_stream[] = {
    "((DFT(4)_{leaf} (x) I(4)) * T(4,4) * (I(4) (x) DFT(4)_{leaf}) * L(16,4))"
    "_{spe(2,2),stream(1)}",
    "(I(3) (x) ((DFT(4)_{leaf} (x) I(4)) * L(16,4) * T(4,4) * (DFT(4)_{leaf} (x) I(4))))"
    "_{vec(2,inter),spe(4,1),stream(3)}",
    "(I(2) (x) ((DFT(2)_{leaf} (x) I(12)) * (I(2) (x) DFT(3)_{leaf} (x) I(4)) * "
    "(DFT(4)_{leaf} (x) I(6))_{vec(2,inter)}))_{spe(2,1),stream(2)}",
    "(I(3) (x) ((DFT(4)_{leaf} (x) I(4)) * T(4,4) * (I(4) (x) DFT(4)_{leaf}))_{spe(2,2)})"
    "_{stream(3)}",
    "((DFT(3)_{leaf} (x) I(4)) * T(3,4) * (I(3) (x) DFT(4)_{leaf}) * L(12,3))"
    "_{spe(2,1),stream(1)}",
    "((DFT(4)_{leaf} (x) I(4)) * L(16,4))_{spe(2,2),stream(1)}",
    "(I(4) (x) DFT(4)_{leaf})_{spe(2,2),stream(2)}",
    NULL};

const spl_rule spl_tag_spe_inside_stream = {
    .name = "(12c)",
    .group = SPL_TAGGING,
    .formula = "{I_s (x) F_1 .. F_k}_spe(p,mu),stream(s) -> SUM.stream(j<s) (SUM.par(k<p) "
               "S.copy(h_{jK,1} o f_k) A_1 G(f_k)) {F_2 ..}_spe(p,mu) (SUM.par(k<p) S(g_k) A_k "
               "G.copy(h_{jK,1} o g_k))",
    .reference = "Spiral for the Cell (12), corrected",
    .guard = guard_tag_spe_inside_stream,
    .build = build_tag_spe_inside_stream,
    .cases = cases_tag_spe_inside_stream,
};
