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

static bool read_real(const bind_choice *ch, const ix *f, bind_side *side)
{
    ix_term term[IX_MAX_TERMS];
    ix rows;
    int64_t part;

    if (!rows_of_parts(f, &rows, term, &part) || !prog_access_read(ch->stage, &rows, &side->at))
        return false;
    side->at.f = f; /* whose digits of loops are the same */
    side->format = part == 1 ? SPL_INTER : SPL_SPLIT;
    side->unit = 1;
    side->im = (ptrdiff_t)part;
    return true;
}

/* The two rows of a step of a pass. */
static bool read_rows(const bind_choice *ch, const ix *f, bind_side *side)
{
    if (f->kind == IX_TWO)
        return f->n == 2 && f->t->src == IX_INDEX
               && prog_access_read(ch->stage, f->branch[0], &side->at)
               && prog_access_read(ch->stage, f->branch[1], &side->second);
    if (!prog_access_read(ch->stage, f, &side->at) || !side->at.row_linear)
        return false;
    side->second = side->at;
    side->second.c += side->at.row;
    return true;
}

bool bind_read_side(const bind_choice *ch, int buffer, const ix *f, bind_side *side)
{
    const bool pass = ch->stage->stmt->kernel == SPL_PAIR;

    *side = (bind_side){.format = ch->tape->buf[buffer].format};
    if (side->format == SPL_REAL)
        return !pass && read_real(ch, f, side);
    side->unit = side->format == SPL_INTER ? 2 : 1;
    return pass ? read_rows(ch, f, side) : prog_access_read(ch->stage, f, &side->at);
}

int64_t bind_adjacent(const bind_side *side)
{
    return (side->format == SPL_INTER ? 2 : 1) / side->unit;
}

int bind_codelet_kind(const prog_stmt *s)
{
    return s->kernel == SPL_PAIR ? spl_pass_codelet(s->what, (int)s->role) : SPL_CODELET_DFT;
}

int bind_codelet_outputs(const prog_stmt *s)
{
    return s->kernel == SPL_PAIR ? spl_role_rows((spl_pass_kind)s->what, s->role) : (int)s->n;
}
