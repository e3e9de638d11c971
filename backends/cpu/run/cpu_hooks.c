// SPDX-License-Identifier: BSD-3-Clause
#include "backends/cpu/run/cpu_hooks.h"

#include <stdalign.h>
#include <string.h>

#include "backends/cpu/run/cpu_small.h"

/* A third of L1; mirrored rows need a little more. */
enum { TILE_BYTES = 16 * 1024, TILE_SLACK = 1024 };

/* A fake address for the start of a packed side that is nowhere in memory: only differences of
 * addresses are used, and nothing is read or written there. */
static const uintptr_t nowhere = (uintptr_t)1 << (sizeof(uintptr_t) * 5);

void cpu_hooks_open(cpu_hooked *h, const bind_tape *tape, const backend_hook_place takes[2],
                    const sluice_arrays *arrays)
{
    const core_isa isa = tape->target->isa;

    h->arrays = arrays;
    h->transform = arrays->reserved[PROG_ARRAYS_FIRST];
    h->scale = cpu_scale[isa][tape->precision];
    for (int side = 0; side < 2; side++) {
        const prog_hook *hook = takes[side] ? tape->body->sides.hook[side] : NULL;
        const bool weighs = hook && hook->weight && prog_hook_only_weighs(hook);
        char *const array = side ? (char *)arrays->out : (char *)(uintptr_t)arrays->in;
        h->hook[side] = hook;
        if (hook && side == 0)
            h->scalar_shift = hook->precision == SLUICE_F32 ? 2 : 3;
        h->weigh[side] = weighs ? cpu_weigher(isa, (int)hook->precision) : NULL;
        h->base[side] = weighs ? array : (char *)nowhere;
    }
}

/* ---- neighbours ---- */

static ptrdiff_t scalar_of(const prog_hook *h)
{
    return h->precision == SLUICE_F32 ? (ptrdiff_t)sizeof(float) : (ptrdiff_t)sizeof(double);
}

/* Weighs rows of `count` scalars of the packed side, which is the user's array, from scalar `at`
 * on. `row`, `to`: distances of rows in the array and in the tile. */
static void weigh_rows(const cpu_hooked *h, bool out, ptrdiff_t at, ptrdiff_t row, char *tile,
                       ptrdiff_t to, size_t rows, ptrdiff_t count, int64_t w, ptrdiff_t weight_row)
{
    const prog_hook *hook = h->hook[out];
    const ptrdiff_t scalar = scalar_of(hook);
    char *const array = h->base[out] + at * scalar;

    h->weigh[out](&(cpu_weighed){.to = out ? array : tile,
                                 .from = out ? tile : array,
                                 .weight = (const char *)hook->weight + w * scalar,
                                 .to_row = out ? row : to,
                                 .from_row = out ? to : row,
                                 .weight_row = weight_row,
                                 .rows = rows,
                                 .count = (size_t)count});
}

static int64_t weight_at(const prog_hook *hook, ptrdiff_t at)
{
    return at < hook->weights ? at : at % hook->weights;
}

/* Weighs adjacent scalars: the rest of a period of weights, whole periods, and what is left. */
static void weigh_run(const cpu_hooked *h, bool out, ptrdiff_t at, ptrdiff_t count, char *tile)
{
    const prog_hook *hook = h->hook[out];
    const ptrdiff_t period = (ptrdiff_t)hook->weights;
    int64_t w = weight_at(hook, at);

    while (count > 0) {
        const ptrdiff_t left = period - (ptrdiff_t)w;
        const ptrdiff_t piece = left < count ? left : count;
        const ptrdiff_t rows = piece == period ? count / period : 1;
        weigh_rows(h, out, at, period, tile, period, (size_t)rows, piece, w, 0);
        at += rows * piece;
        tile += rows * piece * scalar_of(hook);
        count -= rows * piece;
        w = 0;
    }
}

static sluice_status move_run(const cpu_hooked *h, bool out, ptrdiff_t at, ptrdiff_t count,
                              char *tile)
{
    const prog_hook *hook = h->hook[out];

    if (h->weigh[out]) {
        weigh_run(h, out, at, count, tile);
        return SLUICE_OK;
    }
    return (out ? prog_hook_store : prog_hook_load)(
        hook, h->arrays, h->transform, at / hook->scalars, count / hook->scalars, tile);
}

/* ---- tiles ---- */

/* A block of a kernel's side within the packed side; part: where its re and im begin, in
 * scalars. */
typedef struct virtual_side {
    cpu_rows rows;
    ptrdiff_t part[2];
    int count; /* rows */
} virtual_side;

