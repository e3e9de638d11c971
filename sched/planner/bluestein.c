// SPDX-License-Identifier: BSD-3-Clause
/* Convolutions with chirps: DFT_n = C G IDFT_M B DFT_M S C (Bluestein 1970); with powers of roots for
 * a prime n where n-1 has radices and nothing stands beside it (Rader 1968, spl/rules/breakdown/rules_rader.c), half
 * as long.
 *
 * C stands left of a pass of its own, DFT_1 (x) I_n, whose output it multiplies, once for the input
 * and once for the output; B is the output twiddle of the last stage of DFT_M, or of a pass where
 * that is one codelet. S(h) is no pass: the part of the buffer that it leaves out is cleared.
 * Where M points outgrow the second cache, IDFT_M B DFT_M is cut into R blocks of M/R points (rule
 * convolution-blocks): three trips through memory instead of six, (DFT_R (x) I) T, the blocks with
 * all their stages, (IDFT_R (x) I).
 * Rader's permutations are passes of their own, as the stages beside them read and write vectors.
 * Columns are done in tiles, which keep the M points of a few columns near, or one by one, where
 * they are few or do not divide into tiles of whole vectors; else all together. */
#include "sched/planner/bluestein.h"

#include "spl/codelet/codelet.h"
#include "spl/rules/rewrite.h"

/* Cycles of a pass over one vector, besides memory, and of calling it. */
static const double pass_cycles = 2, call_cycles = 40;
/* Cycles of an element that is read or written at a stride. */
static const double strided_cycles = 3;
/* Cycles of an element that a permutation reads or writes anywhere in the first cache, in the second
 * and beyond, and of the corner. */
static const double permuted_cycles[] = {1.5, 3, 6}, corner_cycles = 80;
/* Blocks: points at least, and how many counts of them are tried for one length. */
static const int64_t least_block = 1024;
static const int most_blocks = 4;
/* What they cost more than predicted where there are no trips to save: they share cache sets. */
static const double near_blocks = 1.08;
/* Of the second level, what a block has beside the tables of two transforms and of the spectrum. */
static const double beside_tables = 0.6;
/* Lengths to try are up to this many times the shortest. */
static const double longest = 1.3;

/* ---- which length ---- */

/* Transforms inside have all their columns in one buffer, one transform after the other. */
static sched_radix_model model_of(const sched_target *t, int64_t m, int64_t l)
{
    sched_radix_model model = sched_model(t, l, 1);

    model.even = m * l;
    model.batch = 1;
    model.twiddled = true;
    model.dense = l == 1 && t->format == SPL_INTER;
    model.largest = model.dense ? SCHED_ALONE : SCHED_ANY;
    return model;
}

/* Columns of one tile: whole vectors, or 0 where columns are not tiled. All the tile has to do is in
 * its own buffers, near: it is as wide as those of near points. */
static int64_t tile_of(const sched_target *t, int64_t l)
{
    const sched_radix_model model = sched_model(t, l, 1);
    const int64_t width = l > 1 ? sched_tile_width(&model, 0, l) : 0;

    return width > 1 && width < l && width % t->lanes == 0 ? width : 0;
}

