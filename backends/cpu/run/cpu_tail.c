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

/* How far a call moves: row 0 and row 1, in scalars. Mirrored, im of row 0 moves as row 1 does. */
typedef struct row_shifts {
    ptrdiff_t row0, row1;
} row_shifts;

static spl_call shifted(const bind_tail *t, const spl_call *call, row_shifts in, row_shifts out)
{
    spl_call c = *call;

    c.in_re = shift_in(call->in_re, in.row0, t->scalar);
    c.in_im = shift_in(call->in_im, t->in == SPL_MIRROR ? in.row1 : in.row0, t->scalar);
    c.out_re = shift_out(call->out_re, out.row0, t->scalar);
    c.out_im = shift_out(call->out_im, t->out == SPL_MIRROR ? out.row1 : out.row0, t->scalar);
    if (t->pass) {
        c.is += in.row1 - in.row0;
        c.os += out.row1 - out.row0;
    }
    return c;
}

/* The call from column `at` on. Row 1 of a pass may run backwards. */
static spl_call at_column(const bind_tail *t, const spl_call *call, ptrdiff_t at)
{
    return shifted(t, call, (row_shifts){at * call->ics, at * call->ics1},
                   (row_shifts){at * call->ocs, at * call->ocs1});
}

/* The call of set `row` alone. */
static spl_call at_set(const bind_tail *t, const spl_call *call, ptrdiff_t row)
{
    const ptrdiff_t in = row * call->iouter, out = row * call->oouter;

    return shifted(t, call, (row_shifts){in, -in}, (row_shifts){out, -out});
}

/* A side: (row i, column l) at rows[i], or i*row, plus l*col, of row 1 of a pass l*col1. Mirrored, im
 * of row 1 is as far before that of row 0 as re is after, and their columns are exchanged. */
typedef struct row_places {
    spl_format format;
    bool pass;
    const ptrdiff_t *rows;
    ptrdiff_t row, col, col1;
} row_places;

/* One side of the small buffer. */
typedef struct small_side {
    char *re, *im;
    row_places at;
} small_side;

static small_side small_of(const bind_tail *t, char *buffer, spl_format format, bool rows_adjacent,
                           bool backwards)
{
    const ptrdiff_t unit = format == SPL_INTER ? 2 : 1, n = t->n > t->outputs ? t->n : t->outputs;
    const ptrdiff_t col = (rows_adjacent ? n : 1) * unit;
    const ptrdiff_t row = (rows_adjacent ? 1 : backwards ? 2 * t->lanes - 1 : t->lanes) * unit;
    const ptrdiff_t im = format == SPL_SPLIT    ? n * t->lanes
                         : format == SPL_MIRROR ? row + 2 * t->lanes
                                                : 1;

    return (small_side){.re = buffer,
                        .im = buffer + im * (ptrdiff_t)t->scalar,
                        .at = {.format = format,
                               .pass = t->pass,
                               .row = row,
                               .col = col,
                               .col1 = backwards ? -col : col}};
}

static void move(char *to, const char *from, size_t scalar)
{
    if (scalar == sizeof(float))
        memcpy(to, from, sizeof(float));
    else
        memcpy(to, from, sizeof(double));
}

/* Where a part (0 re, 1 im) of row i begins, and how far on the next column is, in scalars. */
static ptrdiff_t place_of_row(const row_places *s, int part, int i, ptrdiff_t *column)
{
    const bool mirrored = part == 1 && s->format == SPL_MIRROR;
    const ptrdiff_t at = s->rows ? s->rows[i] : i * s->row;

    *column = (s->pass && i == 1) != mirrored ? s->col1 : s->col;
    return mirrored ? -at : at;
}

/* `count` columns of `rows` rows, in scalars of `scalar` bytes. */
static void move_rows_of(const row_places *from, const char *const in[2], const row_places *to,
                         char *const out[2], int rows, int count, size_t scalar)
{
    const ptrdiff_t bytes = (ptrdiff_t)scalar;

    for (int part = 0; part < (from->format == SPL_REAL ? 1 : 2); part++)
        for (int i = 0; i < rows; i++) {
            ptrdiff_t in_column, out_column;
            const char *const x = in[part] + place_of_row(from, part, i, &in_column) * bytes;
            char *const y = out[part] + place_of_row(to, part, i, &out_column) * bytes;
            for (int l = 0; l < count; l++)
                move(y + l * out_column * bytes, x + l * in_column * bytes, scalar);
        }
}

static bool is_apart(spl_format format)
{
    return format == SPL_SPLIT || format == SPL_MIRROR;
}

static void load_small(const small_side *s, const spl_call *c, const bind_tail *t, int count)
{
    const char *const re = (const char *)c->in_re;
    const char *const im = is_apart(t->in) ? (const char *)c->in_im : re + t->scalar;
    const row_places from = {t->in, t->pass, c->in_off, c->is, c->ics, c->ics1};

    const char *const in[] = {re, im};
    char *const out[] = {s->re, s->im};

    move_rows_of(&from, in, &s->at, out, t->n, count, t->scalar);
}

static void store_small(const small_side *s, const spl_call *c, const bind_tail *t, int count)
{
    char *const re = (char *)c->out_re;
    char *const im = is_apart(t->out) ? (char *)c->out_im : re + t->scalar;
    const row_places to = {t->out, t->pass, c->out_off, c->os, c->ocs, c->ocs1};

    const char *const in[] = {s->re, s->im};
    char *const out[] = {re, im};

    move_rows_of(&s->at, in, &to, out, t->outputs, count, t->scalar);
}

/* `count` columns from where `call` points, through buffers with idle (zero) lanes. */
static void padded(const bind_tail *t, const spl_call *call, int count)
{
    enum { BYTES = BIND_MAX_ROWS * 16 * 2 * (int)sizeof(double) };
    alignas(64) char in[BYTES];
    alignas(64) char out[BYTES];
    ptrdiff_t in_off[BIND_MAX_ROWS], out_off[BIND_MAX_ROWS];
    const int rows = t->n + t->outputs; /* more than any side takes */
    const bool in_apart = t->pass || t->in == SPL_MIRROR,
               out_apart = t->pass || t->out == SPL_MIRROR;
    const small_side from = small_of(t, in, t->in, t->rows_in, in_apart && call->ics1 != call->ics);
    const small_side to =
        small_of(t, out, t->out, t->rows_out, out_apart && call->ocs1 != call->ocs);
    spl_call c = *call;

    memset(in, 0, (size_t)(rows * t->lanes) * 2 * t->scalar);
    load_small(&from, call, t, count);
    c.in_re = from.re;
    c.in_im = from.im;
    c.out_re = to.re;
    c.out_im = to.im;
    c.is = from.at.row;
    c.ics = from.at.col;
    c.os = to.at.row;
    c.ocs = to.at.col;
    c.ics1 = from.at.col1;
    c.ocs1 = to.at.col1;
    for (int i = 0; i < t->n && call->in_off; i++) {
        in_off[i] = i * from.at.row;
        out_off[i] = i * to.at.row;
    }
    c.in_off = call->in_off ? in_off : NULL;
    c.out_off = call->in_off ? out_off : NULL;
    c.lanes = (size_t)t->lanes;
    t->run(&c, 0, t->sets ? 1 : (size_t)t->lanes);
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
    const bool rows = t->sets;

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
        if (t->tw == SPL_TW_BROADCAST)
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
    if (!t->sets) {
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
