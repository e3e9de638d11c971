// SPDX-License-Identifier: BSD-3-Clause
/* The sides of a kernel: strides of its rows, and how a complex number lies in memory.
 *
 * A complex kernel on a buffer of reals has an index function of twice as many values: re and im of
 * row 0, of row 1, .. Where these two lie side by side the side is interleaved, else split with im
 * as many reals away. Rows k and m - k of a pass are two functions, as row 1 runs backwards. */
#include "spl/bind/bind_choice.h"

/* The function of rows, and what separates re from im; false if im is not always as far away. */
static bool rows_of_parts(const ix *f, ix *rows, ix_term *term, int64_t *part)
{
    if (f->kind != IX_DIGIT || f->n % 2 != 0)
        return false;
    *rows = *f;
    rows->n = f->n / 2;
    rows->t = term;
    rows->nt = 0;
    *part = 0;
    for (int i = 0; i < f->nt; i++) {
        ix_term t = f->t[i];
        if (t.src == IX_INDEX && t.div == 1) {
            *part = t.coef;
            t.ext /= 2;
            t.coef *= 2;
            if (f->t[i].ext % 2 != 0)
                return false;
        } else if (t.src == IX_INDEX) {
            if (t.div % 2 != 0)
                return false;
            t.div /= 2;
        }
        if (t.ext > 1)
            term[rows->nt++] = t;
    }
    return true;
}

/* Rows in a buffer of reals, and where their im lies. */
static bool read_real(const bind_choice *ch, const ix *f, prog_access *at, ptrdiff_t *im)
{
    ix_term term[IX_MAX_TERMS];
    ix rows;
    int64_t part;

    if (!rows_of_parts(f, &rows, term, &part) || !prog_access_read(ch->stage, &rows, at))
        return false;
    at->f = f; /* whose digits of loops are the same */
    *im = (ptrdiff_t)part;
    return true;
}

static bool read_rows(const bind_choice *ch, const ix *f, bind_side *side, prog_access *at)
{
    return side->format == SPL_REAL ? read_real(ch, f, at, &side->im)
                                    : prog_access_read(ch->stage, f, at);
}

/* The two rows of a step of a pass, each of one value or of two. */
static bool read_pass(const bind_choice *ch, const ix *f, bind_side *side, int64_t values)
{
    if (f->kind == IX_TWO)
        return f->n == 2 * values && f->t->src == IX_INDEX && f->t->div == values
               && read_rows(ch, f->branch[0], side, &side->at)
               && read_rows(ch, f->branch[1], side, &side->second);
    if (!read_rows(ch, f, side, &side->at) || !side->at.row_linear)
        return false;
    side->second = side->at;
    side->second.c += side->at.row;
    return true;
}

/* Does the kernel read or write reals themselves, one for each value of the function? */
static bool counts_reals(const prog_stmt *s, int buffer, const ix *f)
{
    if (s->kernel != SPL_TRANSFORM)
        return false;
    const spl_kind kind = (spl_kind)s->what;
    return f->n
           == (buffer == s->in ? spl_transform_cols(kind, s->n) : spl_transform_rows(kind, s->n));
}

bool bind_read_side(const bind_choice *ch, int buffer, const ix *f, bind_side *side)
{
    const bool pass = ch->stage->stmt->kernel == SPL_PAIR;
    const bool real = ch->tape->buf[buffer].format == SPL_REAL;

    *side = (bind_side){.format = ch->tape->buf[buffer].format, .unit = 1};
    if (real && counts_reals(ch->stage->stmt, buffer, f))
        return prog_access_read(ch->stage, f, &side->at);
    side->unit = side->format == SPL_INTER ? 2 : 1;
    if (!(pass ? read_pass(ch, f, side, real ? 2 : 1) : read_rows(ch, f, side, &side->at)))
        return false;
    if (real)
        side->format = side->im == 1 ? SPL_INTER : SPL_SPLIT;
    return true;
}

int64_t bind_adjacent(const bind_side *side)
{
    return (side->format == SPL_INTER ? 2 : 1) / side->unit;
}

int bind_codelet_kind(const prog_stmt *s)
{
    if (s->kernel == SPL_PAIR)
        return spl_pass_codelet(s->what, (int)s->role);
    return s->kernel != SPL_TRANSFORM || prog_is_dft(s) ? SPL_CODELET_DFT : s->what;
}

bool bind_is_real_kind(int kind)
{
    return kind != SPL_CODELET_DFT && kind < SPL_CODELET_PASS;
}

int bind_codelet_outputs(const prog_stmt *s)
{
    if (s->kernel == SPL_PAIR)
        return spl_role_rows((spl_pass_kind)s->what, s->role);
    return (int)(s->kernel == SPL_TRANSFORM ? spl_transform_rows((spl_kind)s->what, s->n) : s->n);
}

int bind_codelet_inputs(const prog_stmt *s)
{
    return (int)(s->kernel == SPL_TRANSFORM ? spl_transform_cols((spl_kind)s->what, s->n) : s->n);
}