static ptrdiff_t scalars_from(const char *base, const void *at, ptrdiff_t scalar)
{
    return (ptrdiff_t)((uintptr_t)at - (uintptr_t)base) / scalar;
}

/* Are re and im, in either order, adjacent, so that they are one element of the array? */
static bool is_paired(const cpu_hooked *h, bool out, spl_format format)
{
    return format == SPL_SPLIT && h->hook[out]->scalars == 2;
}

static virtual_side side_of(const cpu_hooked *h, const bind_tail *t, const spl_call *c, bool out)
{
    const ptrdiff_t scalar = (ptrdiff_t)t->scalar;
    virtual_side v = {.rows = out ? cpu_rows_out(t, c) : cpu_rows_in(t, c),
                      .part = {scalars_from(h->base[out], out ? c->out_re : c->in_re, scalar), 0},
                      .count = out ? t->outputs : t->n};

    if (v.rows.format == SPL_SPLIT || v.rows.format == SPL_MIRROR)
        v.part[1] = scalars_from(h->base[out], out ? c->out_im : c->in_im, scalar);
    if (is_paired(h, out, v.rows.format)) {
        v.rows.format = SPL_INTER;
        v.part[0] = v.part[0] < v.part[1] ? v.part[0] : v.part[1];
    }
    return v;
}

/* Moves `count` pieces of `unit` scalars, whose distance is `from` scalars, and `to` in the
 * tile. */
static sluice_status move_line(const cpu_hooked *h, bool out, ptrdiff_t at, ptrdiff_t from,
                               char *tile, ptrdiff_t to, ptrdiff_t unit, ptrdiff_t count)
{
    const ptrdiff_t scalar = scalar_of(h->hook[out]), size = from < 0 ? -from : from;
    sluice_status status = SLUICE_OK;

    if (from == to && size == unit) { /* one run, in either direction */
        const ptrdiff_t first = from < 0 ? (count - 1) * from : 0;
        return move_run(h, out, at + first, count * unit, tile + first * scalar);
    }
    for (ptrdiff_t i = 0; i < count && status == SLUICE_OK; i++)
        status = move_run(h, out, at + i * from, unit, tile + i * to * scalar);
    return status;
}

/* The same for all rows at once, if columns are adjacent, rows step evenly and the weights do not
 * start over; false: otherwise. */
static bool weigh_tile(const cpu_hooked *h, bool out, const virtual_side *v, const cpu_small *s,
                       char *tile, ptrdiff_t unit, ptrdiff_t count)
{
    const prog_hook *hook = h->hook[out];
    const ptrdiff_t step = v->rows.row;
    const bool even = !v->rows.rows && v->rows.col == unit && s->at.col == unit && step >= 0;

    if (!h->weigh[out] || !even || v->rows.pairs || v->rows.format == SPL_SPLIT
        || v->rows.format == SPL_MIRROR)
        return false;
    const int64_t w = weight_at(hook, v->part[0]);
    if (w + (v->count - 1) * step + count * unit > hook->weights)
        return false;
    weigh_rows(h, out, v->part[0], v->rows.row, tile, s->at.row, (size_t)v->count, count * unit, w,
               step);
    return true;
}

/* Moves data between the packed side and a tile of `count` columns. */
static sluice_status move_tile(const cpu_hooked *h, bool out, const virtual_side *v,
                               const cpu_small *s, ptrdiff_t count)
{
    const ptrdiff_t scalar = scalar_of(h->hook[out]), unit = v->rows.format == SPL_INTER ? 2 : 1;
    const bool apart = v->rows.format == SPL_SPLIT || v->rows.format == SPL_MIRROR;
    char *const first = unit == 2 && s->im < s->re ? s->im : s->re;
    const bool forwards = v->rows.format != SPL_MIRROR; /* im's rows run backwards */
    const bool lines =
        forwards && !v->rows.rows && v->rows.row == unit && s->at.row == unit && v->count > 1;
    sluice_status status = SLUICE_OK;

    if (lines && !apart && v->rows.col == v->count * unit && s->at.col == v->rows.col)
        return move_run(h, out, v->part[0], count * s->at.col, first);
    if (!lines && weigh_tile(h, out, v, s, first, unit, count))
        return SLUICE_OK;
    for (int part = 0; part <= (int)apart; part++) {
        char *const tile = part ? s->im : first;
        for (ptrdiff_t l = 0; lines && l < count && status == SLUICE_OK; l++)
            status = move_line(h, out, v->part[part] + l * v->rows.col, unit,
                               tile + l * s->at.col * scalar, unit, unit, v->count);
        for (int i = 0; !lines && i < v->count && status == SLUICE_OK; i++) {
            ptrdiff_t from_column, to_column;
            const ptrdiff_t from = cpu_place_of_row(&v->rows, part, i, &from_column);
            const ptrdiff_t to = cpu_place_of_row(&s->at, part, i, &to_column);
            status = move_line(h, out, v->part[part] + from, from_column, tile + to * scalar,
                               to_column, unit, count);
        }
    }
    return status;
}

