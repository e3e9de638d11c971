// SPDX-License-Identifier: BSD-3-Clause
/* The formulas of convolutions: rules dft-bluestein, dft-rader, convolution-blocks and chirp-ends,
 * with copy stages if a diagonal or a permutation has no stage to merge into. */
#include "sched/planner/bluestein.h"

#include "spl/rules/rewrite.h"

const spl *sched_copy_stage(const sched_target *t, int64_t points, sched_tags tags)
{
    const spl *one = spl_mark_leaves(t->ctx, spl_dft(t->ctx, 1, false));

    return sched_with_columns(t, spl_kron2(t->ctx, one, spl_identity(t->ctx, points)), 0, tags);
}

/* An inner transform. If its first step is a permutation, that becomes a gather, which merges into
 * the stage after it; a permutation would merge into the stage before it, whose rows would no
 * longer be contiguous. */
static const spl *inner_transform(const sched_target *t, const sched_tree *tree, const spl *bare,
                                  int64_t l, sched_tags tags)
{
    const spl *x = sched_expand(t, tree, spl_transform_kind(bare), l, tags);

    if (!x || x->op != SPL_MUL || !spl_is_data_movement(x->kid[x->nkids - 1]))
        return x;
    const spl *move = spl_movement_to_sigma(t->ctx, x->kid[x->nkids - 1], 1, 1);
    const spl *gather = move ? spl_gather(t->ctx, move->f, SPL_PLAIN) : NULL;
    return spl_mul2(t->ctx, spl_mul(t->ctx, x->nkids - 1, x->kid), gather);
}

/* The stage whose output the spectrum multiplies: the transform's last one, or a copy stage if the
 * transform is one codelet. */
static const spl *spectrum_stage(const sched_target *t, const sched_tree *inner, int64_t points,
                                 sched_tags tags)
{
    return inner->rule ? spl_identity(t->ctx, points) : sched_copy_stage(t, points, tags);
}

/* ---- in blocks ---- */

/* Columns in a tile: whole vectors that divide m, as many as a third of L1 holds. */
static int64_t tile_of_ends(const sched_target *t, int64_t r, int64_t m)
{
    int64_t w = (int64_t)t->unit.l1 / (3 * r * sched_complex_bytes(t->precision));

    for (w -= w % t->lanes; w > t->lanes && m % w != 0;)
        w -= t->lanes;
    return w > t->lanes ? w : t->lanes;
}

/* The first or last stage, of radix R, with the chirp: rule chirp-ends. */
static const spl *chirp_stage(const sched_target *t, const sched_tree *blocks,
                              const spl *const *kids, sched_tags tags)
{
    const int64_t r = blocks->params.v[0];
    const spl_params params = {{tile_of_ends(t, r, blocks->n / r)}};
    const spl *x = spl_rule_apply(t->ctx, &spl_chirp_ends, spl_mul(t->ctx, 3, kids), &params);

    x = sched_with_leaves(t, x);
    return tags == SCHED_PARTS ? sched_with_shares(t, x) : x;
}

/* The loop over blocks, with its transforms broken down, distributed to the parts. */
static const spl *loop_over_blocks(const sched_target *t, const sched_tree *blocks, const spl *loop,
                                   sched_tags tags)
{
    const spl *const *kid = loop->kid[0]->kid;
    const sched_tags own = tags == SCHED_PARTS ? SCHED_LANES : tags;
    const spl *const factor[] = {kid[0], inner_transform(t, blocks->kid[0], kid[1], 1, own), kid[2],
                                 inner_transform(t, blocks->kid[0], kid[3], 1, own), kid[4]};
    const spl_range range = spl_range_of(loop);
    const spl *all = spl_sum(t->ctx, &range, spl_mul(t->ctx, 5, factor));

    return tags == SCHED_PARTS ? sched_with_shares(t, all) : all;
}

