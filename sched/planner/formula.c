// SPDX-License-Identifier: BSD-3-Clause
/* From a problem to a complete formula.
 *
 * 1-D      Stockham: DFT_n = PROD_q (DFT_{r_q} (x) I_{m_q} (x) I_{l_q}) (L T (x) I_{l_q}), by the
 *          rule dft-stockham applied to what is left, columns of earlier radices riding along.
 * n-D      row-column; dimensions that are not contiguous in tiles of columns with local buffers.
 * batch    I_b (x) A, dealt to the parts.
 * latency  every stage dealt to the parts, from a size on where that pays. */
#include "sched/planner/formula.h"

#include "sched/planner/bluestein.h"
#include "sched/planner/stockham.h"
#include "sched/planner/streams.h"
#include "sched/problem/problem.h"
#include "spl/codelet/codelet.h"
#include "spl/formula/place.h"
#include "spl/rules/rewrite.h"

/* Points from which a second worker gains more than barriers cost, and than data that another core
 * has changed: in place that is all of them (measured: 2^17 points took 1.1 times as long). */
static int64_t parallel_points(const sched_target *t)
{
    return t->in_place ? 262144 : 32768;
}

void sched_target_init(sched_target *t, spl_ctx *ctx, const sluice_machine *m,
                       sluice_precision precision)
{
    const int lanes = precision == SLUICE_F32 ? m->unit0.lanes_f32 : m->unit0.lanes_f64;
    const size_t most = (size_t)spl_max_size; /* that formulas can say of a store */

    *t = (sched_target){.ctx = ctx,
                        .table = m->table,
                        .backend = m->backend,
                        .precision = precision,
                        .unit = m->unit0,
                        .parts = m->units,
                        .lanes = lanes > 1 ? lanes : 1,
                        .alone = BACKEND_ALONE,
                        .batch_like = 1};
    if (t->unit.local_store > most)
        t->unit.local_store = most;
}

static const spl *identity(sched_target *t, int64_t n)
{
    return spl_identity(t->ctx, n);
}

/* I_batch (x) x, dealt whole. Long batches go in more parts than there are units: who is held up
 * takes fewer of them. */
static const spl *with_batch_spe(sched_target *t, const spl *x, int64_t batch)
{
    const int64_t parts = batch < t->parts ? batch : t->parts;

    return parts > 1 ? sched_with_spe(t, x, batch >= 16 * parts ? 4 * parts : parts, 1) : x;
}

/* " 32x4*16, predicted ..": stages that '*' stands between are joined. */
static void print_radices(const sched_radices *r, double cycles, core_text *out)
{
    for (int q = 0; q < r->count; q++)
        core_text_printf(out, "%s%lld",
                         q == 0             ? " "
                         : r->joined[q - 1] ? "*"
                                            : "x",
                         (long long)r->radix[q]);
    core_text_printf(out, ", predicted %.0f cycles each\n", cycles);
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
        print_radices(&list[i], list[i].cycles, t->why);
    }
}

/* Keeps the lists of which every stage has as many columns as are dealt or streamed; all where none
 * has. */
static int keep_packets(const sched_target *t, int64_t n, sched_radices *list, int count)
{
    int kept = 0;

    for (int i = 0; i < count; i++) {
        bool fits = list[i].count > 1;
        for (int q = 0; q < list[i].count; q++)
            fits = fits && n / list[i].radix[q] >= t->packets;
        if (fits)
            list[kept++] = list[i];
    }
    return kept > 0 ? kept : count;
}

/* The list of radices for DFT_n; one stage: a leaf. count 0 where there is none. */
static sched_radices choose(sched_target *t, int64_t n, int64_t columns, int64_t batch,
                            int *variants)
{
    sched_radices list[SCHED_MAX_CANDIDATES], none = {.count = 0};
    sched_radix_model model = sched_model(t, columns, batch);
    sluice_diag why = {0};
    int count = 0;

    model.dense = t->dense && columns == 1;
    model.alone = t->alone;
    model.largest = t->one_layout ? SCHED_PLAIN : SCHED_ANY;
    const sluice_status status =
        sched_radices_find(&model, n, list, SCHED_MAX_CANDIDATES, &count, &why);
    if (status != SLUICE_OK) {
        spl_refuse(t->ctx, status, "%s", why.message);
        return none;
    }
    if (count == 0)
        return none;
    if (t->packets > 0)
        count = keep_packets(t, n, list, count);
    if (variants && count > *variants)
        *variants = count;
    const int pick = t->variant < count ? t->variant : count - 1;
    explain_radices(t, n, list, count, pick);
    return list[pick];
}

