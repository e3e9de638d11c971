// SPDX-License-Identifier: BSD-3-Clause
#include "backends/cpu/run/cpu_small.h"

#include <string.h>

static const char *shift_in(const void *base, ptrdiff_t scalars, size_t scalar)
{
    return base ? (const char *)base + scalars * (ptrdiff_t)scalar : NULL;
}

static char *shift_out(void *base, ptrdiff_t scalars, size_t scalar)
{
    return base ? (char *)base + scalars * (ptrdiff_t)scalar : NULL;
}

/* How far a call's rows 0 and 1 move, in scalars. If mirrored, im of row 0 moves as row 1 does. */
typedef struct row_shifts {
    ptrdiff_t row0, row1;
} row_shifts;

static void shift(const bind_tail *t, spl_call *c, row_shifts in, row_shifts out)
{
    c->in_re = shift_in(c->in_re, in.row0, t->scalar);
    c->in_im = shift_in(c->in_im, t->in == SPL_MIRROR ? in.row1 : in.row0, t->scalar);
    c->out_re = shift_out(c->out_re, out.row0, t->scalar);
    c->out_im = shift_out(c->out_im, t->out == SPL_MIRROR ? out.row1 : out.row0, t->scalar);
    if (t->pairs) {
        c->is += in.row1 - in.row0;
        c->os += out.row1 - out.row0;
    }
}

void cpu_call_by_columns(const bind_tail *t, spl_call *call, ptrdiff_t by)
{
    shift(t, call, (row_shifts){by * call->ics, by * call->ics1},
          (row_shifts){by * call->ocs, by * call->ocs1});
}

void cpu_call_by_sets(const bind_tail *t, spl_call *call, ptrdiff_t by)
{
    const ptrdiff_t in = by * call->iouter, out = by * call->oouter;

    shift(t, call, (row_shifts){in, -in}, (row_shifts){out, -out});
}

cpu_small cpu_small_of(const bind_tail *t, char *buffer, spl_format format, bool rows_adjacent,
                       bool backwards, int columns)
{
    const ptrdiff_t unit = format == SPL_INTER ? 2 : 1, n = t->n > t->outputs ? t->n : t->outputs;
    const ptrdiff_t col = (rows_adjacent ? n : 1) * unit;
    const ptrdiff_t row = (rows_adjacent ? 1 : backwards ? 2 * columns - 1 : columns) * unit;
    const ptrdiff_t im = format == SPL_SPLIT    ? n * columns
                         : format == SPL_MIRROR ? row + 2 * columns
                                                : 1;

    return (cpu_small){.re = buffer,
                       .im = buffer + im * (ptrdiff_t)t->scalar,
                       .at = {.format = format,
                              .pairs = t->pairs,
                              .row = row,
                              .col = col,
                              .col1 = backwards ? -col : col},
                       .sets = 1};
}

static void move(char *to, const char *from, size_t scalar)
{
    if (scalar == sizeof(float))
        memcpy(to, from, sizeof(float));
    else
        memcpy(to, from, sizeof(double));
}

ptrdiff_t cpu_place_of_row(const cpu_rows *s, int part, int i, ptrdiff_t *column)
{
    const bool mirrored = part == 1 && s->format == SPL_MIRROR;
    const ptrdiff_t at = s->rows ? s->rows[i] : i * s->row;

    *column = (s->pairs && i == 1) != mirrored ? s->col1 : s->col;
    return mirrored ? -at : at;
}

/* Copies 4 bytes or more. Up to two lines go in pieces that may overlap, as calls take longer. */
static void move_adjacent(char *to, const char *from, size_t bytes)
{
    enum { LINE = 64, LONG = 32, MIDDLE = 16, SHORT = 8 };
    const size_t line = bytes > LINE ? LINE : 0, left = bytes - line;

    if (bytes > (size_t)2 * LINE) {
        memcpy(to, from, bytes);
        return;
    }
    if (line)
        memcpy(to, from, LINE);
    if (left >= LONG) {
        memcpy(to + line, from + line, LONG);
        memcpy(to + bytes - LONG, from + bytes - LONG, LONG);
    } else if (left >= MIDDLE) {
        memcpy(to + line, from + line, MIDDLE);
        memcpy(to + bytes - MIDDLE, from + bytes - MIDDLE, MIDDLE);
    } else if (left >= SHORT) {
        memcpy(to + line, from + line, SHORT);
        memcpy(to + bytes - SHORT, from + bytes - SHORT, SHORT);
    } else {
        memcpy(to + line, from + line, sizeof(float));
    }
}

/* Are the columns of all rows adjacent, with re and im of interleaved numbers together? */
static bool has_adjacent_columns(const cpu_rows *s)
{
    const ptrdiff_t unit = s->format == SPL_INTER ? 2 : 1;

    return s->col == unit && (!s->pairs || s->col1 == unit) && s->format != SPL_MIRROR;
}

/* What is moved: `count` columns of `rows` rows of `sets` sets, in scalars of `scalar` bytes. */
typedef struct move_shape {
    int rows, count, sets;
    size_t scalar;
} move_shape;

static void move_adjacent_rows(const cpu_rows *from, const char *in, const cpu_rows *to, char *out,
                               const move_shape *shape)
{
    const ptrdiff_t scalar = (ptrdiff_t)shape->scalar;
    const size_t bytes = (size_t)(shape->count * from->col) * shape->scalar;

    for (int i = 0; i < shape->rows; i++) {
        const ptrdiff_t x = from->rows ? from->rows[i] : i * from->row;
        const ptrdiff_t y = to->rows ? to->rows[i] : i * to->row;
        move_adjacent(out + y * scalar, in + x * scalar, bytes);
    }
}