/* Expands all seven factors of rule dft-bluestein. */
static const spl *expand_in_blocks(const sched_target *t, const sched_tree *blocks,
                                   const spl *const *kid, sched_tags tags)
{
    const spl *x =
        spl_rule_apply(t->ctx, blocks->rule, spl_mul(t->ctx, 3, kid + 2), &blocks->params);

    if (!x)
        return NULL;
    const spl *const after[] = {kid[0], kid[1], x->kid[0]}, *before[] = {x->kid[4], kid[5], kid[6]};
    const spl *const factors[] = {chirp_stage(t, blocks, after, tags), x->kid[1],
                                  loop_over_blocks(t, blocks, x->kid[2], tags), x->kid[3],
                                  chirp_stage(t, blocks, before, tags)};
    return spl_mul(t->ctx, 5, factors);
}

/* ---- Bluestein ---- */

static const spl *expand_bluestein(const sched_target *t, const sched_tree *tree, const spl *x,
                                   int64_t l, sched_tags tags)
{
    const sched_tree *inner = tree->kid[0];
    const spl *const *kid = x->kid, *columns = spl_identity(t->ctx, l);

    if (inner->rule == &spl_convolution_blocks)
        return expand_in_blocks(t, inner, kid, tags);
    const spl *move = sched_copy_stage(t, tree->n * l, tags);
    const spl *const factor[] = {
        spl_kron2(t->ctx, kid[0], columns),         move,
        spl_kron2(t->ctx, kid[1], columns),         inner_transform(t, inner, kid[2], l, tags),
        spl_kron2(t->ctx, kid[3], columns),         spectrum_stage(t, inner, inner->n * l, tags),
        inner_transform(t, inner, kid[4], l, tags), spl_kron2(t->ctx, kid[5], columns),
        spl_kron2(t->ctx, kid[6], columns),         move};
    return spl_mul(t->ctx, 10, factor);
}

/* ---- Rader ---- */

/* 1 (+) A with A expanded. */
static const spl *all_but_first(const sched_target *t, const sched_tree *inner, const spl *sum,
                                sched_tags tags)
{
    const spl *const kids[] = {spl_mark_leaves(t->ctx, sum->kid[0]),
                               inner_transform(t, inner, sum->kid[1], 1, tags)};
    return spl_dsum(t->ctx, 2, kids);
}

static const spl *expand_rader(const sched_target *t, const sched_tree *tree, const spl *x,
                               sched_tags tags)
{
    const sched_tree *inner = tree->kid[0];
    const spl *move = sched_copy_stage(t, tree->n, tags == SCHED_PARTS ? tags : SCHED_BARE);
    const spl *const *kid = x->kid;
    const spl *const factors[] = {kid[0],
                                  move,
                                  all_but_first(t, inner, kid[1], tags),
                                  spl_mark_leaves(t->ctx, kid[2]),
                                  kid[3],
                                  spectrum_stage(t, inner, tree->n, tags),
                                  all_but_first(t, inner, kid[4], tags),
                                  move,
                                  kid[5]};
    return spl_mul(t->ctx, 9, factors);
}

/* Tiles of one column mean that columns are computed one by one, each in vectors of its own. */
const spl *sched_expand_convolution(const sched_target *t, const sched_tree *tree, const spl *x,
                                    int64_t l, sched_tags tags)
{
    if (tree->rule == &spl_dft_rader)
        return expand_rader(t, tree, x, tags);
    if (tree->tile == 0)
        return expand_bluestein(t, tree, x, l, tags);
    x = expand_bluestein(t, tree, x, 1, tree->tile > 1 ? SCHED_BARE : SCHED_LANES);
    x = spl_kron2(t->ctx, x, spl_identity(t->ctx, l));
    if (tree->tile > 1)
        return sched_with_columns(t, x, tree->tile, tags);
    return tags == SCHED_PARTS ? sched_with_spe(t, x, t->parts, 1) : x;
}