/* ---- blocks ---- */

/* Columns of one set, or of several adjacent sets: whole vectors, or, `rest`, fewer than a vector.
 * In that case both sides go through tiles, with idle lanes. */
typedef struct block {
    const cpu_hooked *h;
    const bind_op *op;
    bool rest, tiled[2];
    size_t columns, sets;
    cpu_small small[2];
    virtual_side side[2]; /* of sides with hooks */
} block;

static size_t columns_of_tile(const bind_tail *t)
{
    const size_t lanes = (size_t)t->lanes, rows = (size_t)(t->n > t->outputs ? t->n : t->outputs);
    const size_t most = (size_t)TILE_BYTES / (rows * 2 * t->scalar) / lanes * lanes;

    return most < lanes ? lanes : most;
}

static bool fits(const bind_op *op)
{
    const bind_tail *t = &op->tail;
    const size_t rows = (size_t)(t->n > t->outputs ? t->n : t->outputs);

    return op->op == BIND_KERN && rows * (size_t)t->lanes * 2 * t->scalar <= TILE_BYTES;
}

bool cpu_hook_fits(const bind_tape *tape, bool out)
{
    bool all = true;

    for (size_t i = 0; i < tape->nops; i++) {
        const bind_op *op = &tape->op[i];
        if (op->op == BIND_LOOP || op->op == BIND_SYNC)
            continue;
        const bool across = out ? op->in == 1 : op->out == 0,
                   along = out ? op->out == 1 : op->in == 0;
        all = all && !across && (!along || fits(op));
    }
    return all;
}

bool cpu_hook_of(const cpu_hooked *h, const bind_op *op)
{
    return (op->in == 0 && h->hook[0]) || (op->out == 1 && h->hook[1]);
}

static bool goes_backwards(const bind_tail *t, const spl_call *c, bool out)
{
    const spl_format format = out ? t->out : t->in;
    const bool differs = out ? c->ocs1 != c->ocs : c->ics1 != c->ics;

    return (t->pairs || format == SPL_MIRROR) && differs;
}

/* Lays out the tile of a side, and finds the side's place in the packed side. */
static void open_tile(block *b, const spl_call *c, bool out, char *tile)
{
    const bind_tail *t = &b->op->tail;
    const spl_format format = out ? t->out : t->in;
    const bool hooked = b->h->hook[out] != NULL;
    const bool paired = hooked && is_paired(b->h, out, format);

    b->tiled[out] = hooked || b->rest;
    if (b->tiled[out])
        b->small[out] = cpu_small_of(t, tile, paired ? SPL_INTER : format,
                                     out ? t->rows_out : t->rows_in, goes_backwards(t, c, out),
                                     b->rest ? t->lanes : (int)(b->columns * b->sets));
    if (hooked)
        b->side[out] = side_of(b->h, t, c, out);
    if (paired
        && (out ? (const char *)c->out_im < (const char *)c->out_re
                : (const char *)c->in_im < (const char *)c->in_re)) {
        char *const re = b->small[out].re;
        b->small[out].re = b->small[out].im;
        b->small[out].im = re;
    }
}

static sluice_status fill_tile(const block *b, const spl_call *c)
{
    if (b->h->hook[0])
        return move_tile(b->h, false, &b->side[0], &b->small[0], (ptrdiff_t)(b->columns * b->sets));
    if (b->rest)
        cpu_small_load(&b->small[0], c, &b->op->tail, (int)b->columns);
    return SLUICE_OK;
}

static sluice_status empty_tile(const block *b, const spl_call *c)
{
    if (b->h->hook[1])
        return move_tile(b->h, true, &b->side[1], &b->small[1], (ptrdiff_t)(b->columns * b->sets));
    if (b->rest)
        cpu_small_store(&b->small[1], c, &b->op->tail, (int)b->columns);
    return SLUICE_OK;
}

/* Codelets with factored twiddles count columns from the beginning of their table. */
static void run_codelet(const block *b, spl_call *c, size_t lo)
{
    const bind_op *op = b->op;
    const bind_tail *t = &op->tail;
    const size_t columns = b->rest ? (size_t)t->lanes : b->columns;
    const size_t first = t->tw == SPL_TW_FACTORED ? lo : 0;

    c->set_columns = columns;
    cpu_call_by_columns(t, c, -(ptrdiff_t)first);
    op->codelet->run(c, first, t->sets ? b->sets : columns);
    cpu_call_by_columns(t, c, (ptrdiff_t)first);
    if (op->scaling.rows)
        cpu_scale_results(t, &op->scaling, b->h->scale, c, 0, columns, 0, b->sets);
}

