// SPDX-License-Identifier: BSD-3-Clause
/* The ends of a convolution in tiles of w columns. A tile is a loop of its own over
 *     S(columns) (DFT_r (x) I_w) S(h) diag(C) G(rows of the n elements),
 * so that chirped elements stay in the first cache. n is no multiple of m: the first e = n mod m
 * columns have one element more than the others, and the tile with both kinds stands alone:
 *     tiles 0 .. e/w - 1     q + 1 rows,  q = n div m
 *     the tile e/w           q rows and the beginning of another, where w does not divide e
 *     the rest to m/w        q rows. */
#include "sched/planner/chirp_ends.h"

#include "spl/rules/rewrite.h"

/* Loops inside a tile are made later and numbered from 0 on. */
enum { TILE_VAR = 16, PART_VAR = 17 };

/* Tiles first .. first + count - 1: so many whole rows, and so many elements of one more. */
typedef struct tiles {
    int64_t first, count, rows, rest, w;
} tiles;

/* i -> the column i mod w of row i div w, tile by tile; N bounds the values. */
static const ix *tile_ix(spl_ctx *ctx, const tiles *g, int64_t rows, int64_t m, int64_t N)
{
    const ix_term terms[] = {
        {IX_INDEX, 1, g->w, 1}, {IX_INDEX, g->w, rows, m}, {TILE_VAR, 1, g->count, g->w}};

    return ix_digit(ctx, rows * g->w, N, g->first * g->w, g->count > 1 ? 3 : 2, terms);
}

/* Rows of `columns` elements that move and are multiplied by the chirp: between the n elements at
 * `far` and the tile at `near`. */
static const spl *chirped(sched_target *t, const sched_chirp_end *e, const ix *far, const ix *near,
                          int64_t rows, int64_t columns)
{
    const spl *one = spl_mark_leaves(t->ctx, spl_dft(t->ctx, 1, false));
    const spl *const kron[] = {spl_identity(t->ctx, rows), one, spl_identity(t->ctx, columns)};
    const spl *const factors[] = {spl_scatter(t->ctx, e->out ? far : near, SPL_PLAIN),
                                  spl_diag_of(t->ctx, spl_chirp(t->ctx, e->n, e->inverse), far),
                                  sched_with_vec(t, spl_kron(t->ctx, 3, kron)),
                                  spl_gather(t->ctx, e->out ? near : far, SPL_PLAIN)};

    return spl_mul(t->ctx, 4, factors);
}

/* All elements of a tile. */
static const spl *elements(sched_target *t, const sched_chirp_end *e, const tiles *g)
{
    const int64_t whole = g->rows * g->w, all = e->r * g->w;
    const spl *rows = chirped(t, e, tile_ix(t->ctx, g, g->rows, e->m, e->n),
                              ix_h(t->ctx, whole, all, 0, 1), g->rows, g->w);

    if (g->rest == 0)
        return rows;
    const spl *const terms[] = {
        rows, chirped(t, e, ix_h(t->ctx, g->rest, e->n, g->rows * e->m + g->first * g->w, 1),
                      ix_h(t->ctx, g->rest, all, whole, 1), 1, g->rest)};
    return spl_plus(t->ctx, 2, terms);
}

static const spl *body(sched_target *t, const sched_chirp_end *e, const tiles *g)
{
    const spl *leaf = spl_mark_leaves(t->ctx, spl_dft(t->ctx, e->r, e->left));
    const spl *stage = sched_with_vec(t, spl_kron2(t->ctx, leaf, spl_identity(t->ctx, g->w)));
    const ix *columns = tile_ix(t->ctx, g, e->r, e->m, e->r * e->m);
    const spl *const in[] = {spl_scatter(t->ctx, columns, SPL_PLAIN), stage, elements(t, e, g)};
    const spl *const out[] = {elements(t, e, g), stage, spl_gather(t->ctx, columns, SPL_PLAIN)};

    return spl_mul(t->ctx, 3, e->out ? out : in);
}

/* The loop over tiles, dealt to the parts. */
static const spl *loop(sched_target *t, const sched_chirp_end *e, const tiles *g, sched_tags tags)
{
    const spl *x = body(t, e, g);

    if (g->count == 1)
        return x;
    if (tags != SCHED_PARTS || t->parts == 1) {
        const spl_range range = spl_range_over(SPL_SEQ, TILE_VAR, g->count);
        return spl_sum(t->ctx, &range, x);
    }
    const spl_range range = spl_range_shared(TILE_VAR, g->count, PART_VAR, t->parts, 1);
    return spl_parts(t->ctx, PART_VAR, t->parts, spl_sum(t->ctx, &range, x));
}

/* Whole vectors that divide m, as many as a third of the first cache has room for. */
static int64_t width(const sched_target *t, const sched_chirp_end *e)
{
    int64_t w = (int64_t)t->unit.l1 / (3 * e->r * sched_element_bytes(t));

    for (w -= w % t->lanes; w > t->lanes && e->m % w != 0;)
        w -= t->lanes;
    return w > t->lanes ? w : t->lanes;
}

const spl *sched_chirp_end_formula(sched_target *t, const sched_chirp_end *e, sched_tags tags)
{
    const int64_t w = width(t, e), q = e->n / e->m, rest = e->n % e->m;
    const int64_t mixed = rest / w, even = mixed + (rest % w != 0), last = e->m / w;
    const tiles group[] = {{0, mixed, q + 1, 0, w},
                           {mixed, even - mixed, q, rest % w, w},
                           {even, last - even, q, 0, w}};
    const spl *terms[3];
    int count = 0;

    for (int i = 0; i < 3; i++)
        if (group[i].count > 0)
            terms[count++] = loop(t, e, &group[i], tags);
    return spl_plus(t->ctx, count, terms);
}
