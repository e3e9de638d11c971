// SPDX-License-Identifier: BSD-3-Clause
/* Adds tag stream to a formula, inside tag spe and outside all other tags; rule local derives s.
 * The names on the right are the scenarios of docs/SCENARIOS.md:
 *     {A}_{vec,tile,spe}           ->  {A}_{vec,tile,stream(s),spe}        b1, b2; LP, a4 by stages
 *     A B ..  that fits whole      ->  {A B ..}_{stream(1)}                a2
 *     {A}_{spe} {B}_{spe} ..       ->  {A B ..}_{spe(p,mu),stream(1)}      a3
 *     I_b (x) {A}_{spe} {B}_{spe}  ->  {I_b (x) A B}_{spe(p,mu),stream(b)} b3
 * Not streamed: data that stay in the local stores anyway (a1), and rows or columns that are not
 * whole vectors and cache lines, whose transfers would be short runs. */
#include "sched/planner/streams.h"

#include <string.h>

#include "sched/planner/expand.h"
#include "sched/planner/stockham.h"
#include "sched/problem/problem.h"
#include "spl/rules/rewrite.h"
#include "spl/rules/tags/rules_local.h"

enum { MAX_FACTORS = 64 };

static int64_t points_in(const sched_target *t, size_t bytes)
{
    return (int64_t)bytes / sched_complex_bytes(t->precision);
}

/* {x}_local(bytes): the tag is inside spe and outside all other tags. */
static const spl *with_local(const sched_target *t, const spl *x, size_t bytes)
{
    const spl_tag local = {.kind = SPL_TAG_LOCAL, .a = {(int64_t)bytes, 0}};
    spl_tag tags[SPL_MAX_TAGS];
    int at = 0;

    if (x->op != SPL_TAG)
        return spl_tagged(t->ctx, x, 1, &local);
    if (x->ntags == SPL_MAX_TAGS)
        return x;
    while (at < x->ntags && x->tag[at].kind != SPL_TAG_SPE)
        at++;
    memcpy(tags, x->tag, (size_t)at * sizeof *tags);
    tags[at] = local;
    memcpy(tags + at + 1, x->tag + at, (size_t)(x->ntags - at) * sizeof *tags);
    return spl_tagged(t->ctx, spl_untagged(x), x->ntags + 1, tags);
}

/* Are all blocks of a stream equal: rows, or whole cache lines and vectors of columns? */
static bool has_equal_blocks(const sched_target *t, const spl *x)
{
    const spl_tag *spe = spl_find_tag(x, SPL_TAG_SPE), *stream = spl_find_tag(x, SPL_TAG_STREAM);
    const spl_view v = spl_view_of(x);
    const int64_t p = spe ? spe->a[0] : 1, s = stream->a[0];
    const bool rows = v.a > 1 && (v.a >= p || v.b == 1);
    const bool alone =
        !spl_view_leaf(&v) || v.m > SCHED_MAX_UNTWIDDLED; /* a row at a time is enough */
    const int64_t n = rows ? v.a : v.b;

    if (v.shape != SPL_SHAPE_KRON || p * s == 1)
        return true;
    if (n % (p * s) != 0)
        return rows && alone;
    if (rows && v.b == 1)
        return alone || n / (p * s) >= t->lanes;
    return rows || (n / p % (spe ? spe->a[1] : 1) == 0 && n / (p * s) % sched_tile_columns(t) == 0);
}

/* x as a whole with stream(s) for a store of `bytes`; NULL: impossible. */
static const spl *stream_in_store(const sched_target *t, const spl *x, size_t bytes)
{
    const spl_params element = {{sched_complex_bytes(t->precision)}};
    const spl *local = bytes > 0 ? with_local(t, x, bytes) : NULL;

    if (!local || spl_find_tag(x, SPL_TAG_STREAM) || !spl_tag_local.guard(local, &element, NULL))
        return NULL;
    if (spl_view_of(x).shape == SPL_SHAPE_PRODUCT
        && (spl_contains_tag(x, SPL_TAG_SPE) || spl_find_tag(x, SPL_TAG_SPE)
            || (x->rows + PROG_ALIGN - 1) / PROG_ALIGN * PROG_ALIGN
                   > points_in(t, bytes / SCHED_STREAM_BLOCKS)))
        return NULL;
    const spl *made = spl_derive_streams(t->ctx, local, element.v[0]);
    return made && spl_find_tag(made, SPL_TAG_STREAM) && has_equal_blocks(t, made) ? made : NULL;
}

/* Blocks that stay in L1 are moved fastest by the worker itself; posting one to a helper takes
 * about as long as moving 32 KiB. */
static const spl *stream_whole(const sched_target *t, const spl *x)
{
    const size_t store = t->unit.local_store;
    const size_t small = t->mode == BACKEND_HELPER ? store / 2 : 2 * t->unit.l1;
    const spl *made = small < store ? stream_in_store(t, x, small) : NULL;

    return made ? made : stream_in_store(t, x, store);
}

