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

/* How far a call moves: row 0 and row 1, in scalars. Mirrored, im of row 0 moves as row 1 does. */
typedef struct row_shifts {
    ptrdiff_t row0, row1;
} row_shifts;

static void shift(const bind_tail *t, spl_call *c, row_shifts in, row_shifts out)
{
    c->in_re = shift_in(c->in_re, in.row0, t->scalar);
    c->in_im = shift_in(c->in_im, t->in == SPL_MIRROR ? in.row1 : in.row0, t->scalar);
    c->out_re = shift_out(c->out_re, out.row0, t->scalar);
    c->out_im = shift_out(c->out_im, t->out == SPL_MIRROR ? out.row1 : out.row0, t->scalar);
    if (t->pass) {
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

ptrdiff_t cpu_place_of_row(const cpu_rows *s, int part, int i, ptrdiff_t *column)
{
    const bool mirrored = part == 1 && s->format == SPL_MIRROR;
    const ptrdiff_t at = s->rows ? s->rows[i] : i * s->row;

    *column = (s->pass && i == 1) != mirrored ? s->col1 : s->col;
    return mirrored ? -at : at;
}

/* `count` columns of `rows` rows, in scalars of `scalar` bytes. */
static void move_rows_of(const cpu_rows *from, const char *const in[2], const cpu_rows *to,
                         char *const out[2], int rows, int count, size_t scalar)
{
    const ptrdiff_t bytes = (ptrdiff_t)scalar;

    for (int part = 0; part < (from->format == SPL_REAL ? 1 : 2); part++)
        for (int i = 0; i < rows; i++) {
            ptrdiff_t in_column, out_column;
            const char *const x = in[part] + cpu_place_of_row(from, part, i, &in_column) * bytes;
            char *const y = out[part] + cpu_place_of_row(to, part, i, &out_column) * bytes;
            for (int l = 0; l < count; l++)
                move(y + l * out_column * bytes, x + l * in_column * bytes, scalar);
        }
}

static bool is_apart(spl_format format)
{
    return format == SPL_SPLIT || format == SPL_MIRROR;
}

cpu_rows cpu_rows_in(const bind_tail *t, const spl_call *c)
{
    return (cpu_rows){t->in, t->pass, c->in_off, c->is, c->ics, c->ics1};
}

cpu_rows cpu_rows_out(const bind_tail *t, const spl_call *c)
{
    return (cpu_rows){t->out, t->pass, c->out_off, c->os, c->ocs, c->ocs1};
}

void cpu_small_load(const cpu_small *s, const spl_call *c, const bind_tail *t, int count)
{
    const char *const re = (const char *)c->in_re;
    const char *const im = is_apart(t->in) ? (const char *)c->in_im : re + t->scalar;
    const cpu_rows from = cpu_rows_in(t, c);

    const char *const in[] = {re, im};
    char *const out[] = {s->re, s->im};

    move_rows_of(&from, in, &s->at, out, t->n, count, t->scalar);
}

void cpu_small_store(const cpu_small *s, const spl_call *c, const bind_tail *t, int count)
{
    char *const re = (char *)c->out_re;
    char *const im = is_apart(t->out) ? (char *)c->out_im : re + t->scalar;
    const cpu_rows to = cpu_rows_out(t, c);

    const char *const in[] = {s->re, s->im};
    char *const out[] = {re, im};

    move_rows_of(&s->at, in, &to, out, t->outputs, count, t->scalar);
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
        call->grid = (const char *)call->grid + bytes;
}
