// SPDX-License-Identifier: BSD-3-Clause
#include "backends/cpu/run/cpu_weighed.h"

#include <stdalign.h>

/* A tile of columns takes half of L1, one of adjacent transforms an eighth. If there is more input
 * than STREAMED, that of the next tile is prefetched meanwhile. */
enum { TILE_BYTES = 16 * 1024, LINES_BYTES = 4 * 1024, STREAMED = 64 * 1024, LINE = 64 };

typedef struct weighing {
    const cpu_hooked *h;
    const bind_op *op;
    spl_codelet_fn *run;
    ptrdiff_t scalar, unit; /* bytes of a scalar; scalars between adjacent columns or rows */
    spl_call call;          /* reads the tile */
    char *tile;
    const char *end; /* of the input */
} weighing;

static int64_t weight_of(const weighing *w, const char *at)
{
    const prog_hook *hook = w->h->hook[0];
    const int64_t e = (int64_t)((size_t)(at - w->h->base[0]) >> w->h->scalar_shift);

    return e < hook->weights ? e : e % hook->weights;
}

/* The call counts columns, or sets, from 0: the input pointer for which column `at` is the tile. */
static const void *before_tile(const weighing *w, size_t at, ptrdiff_t step)
{
    return (const void *)((uintptr_t)w->tile - (uintptr_t)((ptrdiff_t)at * step * w->scalar));
}

static void run_codelet(const weighing *w, size_t at, size_t count, size_t lo, size_t hi)
{
    const bind_tail *t = &w->op->tail;
    const size_t first = t->sets ? at : 0, sets = t->sets ? count : 1;

    w->run(&w->call, at, count);
    if (w->op->scaling.rows)
        cpu_scale_results(t, &w->op->scaling, w->h->scale, &w->call, t->sets ? lo : at,
                          t->sets ? hi : at + count, first, sets);
}

static void fetch(const weighing *w, const char *at, size_t bytes)
{
    for (size_t i = 0; i < bytes && at + i < w->end; i += LINE)
        __builtin_prefetch(at + i);
}

/* ---- transforms one after the other ---- */

/* Weighs `count` of them, each with all weights; false: transforms are not a period of weights. */
static bool weigh_lines(const weighing *w, const char *from, size_t count, ptrdiff_t line)
{
    const prog_hook *hook = w->h->hook[0];

    if ((ptrdiff_t)hook->weights != line)
        return false;
    w->h->weigh[0](&(cpu_weighed){.to = w->tile,
                                  .from = from,
                                  .weight = hook->weight,
                                  .to_row = line,
                                  .from_row = line,
                                  .rows = count,
                                  .count = (size_t)hook->weights});
    return true;
}

/* Runs as many transforms at a time as a tile holds, and prefetches those of the next tile. */
static size_t run_lines(weighing *w, const spl_call *call, size_t lo, size_t hi)
{
    const ptrdiff_t line = w->op->tail.n * w->unit, bytes = line * w->scalar;
    const size_t lanes = (size_t)w->op->tail.lanes, whole = (hi - lo) / lanes * lanes;
    const size_t near = LINES_BYTES / (size_t)bytes / lanes * lanes, most = near ? near : lanes;
    const bool streamed = whole * (size_t)bytes > STREAMED;
    w->end = (const char *)call->in_re + (ptrdiff_t)hi * bytes;
    for (size_t at = lo, count; at < lo + whole; at += count) {
        const char *const from = (const char *)call->in_re + (ptrdiff_t)at * bytes;
        count = lo + whole - at < most ? lo + whole - at : most;
        if (!weigh_lines(w, from, count, line))
            return at - lo;
        w->call.in_re = before_tile(w, at, line);
        if (streamed)
            fetch(w, from + (ptrdiff_t)count * bytes, count * (size_t)bytes);
        run_codelet(w, at, count, lo, hi);
    }
    return whole;
}

/* ---- columns ---- */

/* Weighs `count` columns of all rows; false: the weights would start over on the way. */
static bool weigh_columns(const weighing *w, const char *from, ptrdiff_t row, ptrdiff_t to,
                          size_t count)
{
    const prog_hook *hook = w->h->hook[0];
    const int64_t first = weight_of(w, from), step = row;
    const size_t scalars = count * (size_t)w->unit;

    if (first + (w->op->tail.n - 1) * step + (int64_t)scalars > hook->weights)
        return false;
    w->h->weigh[0](&(cpu_weighed){.to = w->tile,
                                  .from = from,
                                  .weight = (const char *)hook->weight + first * w->scalar,
                                  .to_row = to,
                                  .from_row = row,
                                  .weight_row = step,
                                  .rows = (size_t)w->op->tail.n,
                                  .count = scalars});
    return true;
}

static size_t columns_of_tile(const weighing *w)
{
    return TILE_BYTES / ((size_t)w->op->tail.n * (size_t)w->unit * (size_t)w->scalar);
}

static size_t run_columns(weighing *w, const spl_call *call, size_t lo, size_t hi)
{
    const size_t lanes = (size_t)w->op->tail.lanes, whole = (hi - lo) / lanes * lanes;
    const size_t most = columns_of_tile(w) / lanes * lanes;

    for (size_t at = lo, count; at < lo + whole; at += count) {
        const ptrdiff_t first = (ptrdiff_t)at * w->unit;
        count = lo + whole - at < most ? lo + whole - at : most;
        w->call.is = (ptrdiff_t)count * w->unit;
        if (!weigh_columns(w, (const char *)call->in_re + first * w->scalar, call->is, w->call.is,
                           count))
            return at - lo;
        w->call.in_re = before_tile(w, at, w->unit);
        run_codelet(w, at, count, lo, hi);
    }
    return whole;
}