static void explain_convolution(sched_target *t, const sched_convolution *c, bool chosen)
{
    if (!t->why)
        return;
    core_text_printf(t->why, "# DFT(%lld) %s as a convolution of %lld points by %s,",
                     (long long)c->n, chosen ? "chosen" : "not chosen", (long long)c->m,
                     c->rader ? "powers" : "chirps");
    if (c->blocks > 1)
        core_text_printf(t->why, " %lld blocks,", (long long)c->blocks);
    core_text_printf(t->why, " radices");
    print_radices(&c->radices, c->cycles, t->why);
}

/* DFT_n (x) I_l where n has a prime factor without codelet. */
static const spl *convolution(sched_target *t, int64_t n, bool inverse, int64_t l, sched_tags tags,
                              int *variants)
{
    enum { LENGTHS = 4 };
    sched_convolution list[LENGTHS];
    sluice_diag why = {0};
    int count = 0;

    const sluice_status status = sched_convolutions_find(t, n, l, list, LENGTHS, &count, &why);
    if (status != SLUICE_OK)
        return spl_refuse(t->ctx, status, "%s", why.message);
    if (count == 0 && t->asking)
        return NULL;
    if (count == 0)
        return spl_refuse(t->ctx, SLUICE_E_UNSUPPORTED,
                          "DFT_%lld has a prime factor without codelet and is too long for a chirp",
                          (long long)n);
    if (variants && count > *variants)
        *variants = count;
    const int pick = t->variant < count ? t->variant : count - 1;
    for (int i = 0; i < count; i++)
        explain_convolution(t, &list[i], i == pick);
    return sched_bluestein(t, &list[pick], inverse, l, tags);
}

/* DFT_n (x) I_l as a product of stages, or its leaf: *product says which. */
static const spl *transform(sched_target *t, int64_t n, bool inverse, int64_t l, int64_t batch,
                            sched_tags tags, bool *product, int *variants)
{
    *product = false;
    if (n == 1)
        return identity(t, l);
    const sched_radices radices = choose(t, n, l, batch, variants);
    if (spl_ctx_status(t->ctx, NULL) != SLUICE_OK)
        return NULL;
    *product = radices.count != 1;
    if (radices.count == 0)
        return convolution(t, n, inverse, l, tags, variants);
    if (*product)
        return sched_stockham(t, &radices, inverse, l, tags);
    return spl_kron2(t->ctx, spl_mark_leaves(t->ctx, spl_dft(t->ctx, n, inverse)), identity(t, l));
}

/* I_pre (x) DFT_n (x) I_post, `outer` times over. Factors are dealt to the parts where there is no
 * loop around them to deal; no choice depends on how many parts there are. */
static const spl *axis(sched_target *t, int64_t outer, int64_t pre, int64_t n, int64_t post,
                       bool inverse, bool deal, int *variants)
{
    const int64_t batch = outer * pre;
    const bool inside =
        deal && pre < t->parts && (post > 1 || (t->latency && n >= parallel_points(t)));
    bool product;
    const spl *x = transform(t, n, inverse, post, batch, inside ? SCHED_PARTS : SCHED_LANES,
                             &product, variants);
    const spl *all = spl_kron2(t->ctx, identity(t, pre), x);

    if (!product && (post > 1 || batch * t->batch_like > 1))
        all = sched_with_vec(t, all);
    if (!product && inside)
        return sched_with_spe(t, all, t->parts, sched_tile_columns(t));
    return deal && !inside && pre > 1 ? with_batch_spe(t, all, pre) : all;
}

/* Points of a block of either side, at most `points`. */
static int64_t block_points(const sluice_problem *p, int64_t points)
{
    for (int side = 0; side < 2; side++) {
        const sluice_cyclic c = sched_problem_cyclic(p, side);
        if (c.parts > 1 && (int64_t)c.block < points)
            points = (int64_t)c.block;
    }
    return points;
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
    return block_points(p, points);
}

/* A product under construction, found from the right: the last axis runs first. */
typedef struct factors {
    const spl *factor[4 * SLUICE_MAX_RANK];
    int at;
} factors;

static void put(factors *f, const spl *x)
{
    f->factor[--f->at] = x;
}

