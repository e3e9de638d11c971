// SPDX-License-Identifier: BSD-3-Clause
/* From a problem to a complete formula.
 *
 * 1-D      Stockham: DFT_n = PROD_q (DFT_{r_q} (x) I_{m_q} (x) I_{l_q}) (L T (x) I_{l_q}), by the
 *          rule dft-stockham applied to what is left, columns of earlier radices riding along.
 * n-D      row-column; dimensions that are not contiguous in tiles of columns with local buffers.
 * batch    I_b (x) A, dealt to the parts.
 * latency  every stage dealt to the parts, from a size on where that pays. */
#include "sched/formula.h"

#include "sched/problem.h"
#include "spl/codelet.h"
#include "spl/rule.h"

/* Columns of a tile: one or two cache lines of complex numbers, whole vectors. */
static const int64_t tile_bytes = 128;
/* Codelets for one transform at a time exist up to the first, for columns of any kind to the
 * second. */
static const int64_t largest_dense = 128, largest_any = 32;
/* Points from which a barrier costs less than a second worker gains. */
static const int64_t parallel_points = 32768;

void sched_target_init(sched_target *t, spl_ctx *ctx, const sluice_machine *m,
                       sluice_precision precision)
{
    const int lanes = precision == SLUICE_F32 ? m->unit0.lanes_f32 : m->unit0.lanes_f64;

    *t = (sched_target){.ctx = ctx,
                        .table = m->table,
                        .backend = m->backend,
                        .precision = precision,
                        .unit = m->unit0,
                        .parts = m->units,
                        .lanes = lanes > 1 ? lanes : 1,
                        .batch_like = 1};
}

static const spl *with_vec(sched_target *t, const spl *x)
{
    const spl_tag vec = {.kind = SPL_TAG_VEC, .a = {t->lanes, t->format}};

    return t->lanes > 1 ? spl_tagged(t->ctx, x, 1, &vec) : x;
}

static const spl *with_parts(sched_target *t, const spl *x, int64_t parts, int64_t mu)
{
    const spl_tag spe = {.kind = SPL_TAG_SPE, .a = {parts, mu}};

    return t->parts > 1 ? spl_tagged(t->ctx, x, 1, &spe) : x;
}

static const spl *with_spe(sched_target *t, const spl *x, int64_t mu)
{
    return with_parts(t, x, t->parts, mu);
}

/* Long batches in more parts than there are units: who is held up takes fewer of them. */
static const spl *with_batch_spe(sched_target *t, const spl *x, int64_t batch)
{
    return with_parts(t, x, batch >= 16 * t->parts ? 4 * t->parts : t->parts, 1);
}

static const spl *with_tile(sched_target *t, const spl *x, int64_t mu)
{
    const spl_tag tile = {.kind = SPL_TAG_TILE, .a = {mu, 0}};

    return spl_tagged(t->ctx, x, 1, &tile);
}

static const spl *leaf(sched_target *t, int64_t n, bool inverse)
{
    return spl_mark_leaves(t->ctx, spl_dft(t->ctx, n, inverse));
}

static int64_t element_bytes(const sched_target *t)
{
    return t->precision == SLUICE_F32 ? 8 : 16;
}

static int64_t tile_columns(const sched_target *t)
{
    const int64_t columns = tile_bytes / element_bytes(t);

    return columns > t->lanes ? columns : t->lanes;
}

/* Columns of a tile out of n: whole vectors where n has such a divisor, and near tile_columns.
 * Tiles end where strides change, or hold whole runs of one stride. */
static int64_t tile_width(const sched_target *t, int64_t n)
{
    const int64_t limit = 2 * tile_columns(t);
    int64_t best = 1, best_whole = 0;

    for (int64_t w = 1; w <= limit && w <= n; w++) {
        if (n % w != 0 || (t->even % w != 0 && w % t->even != 0))
            continue;
        best = w;
        if (w % t->lanes == 0 && (w <= tile_columns(t) || best_whole == 0))
            best_whole = w;
    }
    return best_whole ? best_whole : best;
}

static const spl *identity(sched_target *t, int64_t n)
{
    return spl_identity(t->ctx, n);
}

/* What the stages of a product carry themselves. */
typedef enum stage_tags {
    STAGE_BARE,  /* nothing: lanes and parts come from around the product */
    STAGE_LANES, /* vec       */
    STAGE_PARTS  /* vec, spe  */
} stage_tags;

