// SPDX-License-Identifier: BSD-3-Clause
/* Stockham products: DFT_n = PROD_q (DFT_{r_q} (x) I_{m_q} (x) I_{l_q}) (L T (x) I_{l_q}), by the
 * rule dft-stockham applied to what is left, columns of earlier radices riding along.
 *
 * Stages that are joined are one factor DFT_R (x) I_{m l}, computed on tiles of w columns with all of
 * them in turn, so that data beyond the caches make one trip (the four-step method is a product of
 * two such factors). Where the columns are adjacent in the output of the factor, tag tile says so;
 * the first of the stages, r, is taken off by rule dft-dif, so that the others run on R / r rows of w
 * columns at a time, nearer than the tile. The first factor of a contiguous transform is
 * followed by L: there the first of the stages transposes inside the tile, the others run on single
 * rows and the last one writes whole ones,
 *     L T (DFT_R (x) I_m) = T' (I_{m/w} (x) X) (L^{R m/w}_{m/w} (x) I_w),
 *     X = (I_w (x) DFT_q (x) I_r) L^{R w}_w (L T (DFT_r (x) I_q) (x) I_w),  R = r q. */
#include "sched/planner/stockham.h"

#include "spl/rules/rule.h"

/* One or two cache lines. */
static const int64_t tile_bytes = 128;

static const spl *identity(sched_target *t, int64_t n)
{
    return spl_identity(t->ctx, n);
}

static const spl *beside(sched_target *t, const spl *x, int64_t l)
{
    return spl_kron2(t->ctx, x, identity(t, l));
}

static const spl *leaf(sched_target *t, const spl *x)
{
    return spl_mark_leaves(t->ctx, x);
}

const spl *sched_with_vec(sched_target *t, const spl *x)
{
    const spl_tag vec = {.kind = SPL_TAG_VEC, .a = {t->lanes, t->format}};

    return t->lanes > 1 ? spl_tagged(t->ctx, x, 1, &vec) : x;
}

/* n of A (x) I_n. */
static int64_t columns_of(const spl *x)
{
    int64_t n = 1;

    x = spl_untagged(x);
    for (int i = x->nkids; x->op == SPL_KRON && i > 0 && x->kid[i - 1]->op == SPL_I; i--)
        n *= x->kid[i - 1]->rows;
    return n;
}

/* Packets of mu columns, or of all where there are fewer. */
const spl *sched_with_spe(sched_target *t, const spl *x, int64_t parts, int64_t mu)
{
    const int64_t columns = x ? columns_of(x) : 1;
    const bool few = columns > 1 && columns < mu;
    const spl_tag spe = {.kind = SPL_TAG_SPE, .a = {parts, few ? columns : mu}};

    return t->parts > 1 ? spl_tagged(t->ctx, x, 1, &spe) : x;
}

static const spl *with_tile(sched_target *t, const spl *x, int64_t mu)
{
    const spl_tag tile = {.kind = SPL_TAG_TILE, .a = {mu, 0}};

    return spl_tagged(t->ctx, x, 1, &tile);
}

int64_t sched_element_bytes(const sched_target *t)
{
    return t->precision == SLUICE_F32 ? 8 : 16;
}

int64_t sched_tile_columns(const sched_target *t)
{
    const int64_t columns = tile_bytes / sched_element_bytes(t);

    return columns > t->lanes ? columns : t->lanes;
}

sched_radix_model sched_model(const sched_target *t, int64_t columns, int64_t batch)
{
    return (sched_radix_model){
        .table = t->table,
        .backend = t->backend,
        .costs = t->costs,
        .precision = t->precision,
        .lanes = t->lanes,
        .columns = columns,
        .tile = sched_tile_columns(t),
        .even = t->even,
        .batch = batch * t->batch_like,
        .alone = BACKEND_ALONE,
        .l1 = t->unit.l1,
        .l2 = t->unit.local_store * 2,
        .room = t->mode == BACKEND_FUSED ? 0 : t->unit.local_store / SCHED_STREAM_BLOCKS};
}

/* DFT_{r..} as a product under construction: factors are found from the right, the input. */
typedef struct product {
    sched_target *t;
    bool inverse;
    int64_t l, rest; /* columns that ride along, points that are left */
    sched_tags tags;
    const spl *factor[4 * SCHED_MAX_STAGES];
    int at;
} product;

static void put(product *p, const spl *x)
{
    p->factor[--p->at] = x;
}

/* Rule dft-stockham: DFT_{rm} = (DFT_m (x) I_r) L T (DFT_r (x) I_m). */
static const spl *take_apart(product *p, int64_t r)
{
    const spl_params params = {{r}};

    return spl_rule_apply(p->t->ctx, &spl_dft_stockham, spl_dft(p->t->ctx, p->rest, p->inverse),
                          &params);
}