static const spl *product_of(sched_target *t, const factors *f, int64_t points)
{
    const int count = 4 * SLUICE_MAX_RANK - f->at;

    return count ? spl_mul(t->ctx, count, f->factor + f->at) : identity(t, points);
}

/* I_pre (x) axes first .. rank-1 as one product, `outer` times over. */
static const spl *row_column(sched_target *t, const sluice_problem *p, int first, int64_t outer,
                             int64_t pre, bool deal, int *variants)
{
    factors f = {.at = 4 * SLUICE_MAX_RANK};
    int64_t post = 1, points;

    for (int d = first; d < p->rank; d++)
        pre *= (int64_t)p->dim[d].n;
    points = pre;
    for (int d = p->rank - 1; d >= first; d--) {
        const int64_t n = (int64_t)p->dim[d].n;
        pre /= n;
        if (n > 1)
            put(&f, axis(t, outer, pre, n, post, p->direction == SLUICE_INVERSE, deal, variants));
        post *= n;
    }
    return product_of(t, &f, points);
}

/* The first of the trailing axes that fit a local store together, rank: none does; *points is how
 * many points they have. */
static int block_begin(const sched_target *t, const sluice_problem *p, int64_t *points)
{
    const int64_t room = (int64_t)t->unit.local_store / (2 * sched_element_bytes(t));
    int first = p->rank;

    *points = 1;
    while (first > 0 && *points * (int64_t)p->dim[first - 1].n <= room)
        *points *= (int64_t)p->dim[--first].n;
    return *points == 1 ? p->rank : first;
}

/* The radix of an axis of n that joins `points` points that fit the local store, so that trips
 * through memory begin with it; 1: none. In place a slab needs a buffer for all, which blocks and
 * columns of two stages do not. */
static int64_t slab_radix(const sched_target *t, int64_t n, int64_t points)
{
    if (t->in_place && n <= SCHED_ANY * SCHED_ANY)
        return 1;
    const int64_t room = (int64_t)t->unit.local_store / (2 * sched_element_bytes(t));
    const sched_radix_model model = sched_model(t, points, 1);

    for (int64_t r = 8; r > 1; r--)
        if (n % r == 0 && n / r > 1 && r * points <= room
            && sched_kernel_cycles(&model, r, false) > 0)
            return r;
    return 1;
}

/* Blocks of `points` points x, and the first radix r of the axis of n before them:
 *     (DFT_n (x) I_m) (I_n (x) X) = (DFT_{n/r} (x) I_{rm}) (T_{n/r,r} (x) I_m)
 *                                   (I_{n/r} (x) (DFT_r (x) I_m) (I_r (x) X)) (L^n_{n/r} (x) I_m)
 * The right factor is one trip through memory, in slabs of r blocks. */
static const spl *slab(sched_target *t, const spl *x, int64_t points, int64_t pre, int64_t n,
                       int64_t r, bool inverse, int *variants)
{
    const spl *butterfly = spl_mark_leaves(t->ctx, spl_dft(t->ctx, r, inverse));
    const spl *kids[3] = {identity(t, pre), NULL, identity(t, points)};
    factors f = {.at = 4 * SLUICE_MAX_RANK};

    kids[1] = spl_stride(t->ctx, n, n / r);
    put(&f, spl_kron(t->ctx, 3, kids));
    butterfly = sched_with_vec(t, spl_kron2(t->ctx, butterfly, kids[2]));
    const spl *body = spl_mul2(t->ctx, butterfly, spl_kron2(t->ctx, identity(t, r), x));
    put(&f, with_batch_spe(t, spl_kron2(t->ctx, identity(t, pre * (n / r)), body), pre * (n / r)));
    kids[1] = spl_twiddle(t->ctx, n / r, r, inverse);
    put(&f, spl_kron(t->ctx, 3, kids));
    put(&f, axis(t, 1, pre, n / r, r * points, inverse, true, variants));
    return product_of(t, &f, pre * n * points);
}

