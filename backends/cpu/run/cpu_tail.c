// SPDX-License-Identifier: BSD-3-Clause
/* Columns that do not fill a vector run the same codelet on a whole vector, so that a column's
 * result never depends on its position: either the vector starts early and repeats some columns (if
 * output and input are disjoint and no column of another part is touched), or the columns go
 * through a small buffer with idle lanes. */
#include <stdalign.h>
#include <string.h>

#include "backends/cpu/run/cpu_tail.h"

static const char *shift_in(const void *base, ptrdiff_t scalars, size_t scalar)
{
    return base ? (const char *)base + scalars * (ptrdiff_t)scalar : NULL;
}

static char *shift_out(void *base, ptrdiff_t scalars, size_t scalar)
{
    return base ? (char *)base + scalars * (ptrdiff_t)scalar : NULL;
}

static spl_call shifted(const spl_call *call, ptrdiff_t in, ptrdiff_t out, size_t scalar)
{
    spl_call c = *call;

    c.in_re = shift_in(call->in_re, in, scalar);
    c.in_im = shift_in(call->in_im, in, scalar);
    c.out_re = shift_out(call->out_re, out, scalar);
    c.out_im = shift_out(call->out_im, out, scalar);
    return c;
}

/* The call from column `at` on. Row 1 of a pass may run backwards. */
static spl_call at_column(const bind_tail *t, const spl_call *call, ptrdiff_t at)
{
    spl_call c = shifted(call, at * call->ics, at * call->ocs, t->scalar);

    c.is += t->pass ? at * (call->ics1 - call->ics) : 0;
    c.os += t->pass ? at * (call->ocs1 - call->ocs) : 0;
    return c;
}

/* The call of set `row` alone. */
static spl_call at_set(const bind_tail *t, const spl_call *call, ptrdiff_t row)
{
    spl_call c = shifted(call, row * call->iouter, row * call->oouter, t->scalar);

    c.is -= t->pass ? 2 * row * call->iouter : 0;
    c.os -= t->pass ? 2 * row * call->oouter : 0;
    return c;
}

/* One side of the small buffer: complex number (row i, lane l) at scalar i*row + l*col; where lanes of
 * row 1 run backwards, at row - l*col. */
typedef struct small_side {
    char *re, *im;
    ptrdiff_t row, col, col1;
} small_side;

static small_side small_of(const bind_tail *t, char *buffer, spl_format format, bool rows_adjacent,
                           bool backwards)
{
    const ptrdiff_t unit = format == SPL_INTER ? 2 : 1, n = t->n > t->outputs ? t->n : t->outputs;
    small_side s = {.re = buffer, .col = (rows_adjacent ? n : 1) * unit};

    s.im = buffer + (format == SPL_SPLIT ? (size_t)(n * t->lanes) : 1) * t->scalar;
    s.row = (rows_adjacent ? 1 : backwards ? 2 * t->lanes - 1 : t->lanes) * unit;
    s.col1 = backwards ? -s.col : s.col;
    return s;
}

static void move(char *to, const char *from, size_t scalar)
{
    if (scalar == sizeof(float))
        memcpy(to, from, sizeof(float));
    else
        memcpy(to, from, sizeof(double));
}

static ptrdiff_t in_row(const spl_call *c, int i)
{
    return c->in_off ? c->in_off[i] : i * c->is;
}

static ptrdiff_t out_row(const spl_call *c, int i)
{
    return c->out_off ? c->out_off[i] : i * c->os;
}

static void load_small(const small_side *s, const spl_call *c, const bind_tail *t, int count)
{
    const size_t scalar = t->scalar;
    const char *re = (const char *)c->in_re;
    const char *im = t->in == SPL_SPLIT ? (const char *)c->in_im : re + scalar;

    for (int i = 0; i < t->n; i++)
        for (int l = 0; l < count; l++) {
            const ptrdiff_t column = t->pass && i == 1 ? c->ics1 : c->ics;
            const ptrdiff_t small = i == 1 ? s->col1 : s->col;
            const ptrdiff_t from = (in_row(c, i) + l * column) * (ptrdiff_t)scalar;
            const ptrdiff_t to = (i * s->row + l * small) * (ptrdiff_t)scalar;
            move(s->re + to, re + from, scalar);
            if (t->in != SPL_REAL)
                move(s->im + to, im + from, scalar);
        }
}