static void move_rows(const cpu_rows *from, const char *in, const cpu_rows *to, char *out,
                      const move_shape *shape, int part)
{
    const ptrdiff_t scalar = (ptrdiff_t)shape->scalar;

    for (int i = 0; i < shape->rows; i++) {
        ptrdiff_t in_column, out_column;
        const char *const x = in + cpu_place_of_row(from, part, i, &in_column) * scalar;
        char *const y = out + cpu_place_of_row(to, part, i, &out_column) * scalar;
        for (int l = 0; l < shape->count; l++)
            move(y + l * out_column * scalar, x + l * in_column * scalar, shape->scalar);
    }
}

/* Moves sets, which are in_apart and out_apart bytes apart. */
static void move_sets(const cpu_rows *from, const char *const in[2], ptrdiff_t in_apart,
                      const cpu_rows *to, char *const out[2], ptrdiff_t out_apart,
                      const move_shape *shape)
{
    const bool adjacent = has_adjacent_columns(from) && has_adjacent_columns(to);
    const bool together = from->format == SPL_REAL || (adjacent && from->format == SPL_INTER);

    for (int part = 0; part < (together ? 1 : 2); part++)
        for (int k = 0; k < shape->sets; k++) {
            const char *const x = in[part] + k * in_apart;
            char *const y = out[part] + k * out_apart;
            if (adjacent)
                move_adjacent_rows(from, x, to, y, shape);
            else
                move_rows(from, x, to, y, shape, part);
        }
}

static bool is_apart(spl_format format)
{
    return format == SPL_SPLIT || format == SPL_MIRROR;
}

cpu_rows cpu_rows_in(const bind_tail *t, const spl_call *c)
{
    return (cpu_rows){t->in, t->pairs, c->in_off, c->is, c->ics, c->ics1};
}

cpu_rows cpu_rows_out(const bind_tail *t, const spl_call *c)
{
    return (cpu_rows){t->out, t->pairs, c->out_off, c->os, c->ocs, c->ocs1};
}

void cpu_small_load(const cpu_small *s, const spl_call *c, const bind_tail *t, int count)
{
    const char *const re = (const char *)c->in_re;
    const char *const im = is_apart(t->in) ? (const char *)c->in_im : re + t->scalar;
    const cpu_rows from = cpu_rows_in(t, c);
    const move_shape shape = {t->n, count, s->sets, t->scalar};
    const char *const in[] = {re, im};
    char *const out[] = {s->re, s->im};

    move_sets(&from, in, c->iouter * (ptrdiff_t)t->scalar, &s->at, out, s->apart, &shape);
}

void cpu_small_store(const cpu_small *s, const spl_call *c, const bind_tail *t, int count)
{
    char *const re = (char *)c->out_re;
    char *const im = is_apart(t->out) ? (char *)c->out_im : re + t->scalar;
    const cpu_rows to = cpu_rows_out(t, c);
    const move_shape shape = {t->outputs, count, s->sets, t->scalar};
    const char *const in[] = {s->re, s->im};
    char *const out[] = {re, im};

    move_sets(&s->at, in, s->apart, &to, out, c->oouter * (ptrdiff_t)t->scalar, &shape);
}

/* Where row i of set k of pairs begins (interleaved); row 1 steps backwards from set to set. */
static char *place_in_set(const bind_tail *t, const spl_call *c, int i, ptrdiff_t k)
{
    const ptrdiff_t at = i * c->os + (i == 1 ? -k : k) * c->oouter;

    return (char *)c->out_re + at * (ptrdiff_t)t->scalar;
}

void cpu_sets_store(const bind_tail *t, const spl_call *from, const spl_call *to, size_t columns,
                    size_t sets)
{
    const size_t bytes = columns * 2 * t->scalar;

    for (size_t k = 0; k < sets; k++)
        for (int i = 0; i < t->outputs; i++)
            move_adjacent(place_in_set(t, to, i, (ptrdiff_t)k),
                          place_in_set(t, from, i, (ptrdiff_t)k), bytes);
}

void cpu_call_use(const bind_tail *t, spl_call *c, const cpu_small *s, bool out, ptrdiff_t *off)
{
    const int rows = out ? t->outputs : t->n;

    for (int i = 0; i < rows && (out ? c->out_off : c->in_off); i++)
        off[i] = i * s->at.row;
    if (out) {
        c->out_re = s->re;
        c->out_im = s->im;
        c->os = s->at.row;
        c->ocs = s->at.col;
        c->ocs1 = s->at.col1;
        c->out_off = c->out_off ? BIND_ARRAY(const ptrdiff_t, off) : NULL;
    } else {
        c->in_re = s->re;
        c->in_im = s->im;
        c->is = s->at.row;
        c->ics = s->at.col;
        c->ics1 = s->at.col1;
        c->in_off = c->in_off ? BIND_ARRAY(const ptrdiff_t, off) : NULL;
    }
}

void cpu_call_to_block(const bind_tail *t, spl_call *call, size_t block)
{
    const size_t bytes = block * t->block * t->scalar;

    if (t->tw == SPL_TW_VECTOR)
        call->tw = (const char *)call->tw + bytes;
    else if (t->tw == SPL_TW_FACTORED_SHARED)
        call->tw_shared = (const char *)call->tw_shared + bytes;
}
