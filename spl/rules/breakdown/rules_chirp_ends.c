// SPDX-License-Identifier: BSD-3-Clause
/* Either end of a convolution with a chirp: the chirp and the adjacent stage of radix r in one pass
 * through memory over tiles of w columns. Each tile is a loop over
 *     S(columns) (DFT_r (x) I_w) S(h) diag(C) G(rows of the n elements),
 * so that chirped elements stay in L1; the end after the convolution is the transpose. n need not
 * be a multiple of m: the first e = n mod m columns have one element more than the others, and a
 * tile with both kinds is a case of its own:
 *     tiles 0 .. e/w - 1     q + 1 rows,  q = n div m
 *     the tile e/w           q rows and the beginning of another, if w does not divide e
 *     the rest to m/w        q rows. */
#include "spl/rules/rewrite.h"

/* n elements as rows of m; DFT_r runs on the columns. */
typedef struct ends {
    int64_t n, r, m;
    bool after;               /* the end after the convolution: the transpose */
    const spl *chirp, *stage; /* C_n, DFT_r (x) I_m */
    const spl *move;          /* S(h), or G(h) */
} ends;

/* Tiles first .. first + count - 1, with `rows` whole rows and `rest` elements of another. */
typedef struct tiles {
    int64_t first, count, rows, rest, w;
} tiles;

static bool find_ends(const spl *x, ends *e)
{
    if (x->op != SPL_MUL || x->nkids != 3)
        return false;
    e->after = x->kid[0]->op == SPL_DIAGONAL;
    e->chirp = x->kid[e->after ? 0 : 2];
    e->move = x->kid[1];
    e->stage = x->kid[e->after ? 2 : 0];
    if (e->chirp->op != SPL_DIAGONAL || spl_diagonal_values(e->chirp) != SPL_CHIRP
        || e->move->op != (e->after ? SPL_GATH : SPL_SCAT) || spl_move_class(e->move) != SPL_PLAIN
        || e->stage->op != SPL_KRON || e->stage->nkids != 2 || !spl_is_dft(e->stage->kid[0])
        || e->stage->kid[1]->op != SPL_I)
        return false;
    const ix *first = e->move->f;
    e->n = spl_transform_size(e->chirp);
    e->r = e->stage->kid[0]->a[0];
    e->m = e->stage->kid[1]->rows;
    return first->kind == IX_DIGIT && first->c == 0 && x->height == 0 && ix_run(first) == first->n;
}

static bool ends_guard(const spl *x, const spl_params *p, const char **refusal)
{
    ends e = {0};

    if (!spl_unless(refusal, find_ends(x, &e),
                    "it needs (DFT(r) (x) I(m)) S(h) C(n), h the first n of r m, or C(n) G(h) "
                    "(DFT(r) (x) I(m))"))
        return false;
    return spl_unless(refusal, p->v[0] > 0 && e.m % p->v[0] == 0 && e.n >= e.m,
                      "tiles must divide the columns, and n fill a row");
}

static int ends_choices(const spl *x, spl_params *out, int max)
{
    ends e = {0};
    int count = 0;

    if (!find_ends(x, &e) || e.n < e.m)
        return 0;
    for (int64_t w = e.m; w > 0 && count < max; w--)
        if (e.m % w == 0)
            out[count++] = (spl_params){{w}};
    return count;
}

static bool ends_case(spl_ctx *ctx, int i, const spl **x, spl_params *p)
{
    static const char *const cases[] = {"(DFT(4) (x) I(6)) * S(h(13,24,0,1)) * C(13)",
                                        "(IDFT(4) (x) I(6)) * S(h(16,24,0,1)) * C(16)^-1",
                                        "C(13) * G(h(13,24,0,1)) * (IDFT(4) (x) I(6))",
                                        "C(17)^-1 * G(h(17,24,0,1)) * (DFT(4) (x) I(6))",
                                        "(DFT(2) (x) I(12)) * S(h(24,24,0,1)) * C(24)",
                                        "C(5) * G(h(5,24,0,1)) * (DFT(4) (x) I(6))",
                                        "C(13) * G(h(13,24,1,1)) * (DFT(4) (x) I(6))",
                                        NULL};
    static const int64_t width[] = {1, 2, 3, 4, 6};

    if (!spl_text_case(ctx, cases, i / 5, x))
        return false;
    *p = (spl_params){{width[i % 5]}};
    return true;
}

