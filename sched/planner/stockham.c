// SPDX-License-Identifier: BSD-3-Clause
/* Stockham products:
 *
 *     DFT_n = PROD_q (DFT_{r_q} (x) I_{m_q} (x) I_{l_q}) (L T (x) I_{l_q})
 *
 * where r_q is the radix of stage q, l_q the product of the earlier radices, m_q that of the later
 * ones. Rule dft-stockham is applied once for each radix to the remaining transform, whose columns
 * are the results of the earlier radices.
 *
 * Fused stages are one factor DFT_R (x) I_{m l}. All of them run on a tile of w columns before the
 * next tile, so that data larger than the caches make one pass through memory (the four-step method
 * is a product of two such factors). Tag tile marks the factor where its columns are adjacent in
 * the output. Rule dft-dif takes off the first of the stages, of radix r, so that the others run on
 * R / r rows of w columns at a time, which are fewer bytes than the tile. The first factor of a
 * contiguous transform is followed by L; there rule dft-tiles has the first of the stages transpose
 * inside the tile. */
#include "sched/planner/stockham.h"

/* One or two cache lines. */
static const int64_t tile_bytes = 128;

int64_t sched_l2_bytes(const sched_target *t)
{
    return 2 * (int64_t)t->unit.local_store;
}

int64_t sched_tile_columns(const sched_target *t)
{
    const int64_t columns = tile_bytes / sched_complex_bytes(t->precision);

    return columns > t->lanes ? columns : t->lanes;
}

static int64_t vectors_of_line(const sched_target *t)
{
    const int lanes = t->precision == SLUICE_F32 ? t->unit.lanes_f32 : t->unit.lanes_f64;
    const int64_t vectors = (int64_t)t->unit.line / (lanes * sched_complex_bytes(t->precision));

    return vectors > 1 ? vectors : 1;
}

sched_radix_model sched_model(const sched_target *t, int64_t columns, int64_t batch)
{
    const int shorter =
        t->table->team->shorter ? t->table->team->shorter(t->backend, (spl_format)t->format) : 1;

    return (sched_radix_model){
        .table = t->table,
        .backend = t->backend,
        .costs = t->costs,
        .precision = t->precision,
        .lanes = t->lanes,
        .split = t->format == SPL_SPLIT && t->vec_lanes > 1,
        .shortest = t->lanes > shorter ? t->lanes / shorter : 1,
        .line_vectors = vectors_of_line(t),
        .columns = columns,
        .tile = sched_tile_columns(t),
        .uniform_points = t->around.uniform_points,
        .batch = batch * t->batch_scale,
        .rows = batch * t->batch_scale,
        .use_as_single = BACKEND_SINGLE,
        .l1 = t->unit.l1,
        .l2 = (size_t)sched_l2_bytes(t),
        .tile_bytes_max = t->mode == BACKEND_FUSED ? 0 : t->unit.local_store / SCHED_STREAM_BLOCKS};
}

/* A list of radices on its way to a tree. */
typedef struct chain {
    const sched_target *t;
    const sched_radix_model *model;
    const sched_radices *radices;
    int end;   /* end of the stages in question */
    bool fuse; /* fuse stages as the list says */
} chain;

static const sched_tree *leaf_of(const chain *c, int q)
{
    return sched_tree_new(c->t->ctx, (sched_tree){.n = c->radices->radix[q]});
}

static int64_t points_from(const chain *c, int q)
{
    int64_t n = 1;

    for (; q < c->end; q++)
        n *= c->radices->radix[q];
    return n;
}

static const sched_tree *tree_from(const chain *c, int q, int64_t l);

/* The stages of a tile after the first one, q+1 .. end-1. */
static const sched_tree *inner_stages(const chain *c, int q, int end)
{
    const chain inner = {.t = c->t, .model = c->model, .radices = c->radices, .end = end};

    return tree_from(&inner, q + 1, 1);
}