static const spl *add_streams(const sched_target *t, const spl *x);

/* A factor of a tagged product, to which the product's tags are passed on. */
typedef struct factor {
    const sched_target *t;
    const spl *tagged; /* NULL: none */
} factor;

static const spl *stream_factor(spl_ctx *ctx, const spl *kid, const void *arg)
{
    const factor *f = arg;

    if (spl_is_data_movement(kid))
        return kid;
    if (f->tagged)
        kid = spl_tagged(ctx, kid, f->tagged->ntags, f->tagged->tag);
    if (!kid)
        return NULL;
    /* codelets that are not the whole formula, and moves, are not streamed */
    const spl_view v = spl_view_of(kid);
    return v.shape == SPL_SHAPE_LEAF || (v.nmid == 1 && sched_is_trivial(spl_untagged(v.mid[0])))
               ? kid
               : add_streams(f->t, kid);
}

/* Streams x as a whole if possible, else its factors, or their operands. */
static const spl *add_streams(const sched_target *t, const spl *x)
{
    if (!x || spl_is_data_movement(x) || x->op == SPL_PLUS)
        return x;
    const spl *whole = stream_whole(t, x), *base = spl_untagged(x);
    if (whole)
        return whole;
    if (x->op == SPL_TAG && base->op == SPL_MUL) /* rule tag-product */
        return spl_map(t->ctx, base, stream_factor, &(factor){t, x});
    if (spl_find_tag(x, SPL_TAG_VEC)
        || spl_find_tag(x, SPL_TAG_TILE)) /* x is part of the blocks of a stream */
        return x;
    base = spl_map(t->ctx, base, stream_factor, &(factor){t, NULL});
    return x->op == SPL_TAG ? spl_tagged(t->ctx, base, x->ntags, x->tag) : base;
}

/* ---- one transform, or few, by all parts ---- */

/* The factors of a product without their tags spe, which must be spe(t->parts,..); *mu becomes
 * their largest mu. */
static const spl *without_spe(const sched_target *t, const spl *product, int64_t *mu)
{
    const spl *kid[MAX_FACTORS];

    if (product->op != SPL_MUL || product->nkids > MAX_FACTORS)
        return NULL;
    for (int i = 0; i < product->nkids; i++) {
        const spl *x = kid[i] = product->kid[i];
        const spl_tag *spe = spl_find_tag(x, SPL_TAG_SPE);
        if (spl_is_data_movement(x))
            continue;
        if (!spe || spe->a[0] != t->parts || spe != &x->tag[x->ntags - 1]
            || spl_contains_tag(spl_untagged(x), SPL_TAG_SPE))
            return NULL;
        *mu = spe->a[1] > *mu ? spe->a[1] : *mu;
        kid[i] = spl_tagged(t->ctx, spl_untagged(x), x->ntags - 1, x->tag);
    }
    return spl_mul(t->ctx, product->nkids, kid);
}

/* Scenarios a3, b3; NULL: the first or last factor cannot be divided evenly among the parts. */
static const spl *through_parts(const sched_target *t, const spl *x)
{
    const bool batch = x->op == SPL_KRON && x->nkids == 2 && x->kid[0]->op == SPL_I;
    const int64_t count = batch ? x->kid[0]->rows : 1;
    spl_tag tags[2] = {{.kind = SPL_TAG_SPE, .a = {t->parts, 1}},
                       {.kind = SPL_TAG_STREAM, .a = {count, 0}}};
    const spl *product = without_spe(t, batch ? x->kid[1] : x, &tags[0].a[1]);

    if (!product)
        return NULL;
    const spl *all = spl_kron2(t->ctx, spl_identity(t->ctx, count), product);
    const spl *made = spl_tagged(t->ctx, all, 2, tags);
    return made && spl_tag_spe_inside_stream.guard(made, NULL, NULL) ? made : NULL;
}

const spl *sched_streams(const sched_target *t, const sluice_problem *p, const spl *x,
                         const char **reason)
{
    const int64_t batch = (int64_t)sched_problem_batch(p) * t->batch_scale;
    const int64_t points = (int64_t)sched_problem_points(p);
    const int64_t capacity = points_in(t, t->unit.local_store) * t->parts;
    const spl *made = NULL;

    if (!x)
        return NULL;
    if (reason)
        *reason = "no row or column fits the local store, or the shares of the parts differ";
    if (batch == 1 && t->parts > 1 && 3 * points <= capacity) {
        if (reason)
            *reason = "one transform stays in the local stores of its parts";
        return x;
    }
    if (t->parts > 1 && batch < t->parts && (batch > 1 ? 4 : 2) * points <= capacity)
        made = through_parts(t, x);
    return made ? made : add_streams(t, x);
}
