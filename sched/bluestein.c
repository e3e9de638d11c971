// SPDX-License-Identifier: BSD-3-Clause
/* Convolutions with chirps: DFT_n = C G IDFT_M B DFT_M S C (Bluestein 1970).
 *
 * C stands left of a pass of its own, DFT_1 (x) I_n, whose output it multiplies, once for the input
 * and once for the output; B is the output twiddle of the last stage of DFT_M, or of a pass where
 * that is one codelet. S(h) is no pass: the part of the buffer that it leaves out is cleared.
 * Columns are done in tiles, which keep the M points of a few columns near, or one by one, where
 * they are few or do not divide into tiles of whole vectors; else all together. */
#include "sched/bluestein.h"

#include "spl/codelet.h"
#include "spl/rewrite.h"

/* Cycles of a pass over one vector, besides memory, and of calling it. */
static const double pass_cycles = 2, call_cycles = 40;
/* Cycles of an element that is read or written at a stride. */
static const double strided_cycles = 3;
/* What each factor 2 of a length beyond the caches costs from the fifth on: rows that lie a
 * multiple of a page apart share cache sets (measured at 2 M points: 2^3 8.7 ms, 2^8 14, 2^14 15,
 * 2^21 20). */
static const double two_costs = 0.06;
/* Lengths to try are up to this many times the shortest. */
static const double longest = 1.3;

/* ---- which length ---- */

/* Transforms inside have all their columns in one buffer, one transform after the other. */
static sched_radix_model model_of(const sched_target *t, int64_t m, int64_t l)
{
    sched_radix_model model = sched_model(t, l, 1);

    model.even = m * l;
    model.batch = 1;
    model.dense = l == 1 && t->format == SPL_INTER;
    model.largest = model.dense ? SCHED_ALONE : SCHED_ANY;
    return model;
}

/* Columns of one tile: whole vectors, or 0 where columns are not tiled. */
static int64_t tile_of(const sched_target *t, int64_t l)
{
    const sched_radix_model model = sched_model(t, l, 1);
    const int64_t width = l > 1 ? sched_tile_width(&model, l) : 0;

    return width > 1 && width < l && width % t->lanes == 0 ? width : 0;
}

/* Are m points of all columns, read and written, more than the second cache has room for? */
static bool is_far(const sched_target *t, const sched_radix_model *model, int64_t m)
{
    const double points = (double)m * (double)model->columns;

    return 2 * (double)sched_element_bytes(t) * points > 0.8 * (double)model->l2;
}

/* Cycles besides the two transforms: two passes of n points, the rest of m cleared; the spectrum in
 * a pass of its own where a transform is one codelet. */
static double passes(const sched_target *t, const sched_radix_model *model, int64_t n, int64_t m,
                     bool alone)
{
    const double points = (double)(n + m + (alone ? m : 0)) * (double)model->columns;
    const double bytes = (double)sched_element_bytes(t);
    const double move = is_far(t, model, m) ? bytes / 4 : bytes / 16;

    return points * (pass_cycles / (double)model->lanes + move) + call_cycles * (alone ? 4 : 3);
}

static double alias_factor(const sched_target *t, const sched_radix_model *model, int64_t m)
{
    int twos = 0;

    if (!is_far(t, model, m))
        return 1;
    while (m % 2 == 0) {
        m /= 2;
        twos++;
    }
    return twos > 4 ? 1 + two_costs * (twos - 4) : 1;
}

/* By cost, at most max. */
static void insert(sched_convolution *out, int max, int *count, const sched_convolution *c)
{
    int at = *count;

    if (at == max && out[--at].cycles <= c->cycles)
        return;
    for (; at > 0 && out[at - 1].cycles > c->cycles; at--)
        out[at] = out[at - 1];
    out[at] = *c;
    *count += *count < max;
}

/* What is to be found: DFT_n (x) I_l in tiles, or not. */
typedef struct finder {
    const sched_target *t;
    int64_t n, l, tile;
    sched_convolution *out;
    int max, *count;
} finder;

static sluice_status try_length(const finder *f, int64_t m, sluice_diag *why)
{
    sched_radix_model model = model_of(f->t, m, f->tile ? f->tile : f->l);
    sched_convolution c = {.n = f->n, .m = m, .tile = f->tile};
    int found = 0;

    if (model.columns > 1)
        model.tile = 0; /* the spectrum steps evenly over all columns only */
    const sluice_status status = sched_radices_find(&model, m, &c.radices, 1, &found, why);
    if (status != SLUICE_OK || found == 0)
        return status;
    c.cycles = 2 * alias_factor(f->t, &model, m) * c.radices.cycles
               + passes(f->t, &model, f->n, m, c.radices.count == 1);
    if (f->tile == 1)
        c.cycles += strided_cycles * 2 * (double)f->n;
    if (f->tile)
        c.cycles *= (double)(f->l / f->tile);
    insert(f->out, f->max, f->count, &c);
    return SLUICE_OK;
}