/* Stages q .. end-1, fused on tiles of columns. */
static const sched_tree *tiled_stages(const chain *c, int q, int end, int64_t R, int64_t l)
{
    const int64_t points = l * points_from(c, q);
    const sched_tree made = {.rule = &spl_dft_dif,
                             .params = {{c->radices->radix[q]}},
                             .n = R,
                             .tile = sched_tile_width(c->model, points, l),
                             .nkids = 2,
                             .kid = {inner_stages(c, q, end), leaf_of(c, q)}};

    return sched_tree_new(c->t->ctx, made);
}

/* All stages from q on. Stages q .. end-1 are fused on tiles, which the first of them
 * transposes. */
static const sched_tree *first_tiles(const chain *c, int q, int end, int64_t R)
{
    const int64_t n = points_from(c, q), w = sched_tile_width(c->model, n, n / R);
    sched_tree made = {.rule = &spl_dft_tiles, .params = {{R, c->radices->radix[q], w}}, .n = n};

    if (end < c->end)
        made.kid[made.nkids++] = tree_from(c, end, R);
    made.kid[made.nkids++] = inner_stages(c, q, end);
    made.kid[made.nkids++] = leaf_of(c, q);
    return sched_tree_new(c->t->ctx, made);
}

static const sched_tree *tree_from(const chain *c, int q, int64_t l)
{
    int64_t R = c->radices->radix[q];
    int end = q + 1;

    for (; c->fuse && c->radices->fused_with_next[end - 1]; end++)
        R *= c->radices->radix[end];
    if (end - q > 1 && l == 1)
        return first_tiles(c, q, end, R);
    const sched_tree *stages = end - q > 1 ? tiled_stages(c, q, end, R, l) : leaf_of(c, q);
    if (end == c->end)
        return stages;
    const sched_tree made = {.rule = &spl_dft_stockham,
                             .params = {{R}},
                             .n = points_from(c, q),
                             .nkids = 2,
                             .kid = {tree_from(c, end, l * R), stages}};
    return sched_tree_new(c->t->ctx, made);
}

/* The root holds the price. If memory ran out, kids are NULL and the context has failed. */
const sched_tree *sched_stockham(const sched_target *t, const sched_radices *radices, int64_t l)
{
    const sched_radix_model model = sched_model(t, l, 1);
    const chain c = {
        .t = t, .model = &model, .radices = radices, .end = radices->count, .fuse = true};
    const sched_tree *x = tree_from(&c, 0, l);

    if (!x || spl_ctx_status(t->ctx, NULL) != SLUICE_OK)
        return NULL;
    sched_tree root = *x;
    root.cycles = radices->cycles;
    return sched_tree_new(t->ctx, root);
}

static const sched_tree *two_stages(const sched_target *t, const sched_radices *radices)
{
    const sched_tree first = {.n = radices->radix[0]}, last = {.n = radices->radix[1]};
    const sched_tree made = {.rule = &spl_dft_ct,
                             .params = {{last.n}},
                             .n = first.n * last.n,
                             .nkids = 2,
                             .kid = {sched_tree_new(t->ctx, last), sched_tree_new(t->ctx, first)}};

    return sched_tree_new(t->ctx, made);
}

/* All stages; NULL if they are more than the rule has parameters, which is longer than any length
 * that fits memory needs. */
static const sched_tree *stages_in_place(const sched_target *t, const sched_radices *radices)
{
    sched_tree made = {.rule = &spl_dft_in_place, .n = 1, .nkids = radices->count};

    if ((size_t)radices->count > sizeof made.params.v / sizeof *made.params.v)
        return NULL;
    for (int q = 0; q < radices->count; q++) {
        const sched_tree leaf = {.n = radices->radix[q]};
        made.params.v[q] = leaf.n;
        made.n *= leaf.n;
        made.kid[radices->count - 1 - q] = sched_tree_new(t->ctx, leaf);
    }
    return sched_tree_new(t->ctx, made);
}

const sched_tree *sched_in_place(const sched_target *t, const sched_radices *radices,
                                 bool keeps_rows)
{
    const sched_tree *x = keeps_rows ? stages_in_place(t, radices) : two_stages(t, radices);

    if (!x || spl_ctx_status(t->ctx, NULL) != SLUICE_OK)
        return NULL;
    sched_tree root = *x;
    root.cycles = radices->cycles;
    return sched_tree_new(t->ctx, root);
}