/* A factor with columns on its right, with its tags. */
static const spl *columns(const product *p, const spl *x, int64_t tile)
{
    sched_target *t = p->t;

    if (p->tags >= SCHED_LANES)
        x = sched_with_vec(t, x);
    if (tile)
        x = with_tile(t, x, tile);
    return p->tags == SCHED_PARTS
               ? sched_with_spe(t, x, t->parts, tile ? tile : sched_tile_columns(t))
               : x;
}

static const spl *join_all(const product *p)
{
    return spl_mul(p->t->ctx, 4 * SCHED_MAX_STAGES - p->at, p->factor + p->at);
}

static product open_product(sched_target *t, int64_t n, bool inverse, int64_t l, sched_tags tags)
{
    return (product){
        .t = t, .inverse = inverse, .l = l, .rest = n, .tags = tags, .at = 4 * SCHED_MAX_STAGES};
}

/* L T after a factor with radices of product R. */
static bool add_stride(product *p, int64_t R)
{
    if (R < p->rest) {
        const spl *step = take_apart(p, R);
        if (!step)
            return false;
        put(p, beside(p->t, step->kid[2], p->l));
        put(p, beside(p->t, step->kid[1], p->l));
    }
    p->l *= R;
    p->rest /= R;
    return true;
}

/* The stage DFT_r on what is left, and L T after it; what it multiplies has tags if it is a stage of
 * its own. */
static bool add_stage(product *p, int64_t r)
{
    const spl *x = leaf(p->t, spl_dft(p->t->ctx, r, p->inverse));

    put(p, columns(p, beside(p->t, x, p->rest / r * p->l), 0));
    return add_stride(p, r);
}

/* The stages of a list, without columns on the right that are not theirs. */
static const spl *stages(sched_target *t, int count, const int64_t *r, bool inverse, int64_t l,
                         sched_tags tags)
{
    int64_t n = 1;

    for (int q = 0; q < count; q++)
        n *= r[q];
    product p = open_product(t, n, inverse, l, tags);
    for (int q = 0; q < count; q++)
        if (!add_stage(&p, r[q]))
            return NULL;
    return join_all(&p);
}

/* DFT_R (x) I_m (x) I_l in tiles of columns, then L T. */
static bool add_group(product *p, int count, const int64_t *r, int64_t R, int64_t width)
{
    sched_target *t = p->t;
    const spl *x =
        spl_rule_apply(t->ctx, &spl_dft_dif, spl_dft(t->ctx, R, p->inverse), &(spl_params){{r[0]}});
    const spl *near = stages(t, count - 1, r + 1, p->inverse, 1, SCHED_BARE);

    if (!x || !near)
        return false;
    const spl *factor[] = {x->kid[0], spl_kron2(t->ctx, identity(t, r[0]), near), x->kid[2],
                           leaf(t, x->kid[3])};
    put(p, columns(p, beside(t, spl_mul(t->ctx, 4, factor), p->rest / R * p->l), width));
    return add_stride(p, R);
}

/* The first stages of a contiguous transform: the tile is transposed after the first of them. */
static bool add_first_group(product *p, int count, const int64_t *r, int64_t R, int64_t w)
{
    sched_target *t = p->t;
    const int64_t m = p->rest / R, tiles = m / w;
    product inner = open_product(t, R, p->inverse, w, SCHED_LANES);
    const spl *rows = stages(t, count - 1, r + 1, p->inverse, r[0], SCHED_LANES);

    if (!rows || !add_stage(&inner, r[0]))
        return false;
    put(&inner, spl_stride(t->ctx, R * w, w));
    put(&inner, spl_kron2(t->ctx, identity(t, w), rows));
    if (tiles > 1)
        put(p, beside(t, spl_stride(t->ctx, R * tiles, tiles), w));
    const spl *all = spl_kron2(t->ctx, identity(t, tiles), join_all(&inner));
    put(p, p->tags == SCHED_PARTS ? sched_with_spe(t, all, t->parts, 1) : all);
    put(p, spl_twiddle(t->ctx, m, R, p->inverse));
    p->l *= R;
    p->rest = m;
    return true;
}

/* Stages that take turns on a tile. */
static bool add_joined(product *p, const sched_radix_model *model, int count, const int64_t *r)
{
    const bool first = p->l == 1;
    int64_t R = 1;

    for (int q = 0; q < count; q++)
        R *= r[q];
    const int64_t width = sched_tile_width(model, p->l * p->rest, first ? p->rest / R : p->l);
    return (first ? add_first_group : add_group)(p, count, r, R, width);
}

const spl *sched_stockham(sched_target *t, const sched_radices *radices, bool inverse, int64_t l,
                          sched_tags tags)
{
    const sched_radix_model model = sched_model(t, l, 1);
    int64_t n = 1;

    for (int q = 0; q < radices->count; q++)
        n *= radices->radix[q];
    product p = open_product(t, n, inverse, l, tags);
    for (int q = 0, count; q < radices->count; q += count) {
        const int64_t *r = radices->radix + q;
        for (count = 1; radices->joined[q + count - 1];)
            count++;
        if (!(count == 1 ? add_stage(&p, *r) : add_joined(&p, &model, count, r)))
            return NULL;
    }
    return join_all(&p);
}