/* i -> column i mod w of row i div w of a tile; values are below N. */
static const ix *tile_ix(spl_ctx *ctx, const tiles *g, int64_t rows, int64_t m, int64_t N)
{
    const ix_term terms[] = {
        {IX_INDEX, 1, g->w, 1}, {IX_INDEX, g->w, rows, m}, {SPL_OUTER_VAR, 1, g->count, g->w}};

    return ix_digit(ctx, rows * g->w, N, g->first * g->w, g->count > 1 ? 3 : 2, terms);
}

/* Rows of `columns` elements that are moved and multiplied by the chirp, between `array`, the
 * places in the n elements, and `tile`, those in the tile. */
static const spl *chirped_rows(spl_ctx *ctx, const ends *e, const ix *array, const ix *tile,
                               int64_t rows, int64_t columns)
{
    const spl *const kron[] = {spl_identity(ctx, rows), spl_dft(ctx, 1, false),
                               spl_identity(ctx, columns)};
    const spl *const factors[] = {spl_scatter(ctx, e->after ? array : tile, SPL_PLAIN),
                                  spl_diag_of(ctx, e->chirp, array), spl_kron(ctx, 3, kron),
                                  spl_gather(ctx, e->after ? tile : array, SPL_PLAIN)};

    return spl_mul(ctx, 4, factors);
}

/* All elements of a tile. */
static const spl *chirped_tile(spl_ctx *ctx, const ends *e, const tiles *g)
{
    const int64_t whole = g->rows * g->w, all = e->r * g->w;
    const spl *rows = chirped_rows(ctx, e, tile_ix(ctx, g, g->rows, e->m, e->n),
                                   ix_h(ctx, whole, all, 0, 1), g->rows, g->w);

    if (g->rest == 0)
        return rows;
    const spl *const terms[] = {
        rows, chirped_rows(ctx, e, ix_h(ctx, g->rest, e->n, g->rows * e->m + g->first * g->w, 1),
                           ix_h(ctx, g->rest, all, whole, 1), 1, g->rest)};
    return spl_plus(ctx, 2, terms);
}

static const spl *loop_over(spl_ctx *ctx, const ends *e, const tiles *g)
{
    const spl *stage = spl_kron2(ctx, e->stage->kid[0], spl_identity(ctx, g->w));
    const ix *columns = tile_ix(ctx, g, e->r, e->m, e->r * e->m);
    const spl *tile = chirped_tile(ctx, e, g);
    const spl *const before[] = {spl_scatter(ctx, columns, SPL_PLAIN), stage, tile};
    const spl *const after[] = {tile, stage, spl_gather(ctx, columns, SPL_PLAIN)};
    const spl *body = spl_mul(ctx, 3, e->after ? after : before);
    const spl_range range = spl_range_over(SPL_SEQ, SPL_OUTER_VAR, g->count);

    return g->count > 1 ? spl_sum(ctx, &range, body) : body;
}

static const spl *ends_build(spl_ctx *ctx, const spl *x, const spl_params *p)
{
    ends e = {0};
    const spl *terms[3];
    int count = 0;

    if (!find_ends(x, &e))
        return NULL;
    const int64_t w = p->v[0], q = e.n / e.m, rest = e.n % e.m;
    const int64_t mixed = rest / w, equal = mixed + (rest % w != 0), last = e.m / w;
    const tiles group[] = {{0, mixed, q + 1, 0, w},
                           {mixed, equal - mixed, q, rest % w, w},
                           {equal, last - equal, q, 0, w}};
    for (int i = 0; i < 3; i++)
        if (group[i].count > 0)
            terms[count++] = loop_over(ctx, &e, &group[i]);
    return spl_plus(ctx, count, terms);
}

const spl_rule spl_chirp_ends = {
    .name = "chirp-ends",
    .group = SPL_BREAKDOWN,
    .formula = "(DFT_r (x) I_m) S(h) C_n = SUM(k<m/w) S(columns of tile k) (DFT_r (x) I_w) "
               "SUM(rows) S diag(C_n) G(row of tile k), and its transpose",
    .reference = "Bluestein 1970; loops tiled",
    .params = "w",
    .guard = ends_guard,
    .build = ends_build,
    .choices = ends_choices,
    .test_case = ends_case,
};