/* Runs the call `from`, of one set from column lo on; its table still begins at column 0. */
static sluice_status run_block(block *b, const spl_call *from, size_t lo)
{
    alignas(64) char tile[2][TILE_BYTES + TILE_SLACK];
    ptrdiff_t off[2][BIND_MAX_ROWS];
    const bind_tail *t = &b->op->tail;
    spl_call c = *from;

    if (t->tw != SPL_TW_BROADCAST)
        cpu_call_to_block(t, &c, lo / (size_t)t->lanes);
    if (b->rest)
        memset(tile[0], 0, sizeof tile[0]);
    for (int out = 0; out < 2; out++)
        open_tile(b, from, out, tile[out]);
    sluice_status status = fill_tile(b, from);
    if (status != SLUICE_OK)
        return status;
    for (int out = 0; out < 2; out++)
        if (b->tiled[out])
            cpu_call_use(t, &c, &b->small[out], out, off[out]);
    run_codelet(b, &c, lo);
    return empty_tile(b, from);
}

static sluice_status run_set(const cpu_hooked *h, const bind_op *op, const spl_call *call,
                             size_t lo, size_t hi)
{
    const size_t lanes = (size_t)op->tail.lanes, most = columns_of_tile(&op->tail);
    sluice_status status = SLUICE_OK;

    for (size_t at = lo, count; at < hi && status == SLUICE_OK; at += count) {
        const size_t left = hi - at;
        count = left < lanes ? left : left / lanes * lanes < most ? left / lanes * lanes : most;
        block b = {.h = h, .op = op, .rest = count % lanes != 0, .columns = count, .sets = 1};
        spl_call c = *call;
        cpu_call_by_columns(&op->tail, &c, (ptrdiff_t)at);
        status = run_block(&b, &c, at);
    }
    return status;
}

static spl_call call_of_set(const bind_tail *t, const spl_call *call, size_t set)
{
    spl_call c = *call;

    cpu_call_by_sets(t, &c, (ptrdiff_t)set);
    if (t->tw == SPL_TW_BROADCAST)
        c.tw = (const char *)call->tw + set * t->block * t->scalar;
    return c;
}

/* Do sets of these columns, all whole vectors, follow each other on the sides with hooks? */
static bool sets_are_adjacent(const cpu_hooked *h, const bind_tail *t, const spl_call *call,
                              size_t columns)
{
    const ptrdiff_t n = (ptrdiff_t)columns;
    const bool in = !h->hook[0] || (!t->rows_in && call->iouter == n * call->ics);
    const bool out = !h->hook[1] || (!t->rows_out && call->oouter == n * call->ocs);

    return !t->pairs && columns % (size_t)t->lanes == 0 && in && out;
}

static sluice_status run_sets(const cpu_hooked *h, const bind_op *op, const spl_call *call,
                              size_t columns, size_t first, size_t last)
{
    const size_t fit = columns_of_tile(&op->tail) / columns, most = fit ? fit : 1;
    sluice_status status = SLUICE_OK;

    for (size_t s = first, sets; s < last && status == SLUICE_OK; s += sets) {
        sets = last - s < most ? last - s : most;
        block b = {.h = h, .op = op, .columns = columns, .sets = sets};
        const spl_call c = call_of_set(&op->tail, call, s);
        status = run_block(&b, &c, 0);
    }
    return status;
}

sluice_status cpu_hooked_columns(const cpu_hooked *h, const bind_op *op, const spl_call *call,
                                 size_t lo, size_t hi, size_t first, size_t last)
{
    const bind_tail *t = &op->tail;
    cpu_hooked own = *h;
    sluice_status status = SLUICE_OK;

    own.hook[0] = op->in == 0 ? h->hook[0] : NULL;
    own.hook[1] = op->out == 1 ? h->hook[1] : NULL;
    if (!t->sets)
        return run_set(&own, op, call, lo, hi);
    if (sets_are_adjacent(&own, t, call, hi - lo) && hi - lo <= columns_of_tile(t)) {
        spl_call c = *call;
        cpu_call_by_columns(t, &c, (ptrdiff_t)lo);
        return run_sets(&own, op, &c, hi - lo, first, last);
    }
    for (size_t s = first; s < last && status == SLUICE_OK; s++) {
        const spl_call c = call_of_set(t, call, s);
        status = run_set(&own, op, &c, lo, hi);
    }
    return status;
}