static void store_small(const small_side *s, const spl_call *c, const bind_tail *t, int count)
{
    const size_t scalar = t->scalar;
    char *re = (char *)c->out_re;
    char *im = t->out == SPL_SPLIT ? (char *)c->out_im : re + scalar;

    for (int i = 0; i < t->outputs; i++)
        for (int l = 0; l < count; l++) {
            const ptrdiff_t column = t->pass && i == 1 ? c->ocs1 : c->ocs;
            const ptrdiff_t small = i == 1 ? s->col1 : s->col;
            const ptrdiff_t to = (out_row(c, i) + l * column) * (ptrdiff_t)scalar;
            const ptrdiff_t from = (i * s->row + l * small) * (ptrdiff_t)scalar;
            move(re + to, s->re + from, scalar);
            if (t->out != SPL_REAL)
                move(im + to, s->im + from, scalar);
        }
}

/* `count` columns from where `call` points, through buffers with idle (zero) lanes. */
static void padded(const bind_tail *t, const spl_call *call, int count)
{
    enum { BYTES = BIND_MAX_ROWS * 16 * 2 * (int)sizeof(double) };
    alignas(64) char in[BYTES];
    alignas(64) char out[BYTES];
    ptrdiff_t in_off[BIND_MAX_ROWS], out_off[BIND_MAX_ROWS];
    const small_side from = small_of(t, in, t->in, t->rows_in, t->pass && call->ics1 != call->ics);
    const small_side to = small_of(t, out, t->out, t->rows_out, t->pass && call->ocs1 != call->ocs);
    spl_call c = *call;

    memset(in, 0, (size_t)((t->n > t->outputs ? t->n : t->outputs) * t->lanes) * 2 * t->scalar);
    load_small(&from, call, t, count);
    c.in_re = from.re;
    c.in_im = from.im;
    c.out_re = to.re;
    c.out_im = to.im;
    c.is = from.row;
    c.ics = from.col;
    c.os = to.row;
    c.ocs = to.col;
    c.ics1 = from.col1;
    c.ocs1 = to.col1;
    for (int i = 0; i < t->n && call->in_off; i++) {
        in_off[i] = i * from.row;
        out_off[i] = i * to.row;
    }
    c.in_off = call->in_off ? in_off : NULL;
    c.out_off = call->in_off ? out_off : NULL;
    c.lanes = (size_t)t->lanes;
    t->run(&c, 0, t->tw == SPL_TW_BROADCAST ? 1 : (size_t)t->lanes);
    store_small(&to, call, t, count);
}

/* Moves to the twiddles of a block of columns; factored ones are used for full vectors only. */
static void move_to_block(const bind_tail *t, spl_call *call, size_t block)
{
    const size_t bytes = block * t->block * t->scalar;

    if (t->tw == SPL_TW_VECTOR)
        call->tw = (const char *)call->tw + bytes;
    else if (t->tw == SPL_TW_FACTORED_SHARED)
        call->grid = (const char *)call->grid + bytes;
}

/* The last `rest` columns before hi; broadcast: of the sets of twiddles first..first+count-1. */
static void run_tail(const bind_tail *t, const spl_call *call, size_t lo, size_t hi, size_t rest,
                     size_t first, size_t count)
{
    const size_t lanes = (size_t)t->lanes;
    const bool rows = t->tw == SPL_TW_BROADCAST;

    if (t->overlap && hi >= lo + lanes) {
        spl_call c = at_column(t, call, (ptrdiff_t)(hi - lanes));
        move_to_block(t, &c, (t->columns + lanes - 1) / lanes);
        c.lanes = lanes;
        t->run(&c, rows ? first : 0, rows ? count : lanes);
        return;
    }
    for (size_t r = first; r < first + (rows ? count : 1); r++) {
        spl_call c = at_column(t, call, (ptrdiff_t)(hi - rest));
        if (rows)
            c = at_set(t, &c, (ptrdiff_t)r);
        if (rows)
            c.tw = (const char *)call->tw + r * t->block * t->scalar;
        else
            move_to_block(t, &c, (hi - rest) / lanes);
        padded(t, &c, (int)rest);
    }
}

void cpu_columns(const bind_tail *t, spl_codelet_fn *run, const spl_call *call, size_t lo,
                 size_t hi, size_t first, size_t count)
{
    const size_t lanes = (size_t)t->lanes;
    const bool repeats = t->repeats && hi >= lo + lanes;
    const size_t full = repeats ? hi - lo : (hi - lo) / lanes * lanes;

    if (hi <= lo)
        return;
    if (t->tw != SPL_TW_BROADCAST) {
        if (full)
            run(call, lo, full);
    } else if (full) {
        spl_call c = at_column(t, call, (ptrdiff_t)lo);
        c.lanes = full;
        run(&c, first, count);
    }
    if (full != hi - lo)
        run_tail(t, call, lo, hi, hi - lo - full, first, count);
}