/* Runs adjacent sets of `columns` columns; all of them or none. */
static bool run_sets(weighing *w, const spl_call *call, size_t columns, size_t first, size_t last)
{
    const size_t most = columns_of_tile(w) / columns;
    const ptrdiff_t set = (ptrdiff_t)columns * w->unit;
    const prog_hook *hook = w->h->hook[0];
    const int64_t end = weight_of(w, (const char *)call->in_re + (ptrdiff_t)first * set * w->scalar)
                        + (w->op->tail.n - 1) * call->is
                        + (int64_t)((ptrdiff_t)(last - first) * set);

    if (call->iouter != set || !most || end > hook->weights)
        return false;
    w->call.set_columns = columns;
    for (size_t s = first, sets; s < last; s += sets) {
        sets = last - s < most ? last - s : most;
        w->call.is = (ptrdiff_t)sets * set;
        (void)weigh_columns(w, (const char *)call->in_re + (ptrdiff_t)s * set * w->scalar, call->is,
                            w->call.is, sets * columns);
        w->call.in_re = before_tile(w, s, set);
        run_codelet(w, s, sets, 0, columns);
    }
    return true;
}

/* ---- without a tile ---- */

/* If rows are adjacent and each transform has all weights, sets the weights of the call. */
static bool weigh_call_of_lines(const weighing *w, spl_call *call)
{
    const prog_hook *hook = w->h->hook[0];

    if (call->is != w->unit || hook->weights != w->op->tail.n * w->unit)
        return false;
    call->weight = hook->weight;
    return true;
}

/* The same if columns are adjacent and weights step with them. */
static bool weigh_call_of_columns(const weighing *w, spl_call *call, size_t lo, size_t hi,
                                  size_t first, size_t last)
{
    const prog_hook *hook = w->h->hook[0];
    const bind_tail *t = &w->op->tail;
    const ptrdiff_t step = t->sets ? call->iouter : w->unit;
    const size_t from = t->sets ? first : lo, count = t->sets ? last - first : hi - lo;
    const ptrdiff_t reach =
        step * (ptrdiff_t)(count - 1) + (t->sets ? (ptrdiff_t)hi * w->unit : w->unit);
    const ptrdiff_t rows = call->is % hook->weights == 0 ? 0 : call->is;
    const char *const at = (const char *)call->in_re + (ptrdiff_t)from * step * w->scalar;
    const int64_t begin = weight_of(w, at);

    if (call->ics != w->unit || step < 0 || call->is < 0 || (hi - lo) % (size_t)t->lanes != 0
        || (t->sets && lo != 0) || begin + (t->n - 1) * rows + reach > hook->weights)
        return false;
    call->weight = (const void *)((uintptr_t)hook->weight
                                  + (uintptr_t)((begin - (ptrdiff_t)from * step) * w->scalar));
    call->ws = rows;
    call->wcs = w->unit;
    return true;
}

bool cpu_weigh_call(const cpu_hooked *h, const bind_op *op, spl_call *call, size_t lo, size_t hi,
                    size_t first, size_t last)
{
    const bind_tail *t = &op->tail;
    const weighing w = {
        .h = h, .op = op, .scalar = (ptrdiff_t)t->scalar, .unit = t->in == SPL_INTER ? 2 : 1};

    if (!op->codelet_weighed || !h->weigh[0] || op->in != 0 || (op->out == 1 && h->hook[1])
        || hi <= lo || last <= first)
        return false;
    return t->rows_in ? weigh_call_of_lines(&w, call)
                      : weigh_call_of_columns(&w, call, lo, hi, first, last);
}

size_t cpu_weighed_columns(const cpu_hooked *h, const bind_op *op, spl_codelet_fn *run,
                           const spl_call *call, size_t lo, size_t hi, size_t first, size_t last)
{
    alignas(64) char tile[TILE_BYTES];
    const bind_tail *t = &op->tail;
    const ptrdiff_t unit = t->in == SPL_INTER ? 2 : 1;
    const bool whole_sets = lo == 0 && (hi - lo) % (size_t)t->lanes == 0;

    if (op->in != 0 || !h->weigh[0] || (op->out == 1 && h->hook[1]) || t->pairs || call->in_off
        || (t->in != SPL_INTER && t->in != SPL_REAL) || call->is < 0)
        return 0;
    weighing w = {.h = h,
                  .op = op,
                  .run = run,
                  .scalar = (ptrdiff_t)t->scalar,
                  .unit = unit,
                  .call = *call,
                  .tile = tile};
    if (t->rows_in)
        return call->is == unit && (hi - lo == 1 || call->ics == t->n * unit) && !t->sets
                   ? run_lines(&w, call, lo, hi)
                   : 0;
    if (call->ics != unit)
        return 0;
    if (t->sets)
        return whole_sets && run_sets(&w, call, hi - lo, first, last) ? hi - lo : 0;
    return run_columns(&w, call, lo, hi);
}