/* Stage (x) I_l, its transform a leaf. */
static const spl *stage(sched_target *t, const spl *x, int64_t l, stage_tags tags)
{
    x = spl_kron2(t->ctx, spl_mark_leaves(t->ctx, x), identity(t, l));
    if (tags >= STAGE_LANES)
        x = with_vec(t, x);
    return tags == STAGE_PARTS ? with_spe(t, x, tile_columns(t)) : x;
}

/* DFT_n by its radices: rule dft-stockham takes DFT_{rm} apart into (DFT_m (x) I_r) L T and the
 * stage DFT_r (x) I_m; what is left, DFT_m, in the same way with the columns of r beside it. */
static const spl *stockham(sched_target *t, const sched_radices *radices, bool inverse,
                           stage_tags tags)
{
    const spl *factor[3 * SCHED_MAX_STAGES];
    int at = 3 * SCHED_MAX_STAGES;
    int64_t l = 1, rest = 1;

    for (int q = 0; q < radices->count; q++)
        rest *= radices->radix[q];
    for (int q = 0; q + 1 < radices->count; q++) {
        const spl_params params = {{radices->radix[q]}};
        const spl *step =
            spl_rule_apply(t->ctx, &spl_dft_stockham, spl_dft(t->ctx, rest, inverse), &params);
        if (!step)
            return NULL;
        factor[--at] = stage(t, step->kid[3], l, tags);
        factor[--at] = spl_kron2(t->ctx, step->kid[2], identity(t, l));
        factor[--at] = spl_kron2(t->ctx, step->kid[1], identity(t, l));
        l *= radices->radix[q];
        rest /= radices->radix[q];
    }
    factor[--at] = stage(t, spl_dft(t->ctx, rest, inverse), l, tags);
    return spl_mul(t->ctx, 3 * SCHED_MAX_STAGES - at, factor + at);
}

static void explain_radices(sched_target *t, int64_t n, const sched_radices *list, int count,
                            int pick)
{
    if (!t->why)
        return;
    for (int i = 0; i < count; i++) {
        if (i >= 4 && i != pick)
            continue;
        core_text_printf(t->why, "# DFT(%lld) %s radices", (long long)n,
                         i == pick ? "chosen" : "not chosen");
        for (int q = 0; q < list[i].count; q++)
            core_text_printf(t->why, "%s%lld", q ? "x" : " ", (long long)list[i].radix[q]);
        core_text_printf(t->why, ", predicted %.0f cycles each\n", list[i].cycles);
    }
}

/* The list of radices for DFT_n; one stage: a leaf. count 0 where there is none (recorded). */
static sched_radices choose(sched_target *t, int64_t n, int64_t columns, int64_t batch,
                            int *variants)
{
    sched_radices list[SCHED_MAX_CANDIDATES], none = {.count = 0};
    const sched_radix_model model = {.table = t->table,
                                     .backend = t->backend,
                                     .precision = t->precision,
                                     .lanes = t->lanes,
                                     .columns = columns,
                                     .batch = batch * t->batch_like,
                                     .largest =
                                         t->dense && columns == 1 ? largest_dense : largest_any,
                                     .l1 = t->unit.l1,
                                     .l2 = t->unit.local_store * 2};
    sluice_diag why = {0};
    int count = 0;
    const sluice_status status =
        sched_radices_find(&model, n, list, SCHED_MAX_CANDIDATES, &count, &why);

    if (status != SLUICE_OK) {
        spl_refuse(t->ctx, status, "%s", why.message);
        return none;
    }
    if (count == 0 && !t->asking)
        spl_refuse(
            t->ctx, SLUICE_E_UNSUPPORTED,
            "DFT_%lld has a prime factor above 13: such sizes are not planned in this version",
            (long long)n);
    if (count == 0)
        return none;
    if (variants && count > *variants)
        *variants = count;
    const int pick = t->variant < count ? t->variant : count - 1;
    explain_radices(t, n, list, count, pick);
    return list[pick];
}

/* DFT_n over `columns` lanes: leaf or product; *product says which. */
static const spl *transform(sched_target *t, int64_t n, bool inverse, int64_t columns,
                            int64_t batch, stage_tags tags, bool *product, int *variants)
{
    *product = false;
    if (n == 1)
        return identity(t, 1);
    const sched_radices radices = choose(t, n, columns, batch, variants);
    if (radices.count == 0)
        return NULL;
    if (radices.count == 1)
        return leaf(t, n, inverse);
    *product = true;
    return stockham(t, &radices, inverse, tags);
}