/* The axes before a block, its loop, and the block x. */
static const spl *around_block(sched_target *t, const sluice_problem *p, int first, int64_t pre,
                               int64_t points, const spl *x, int *variants)
{
    const bool inverse = p->direction == SLUICE_INVERSE;
    const bool far =
        pre * points * t->batch_like > (int64_t)t->unit.local_store / sched_element_bytes(t);
    const int64_t n = first > 0 ? (int64_t)p->dim[first - 1].n : 1;
    const int64_t r = far ? slab_radix(t, n, points) : 1, total = pre * points;
    factors f = {.at = 4 * SLUICE_MAX_RANK};

    if (r > 1) {
        put(&f, slab(t, x, points, pre / n, n, r, inverse, variants));
        points *= n;
        pre /= n;
        first--;
    } else {
        put(&f, with_batch_spe(t, spl_kron2(t->ctx, identity(t, pre), x), pre));
    }
    for (int d = first - 1; d >= 0; d--) {
        const int64_t m = (int64_t)p->dim[d].n;
        pre /= m;
        if (m > 1)
            put(&f, axis(t, 1, pre, m, points, inverse, true, variants));
        points *= m;
    }
    return product_of(t, &f, total);
}

/* The loops, without what they stream. */
static const spl *loops(sched_target *t, const sluice_problem *p, int *variants)
{
    const int64_t batch = (int64_t)sched_problem_batch(p);
    int64_t pre = 1, points;

    t->even = even_points(p);
    if (variants)
        *variants = 1;
    const int first = block_begin(t, p, &points);
    for (int d = 0; d < first; d++)
        pre *= (int64_t)p->dim[d].n;
    pre *= batch;
    if (t->latency && pre * points < parallel_points(t))
        t->parts = 1; /* tags only: no choice looks at it */
    if (sched_problem_axes(p) < 2 || first == p->rank || (first == 0 && batch < t->parts))
        return row_column(t, p, 0, 1, batch, true, variants);
    const spl *x = row_column(t, p, first, pre, 1, false, variants);
    return around_block(t, p, first, pre, points, x, variants);
}

const spl *sched_formula(sched_target *t, const sluice_problem *p, int *variants)
{
    const spl *x = loops(t, p, variants);

    return t->way == BACKEND_FUSED ? x : sched_streams(t, p, x, &t->unstreamed);
}

/* Columns that tags want of each stage of the transform that they are on: p packets of mu, s. */
static int64_t packets_of(const spl *x)
{
    int64_t most = 0;

    for (int i = 0; x->kid[0]->op == SPL_TRANSFORM && i < x->ntags; i++) {
        const spl_tag *tag = &x->tag[i];
        int64_t columns = 0;
        if (tag->kind == SPL_TAG_SPE && tag->a[1] <= INT64_MAX / tag->a[0])
            columns = tag->a[0] * tag->a[1];
        if (tag->kind == SPL_TAG_STREAM && tag->a[0] > 1)
            columns = tag->a[0];
        most = columns > most ? columns : most;
    }
    return most;
}

static const spl *complete(sched_target *t, const spl *x)
{
    const spl *kids[64];
    const int64_t packets = t->packets;
    const bool dense = t->dense;
    bool product;

    if (x->op == SPL_TRANSFORM && !spl_is_dft(x))
        return spl_refuse(t->ctx, SLUICE_E_UNSUPPORTED, "%s(%lld): no rule breaks it down yet",
                          spl_transform_of((spl_kind)x->a[1])->word, (long long)x->a[0]);
    if (x->op == SPL_TRANSFORM)
        return transform(t, x->a[0], x->a[1] != 0, 1, 1, SCHED_LANES, &product, NULL);
    if (x->op == SPL_TAG && spl_has_tag(x, SPL_TAG_LEAF))
        return spl_derive_streams(t->ctx, x, sched_element_bytes(t));
    if (x->nkids == 0 || x->op == SPL_LOOP)
        return x;
    if (x->nkids > 64)
        return spl_refuse(t->ctx, SLUICE_E_UNSUPPORTED, "a product of more than 64 factors");
    t->packets = x->op == SPL_TAG ? packets_of(x) : 0;
    for (int i = 0; i < x->nkids; i++) {
        /* Columns stand right of the other factors of a tensor product; permutations may stand
         * between those of a product. */
        t->dense = dense && x->op != SPL_MUL && (x->op != SPL_KRON || i == x->nkids - 1);
        kids[i] = sched_complete(t, x->kid[i]);
    }
    t->dense = dense;
    t->packets = packets;
    const spl *all = spl_with_kids(t->ctx, x, kids);
    return x->op == SPL_TAG ? spl_derive_streams(t->ctx, all, sched_element_bytes(t)) : all;
}

/* Replaces bare transforms; tags and leaves stay. */
const spl *sched_complete(sched_target *t, const spl *x)
{
    const spl *made = x ? complete(t, x) : NULL;

    if (made)
        spl_place_like(t->ctx, made, x);
    else
        spl_blame(t->ctx, x);
    return made;
}