/* Are m points of all columns, read and written, more than the second cache has room for? */
static bool is_far(const sched_target *t, const sched_radix_model *model, int64_t m)
{
    const double points = (double)m * (double)model->columns;

    return 2 * (double)sched_element_bytes(t) * points > 0.7 * (double)model->l2;
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

/* A trip of all m points through a stage of R blocks on either end. */
static double ends(const sched_target *t, const sched_radix_model *model, int64_t m, int64_t blocks)
{
    const double bytes = (double)sched_element_bytes(t);
    const double trip = is_far(t, model, m) ? bytes / 4 : bytes / 16;
    const double stages = sched_kernel_cycles(model, blocks, false) * (double)(m / blocks);

    return 2 * (stages + (double)m * trip + call_cycles);
}

/* What is to be found: DFT_n (x) I_l in tiles, or not. */
typedef struct finder {
    const sched_target *t;
    int64_t n, l, tile;
    sched_convolution *out;
    int max, *count;
} finder;

/* One transform of length m in as many blocks as there are radices for: short ones stay near. */
static sluice_status try_blocks(const finder *f, int64_t m, sluice_diag *why)
{
    sched_convolution c = {.n = f->n, .m = m};
    sluice_status status = SLUICE_OK;
    int tried = 0;

    for (int64_t r = SCHED_ANY; r > 1 && tried < most_blocks && status == SLUICE_OK; r--) {
        const sched_radix_model model = model_of(f->t, m / r, 1);
        sched_radix_model block = model;
        int found = 0;
        block.l2 = (size_t)((double)model.l2 * beside_tables);
        if (m % (r * f->t->lanes) != 0 || m / r < least_block || m / r > f->n
            || sched_kernel_cycles(&model, r, false) == 0)
            continue;
        c.blocks = r;
        status = sched_radices_find(&block, m / r, &c.radices, 1, &found, why);
        tried++;
        if (status != SLUICE_OK || found == 0 || c.radices.count == 1)
            continue;
        c.cycles = 2 * (double)r * c.radices.cycles + ends(f->t, &model, m, r)
                   + passes(f->t, &model, f->n, 0, false);
        if (!is_far(f->t, &model, m))
            c.cycles *= near_blocks;
        insert(f->out, f->max, f->count, &c);
    }
    return status;
}

/* A prime as a convolution of length n-1. */
static sluice_status try_rader(const finder *f, sluice_diag *why)
{
    const int64_t m = f->n - 1;
    const sched_radix_model model = model_of(f->t, m, 1);
    sched_convolution c = {.n = f->n, .m = m, .blocks = 1, .rader = true};
    int found = 0;

    if (f->l > 1 || ix_primitive_root(f->n) == 0)
        return SLUICE_OK;
    const sluice_status status = sched_radices_find(&model, m, &c.radices, 1, &found, why);
    if (status != SLUICE_OK || found == 0)
        return status;
    const bool near = f->n * sched_element_bytes(f->t) <= (int64_t)f->t->unit.l1;
    const int level = is_far(f->t, &model, m) ? 2 : near ? 0 : 1;
    c.cycles = 2 * c.radices.cycles + passes(f->t, &model, f->n, 0, c.radices.count == 1)
               + corner_cycles + 2 * (double)f->n * permuted_cycles[level];
    insert(f->out, f->max, f->count, &c);
    return SLUICE_OK;
}

static sluice_status try_length(const finder *f, int64_t m, sluice_diag *why)
{
    sched_radix_model model = model_of(f->t, m, f->tile ? f->tile : f->l);
    sched_convolution c = {.n = f->n, .m = m, .tile = f->tile, .blocks = 1};
    int found = 0;

    if (model.columns > 1)
        model.tile = 0; /* the spectrum steps evenly over all columns only */
    const sluice_status status = sched_radices_find(&model, m, &c.radices, 1, &found, why);
    if (status != SLUICE_OK || found == 0)
        return status;
    c.cycles = 2 * c.radices.cycles + passes(f->t, &model, f->n, m, c.radices.count == 1);
    if (f->tile == 1)
        c.cycles += strided_cycles * 2 * (double)f->n;
    if (f->tile)
        c.cycles *= (double)(f->l / f->tile);
    insert(f->out, f->max, f->count, &c);
    return f->l == 1 ? try_blocks(f, m, why) : SLUICE_OK;
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
    return status == SLUICE_OK ? try_rader(&f, why) : status;
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

/* DFT_m (x) I_l of the convolution's radices, or that of a block. */
static const spl *inside(sched_target *t, const sched_convolution *c, bool inverse, int64_t l,
                         sched_tags tags)
{
    sched_target own = *t;

    own.even = c->m / c->blocks * l;
    if (c->radices.count == 1 && l == 1)
        return spl_mark_leaves(t->ctx, spl_dft(t->ctx, c->m, inverse));
    const spl *x = sched_stockham(&own, &c->radices, inverse, l, tags);
    return x ? reading(t, x) : NULL;
}

/* IDFT_m B DFT_m, whose three kids begin at conv. */
static const spl *whole(sched_target *t, const sched_convolution *c, const spl *const *conv,
                        int64_t l, sched_tags tags)
{
    const spl *turn =
        c->radices.count == 1 ? pass(t, c->m * l, tags) : spl_identity(t->ctx, c->m * l);
    const spl *const factor[] = {inside(t, c, conv[0]->a[1] != 0, l, tags),
                                 spl_kron2(t->ctx, conv[1], spl_identity(t->ctx, l)), turn,
                                 inside(t, c, conv[2]->a[1] != 0, l, tags)};
    return spl_mul(t->ctx, 4, factor);
}

/* Whole vectors that divide m, as many as a third of L1 has room for. */
static int64_t tile_of_ends(const sched_target *t, int64_t r, int64_t m)
{
    int64_t w = (int64_t)t->unit.l1 / (3 * r * sched_element_bytes(t));

    for (w -= w % t->lanes; w > t->lanes && m % w != 0;)
        w -= t->lanes;
    return w > t->lanes ? w : t->lanes;
}

/* Either end, a stage of radix R with the chirp: rule chirp-ends. */
static const spl *end(sched_target *t, const sched_convolution *c, const spl *const *kids,
                      sched_tags tags)
{
    const spl_params params = {{tile_of_ends(t, c->blocks, c->m / c->blocks)}};
    const spl *x = spl_rule_apply(t->ctx, &spl_chirp_ends, spl_mul(t->ctx, 3, kids), &params);

    x = sched_with_leaves(t, x);
    return tags == SCHED_PARTS ? sched_with_shares(t, x) : x;
}

/* The loop over blocks with its transforms broken down, dealt to the parts. */
static const spl *loop_of(sched_target *t, const sched_convolution *c, const spl *loop,
                          sched_tags tags)
{
    const spl *const *kid = loop->kid[0]->kid;
    const sched_tags own = tags == SCHED_PARTS ? SCHED_LANES : tags;
    const spl *const factor[] = {kid[0], inside(t, c, kid[1]->a[1] != 0, 1, own), kid[2],
                                 inside(t, c, kid[3]->a[1] != 0, 1, own), kid[4]};
    const spl_range range = spl_range_of(loop);
    const spl *all = spl_sum(t->ctx, &range, spl_mul(t->ctx, 5, factor));

    return tags == SCHED_PARTS ? sched_with_shares(t, all) : all;
}

/* All seven factors of rule dft-bluestein, in blocks. */
static const spl *in_blocks(sched_target *t, const sched_convolution *c, const spl *const *kid,
                            sched_tags tags)
{
    const spl_params params = {{c->blocks}};
    const spl *x =
        spl_rule_apply(t->ctx, &spl_convolution_blocks, spl_mul(t->ctx, 3, kid + 2), &params);

    if (!x)
        return NULL;
    const spl *const after[] = {kid[0], kid[1], x->kid[0]}, *before[] = {x->kid[4], kid[5], kid[6]};
    const spl *const factors[] = {end(t, c, after, tags), x->kid[1], loop_of(t, c, x->kid[2], tags),
                                  x->kid[3], end(t, c, before, tags)};
    return spl_mul(t->ctx, 5, factors);
}

/* A beside element 0, its transform broken down. */
static const spl *beside(sched_target *t, const sched_convolution *c, const spl *sum,
                         sched_tags tags)
{
    const spl *const kids[] = {spl_mark_leaves(t->ctx, sum->kid[0]),
                               inside(t, c, sum->kid[1]->a[1] != 0, 1, tags)};
    return spl_dsum(t->ctx, 2, kids);
}

static const spl *rader(sched_target *t, const sched_convolution *c, bool inverse, sched_tags tags)
{
    const spl_params none = {{0}};
    const spl *rule = spl_rule_apply(t->ctx, &spl_dft_rader, spl_dft(t->ctx, c->n, inverse), &none);

    if (!rule)
        return NULL;
    const sched_tags own = tags == SCHED_PARTS ? tags : SCHED_BARE;
    const spl *move = pass(t, c->n, own);
    const spl *turn = c->radices.count == 1 ? pass(t, c->n, tags) : spl_identity(t->ctx, c->n);
    const spl *const *kid = rule->kid;
    const spl *const factors[] = {
        kid[0], move, beside(t, c, kid[1], tags), spl_mark_leaves(t->ctx, kid[2]),
        kid[3], turn, beside(t, c, kid[4], tags), move,
        kid[5]};
    return spl_mul(t->ctx, 9, factors);
}

static const spl *product(sched_target *t, const sched_convolution *c, bool inverse, int64_t l,
                          sched_tags tags)
{
    const spl_params params = {{c->m}};
    const spl *rule =
        spl_rule_apply(t->ctx, &spl_dft_bluestein, spl_dft(t->ctx, c->n, inverse), &params);

    if (!rule)
        return NULL;
    const spl *columns = spl_identity(t->ctx, l);
    const spl *move = pass(t, c->n * l, tags);
    const spl *const *conv = rule->kid + 2;
    if (c->blocks > 1)
        return in_blocks(t, c, rule->kid, tags);
    const spl *const factor[] = {spl_kron2(t->ctx, rule->kid[0], columns),
                                 move,
                                 spl_kron2(t->ctx, rule->kid[1], columns),
                                 whole(t, c, conv, l, tags),
                                 spl_kron2(t->ctx, rule->kid[5], columns),
                                 spl_kron2(t->ctx, rule->kid[6], columns),
                                 move};
    return spl_mul(t->ctx, 7, factor);
}

const spl *sched_bluestein(sched_target *t, const sched_convolution *c, bool inverse, int64_t l,
                           sched_tags tags)
{
    const spl_tag tile = {.kind = SPL_TAG_TILE, .a = {c->tile, 0}};

    if (c->rader)
        return rader(t, c, inverse, tags);
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