/* I_pre (x) DFT_n, contiguous. */
static const spl *rows(sched_target *t, int64_t pre, int64_t n, bool inverse, int *variants)
{
    const bool split = t->latency && pre < t->parts && n >= parallel_points;
    bool product;
    const spl *x =
        transform(t, n, inverse, 1, pre, split ? STAGE_PARTS : STAGE_LANES, &product, variants);
    const spl *all = spl_kron2(t->ctx, identity(t, pre), x);

    if (!product && pre * t->batch_like > 1)
        all = with_vec(t, all);
    return pre > 1 && !split ? with_batch_spe(t, all, pre) : all;
}

/* I_pre (x) DFT_n (x) I_post: tiles of columns, each with all its stages in a local buffer. */
static const spl *columns(sched_target *t, int64_t pre, int64_t n, int64_t post, bool inverse,
                          int *variants)
{
    const int64_t width = tile_width(t, post);
    bool product;
    const spl *x = transform(t, n, inverse, width, pre, STAGE_BARE, &product, variants);
    const spl *kids[] = {identity(t, pre), x, identity(t, post)};
    const spl *all = with_vec(t, spl_kron(t->ctx, 3, kids));

    if (product)
        all = with_tile(t, all, width);
    return with_spe(t, all, product ? width : tile_columns(t));
}

/* Points of the last axes over which either side has one stride. */
static int64_t even_points(const sluice_problem *p)
{
    int64_t points = 1;
    ptrdiff_t in = 0, out = 0; /* the strides that would go on */

    for (int d = p->batch_rank + p->rank - 1; d >= p->batch_rank; d--) {
        const sluice_dim dim = sched_problem_dim(p, d);
        if (dim.n == 1)
            continue;
        if (points > 1 && (dim.in_stride != in || dim.out_stride != out))
            break;
        points *= (int64_t)dim.n;
        in = (ptrdiff_t)dim.n * dim.in_stride;
        out = (ptrdiff_t)dim.n * dim.out_stride;
    }
    return points;
}

const spl *sched_formula(sched_target *t, const sluice_problem *p, int *variants)
{
    const spl *factor[SLUICE_MAX_RANK];
    const bool inverse = p->direction == SLUICE_INVERSE;
    int64_t pre = 1, post = 1, total = 1;
    int count = SLUICE_MAX_RANK;

    t->even = even_points(p);
    if (variants)
        *variants = 1;
    for (int d = 0; d < p->batch_rank; d++)
        pre *= (int64_t)p->batch[d].n;
    for (int d = 0; d < p->rank; d++)
        pre *= (int64_t)p->dim[d].n;
    total = pre;
    for (int d = p->rank - 1; d >= 0; d--) {
        const int64_t n = (int64_t)p->dim[d].n;
        pre /= n;
        if (n > 1)
            factor[--count] = post == 1 ? rows(t, pre, n, inverse, variants)
                                        : columns(t, pre, n, post, inverse, variants);
        post *= n;
    }
    /* The last dimension runs first: it is the rightmost factor. */
    const spl *ordered[SLUICE_MAX_RANK];
    const int factors = SLUICE_MAX_RANK - count;
    for (int i = 0; i < factors; i++)
        ordered[i] = factor[count + i];
    return factors ? spl_mul(t->ctx, factors, ordered) : identity(t, total);
}

/* Replaces bare transforms; tags and leaves stay. */
const spl *sched_complete(sched_target *t, const spl *x)
{
    const spl *kids[64];
    const bool dense = t->dense;
    bool product;

    if (!x)
        return NULL;
    if (x->op == SPL_DFT)
        return transform(t, x->a[0], x->a[1] != 0, 1, 1, STAGE_LANES, &product, NULL);
    if (x->op == SPL_TAG && spl_has_tag(x, SPL_TAG_LEAF))
        return x;
    if (x->nkids == 0)
        return x;
    if (x->nkids > 64)
        return spl_refuse(t->ctx, SLUICE_E_UNSUPPORTED, "a product of more than 64 factors");
    for (int i = 0; i < x->nkids; i++) {
        /* Columns stand right of the other factors of a tensor product; permutations may stand
         * between those of a product. */
        t->dense = dense && x->op != SPL_MUL && (x->op != SPL_KRON || i == x->nkids - 1);
        kids[i] = sched_complete(t, x->kid[i]);
    }
    t->dense = dense;
    switch (x->op) {
    case SPL_KRON: return spl_kron(t->ctx, x->nkids, kids);
    case SPL_MUL: return spl_mul(t->ctx, x->nkids, kids);
    case SPL_DSUM: return spl_dsum(t->ctx, x->nkids, kids);
    case SPL_TAG: return spl_tagged(t->ctx, kids[0], x->ntags, x->tag);
    default: return x;
    }
}