/* Lengths 4 2^a 3^b 5^c, and the next power of two. */
static sluice_status try_lengths(const finder *f, sluice_diag *why)
{
    const int64_t least = 2 * f->n - 2, limit = (int64_t)((double)least * longest);
    sluice_status status = SLUICE_OK;
    int64_t power = 4;

    for (int64_t five = 4; five <= limit; five *= 5)
        for (int64_t m = five; m <= limit && status == SLUICE_OK; m *= 3) {
            int64_t even = m;
            while (even < least)
                even *= 2;
            if (even <= limit)
                status = try_length(f, even, why);
        }
    while (power < least)
        power *= 2;
    return status == SLUICE_OK && power > limit ? try_length(f, power, why) : status;
}

sluice_status sched_convolutions_find(const sched_target *t, int64_t n, int64_t l,
                                      sched_convolution *out, int max, int *count, sluice_diag *why)
{
    finder f = {
        .t = t, .n = n, .l = l, .tile = tile_of(t, l), .out = out, .max = max, .count = count};

    *count = 0;
    if (n < 3 || n > (int64_t)1 << 31)
        return SLUICE_OK;
    sluice_status status = try_lengths(&f, why);
    f.tile = 1;
    if (l > 1 && status == SLUICE_OK)
        status = try_lengths(&f, why);
    return status;
}

/* ---- the formula ---- */

/* DFT_1 (x) I_points: what moves elements in vectors, so that a diagonal may stand beside it. */
static const spl *pass(sched_target *t, int64_t points, sched_tags tags)
{
    const spl *one = spl_mark_leaves(t->ctx, spl_dft(t->ctx, 1, false));
    const spl *x = spl_kron2(t->ctx, one, spl_identity(t->ctx, points));

    if (tags >= SCHED_LANES)
        x = sched_with_vec(t, x);
    return tags == SCHED_PARTS ? sched_with_spe(t, x, t->parts, sched_tile_columns(t)) : x;
}

/* The permutation that a product begins with, if any, as a gather: that goes into the stage on its
 * left, while a permutation would go into what runs before, and spoil its rows. */
static const spl *reading(sched_target *t, const spl *x)
{
    const int last = x->nkids - 1;

    if (x->op != SPL_MUL || !spl_is_mono(x->kid[last]))
        return x;
    const spl *move = spl_mono_sigma(t->ctx, x->kid[last], 1, 1);
    const spl *gather = move ? spl_gather(t->ctx, move->f, SPL_PLAIN) : NULL;
    return spl_mul2(t->ctx, spl_mul(t->ctx, last, x->kid), gather);
}

/* DFT_m (x) I_l of the convolution's radices. */
static const spl *inside(sched_target *t, const sched_convolution *c, bool inverse, int64_t l,
                         sched_tags tags)
{
    sched_target own = *t;

    own.even = c->m * l;
    if (c->radices.count == 1 && l == 1)
        return spl_mark_leaves(t->ctx, spl_dft(t->ctx, c->m, inverse));
    const spl *x = sched_stockham(&own, &c->radices, inverse, l, tags);
    return x ? reading(t, x) : NULL;
}

static const spl *product(sched_target *t, const sched_convolution *c, bool inverse, int64_t l,
                          sched_tags tags)
{
    const spl_params params = {{c->m}};
    const spl *rule =
        spl_rule_apply(t->ctx, &spl_dft_bluestein, spl_dft(t->ctx, c->n, inverse), &params);
    const spl *kid[7];

    if (!rule)
        return NULL;
    for (int i = 0; i < 7; i++)
        kid[i] = spl_kron2(t->ctx, rule->kid[i], spl_identity(t->ctx, l));
    const spl *move = pass(t, c->n * l, tags);
    const spl *turn =
        c->radices.count == 1 ? pass(t, c->m * l, tags) : spl_identity(t->ctx, c->m * l);
    const spl *const factor[] = {kid[0],
                                 move,
                                 kid[1],
                                 inside(t, c, !inverse, l, tags),
                                 kid[3],
                                 turn,
                                 inside(t, c, inverse, l, tags),
                                 kid[5],
                                 kid[6],
                                 move};
    return spl_mul(t->ctx, 10, factor);
}

const spl *sched_bluestein(sched_target *t, const sched_convolution *c, bool inverse, int64_t l,
                           sched_tags tags)
{
    const spl_tag tile = {.kind = SPL_TAG_TILE, .a = {c->tile, 0}};

    if (c->tile == 0)
        return product(t, c, inverse, l, tags);
    const spl *x = product(t, c, inverse, 1, c->tile > 1 ? SCHED_BARE : SCHED_LANES);
    x = spl_kron2(t->ctx, x, spl_identity(t->ctx, l));
    if (c->tile > 1 && tags >= SCHED_LANES)
        x = sched_with_vec(t, x);
    if (c->tile > 1)
        x = spl_tagged(t->ctx, x, 1, &tile);
    return tags == SCHED_PARTS ? sched_with_spe(t, x, t->parts, c->tile) : x;
}
