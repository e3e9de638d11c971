// SPDX-License-Identifier: BSD-3-Clause
/* Reads the sides of a kernel: the strides of its rows, and how a complex number lies in memory.
 *
 * A complex kernel on a buffer of reals has an index function of twice as many values: re and im of
 * row 0, of row 1, .. If re and im are adjacent the side is interleaved, else split, with im as
 * many reals further on. Rows k and m - k of pairs are two functions, as row 1 runs backwards. */
#include "spl/bind/bind_choice.h"
#include "spl/index/ix_form.h"

/* Separates f into the function of rows and the distance from re to im; false if that varies. */
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

/* Reads rows in a buffer of reals, and the distance to their im. */
static bool read_real(const bind_choice *ch, const ix *f, prog_access *at, ptrdiff_t *im)
{
    ix_term term[IX_MAX_TERMS];
    ix rows;
    int64_t part;

    if (!rows_of_parts(f, &rows, term, &part) || !prog_access_read(ch->stage, &rows, at))
        return false;
    at->f = f; /* which has the same digits of loops */
    *im = (ptrdiff_t)part;
    return true;
}

/* Reads one value of a function that has few, each possibly on a branch of its own. */
static bool read_value(const bind_choice *ch, const ix *f, int64_t i, prog_access *at)
{
    static const int64_t zeros[IX_MAX_VARS];

    while (f->kind == IX_TWO && f->t->src == IX_INDEX)
        f = f->branch[i / f->t->div % 2];
    const bool constant = f->kind == IX_TABLE;
    if (!prog_access_read(ch->stage, f, at) && !constant)
        return false;
    at->c = ix_eval(f, i, zeros);
    return true;
}

/* Has g the same digits of variable v as f? */
static bool has_digits(const prog_access *f, const prog_access *g, int v)
{
    int digits = 0;

    for (int t = 0; t < f->f->nt; t++) {
        const ix_term *x = &f->f->t[t];
        bool found = x->src != v;
        digits += !found;
        for (int u = 0; u < g->f->nt && !found; u++)
            found = ix_same_term(x, &g->f->t[u]);
        if (!found)
            return false;
    }
    for (int u = 0; u < g->f->nt; u++)
        digits -= g->f->t[u].src == v;
    return digits == 0;
}

/* Do loops move two values by the same distances? */
static bool move_alike(const bind_choice *ch, const prog_access *f, const prog_access *g)
{
    for (int i = 0; i < prog_stage_loops(ch->stage); i++) {
        const int v = prog_stage_loop(ch->stage, i)->range.var;
        const bool digits = f->digits[v];
        if (digits != g->digits[v] || (digits ? !has_digits(f, g, v) : f->loop[v] != g->loop[v]))
            return false;
    }
    return true;
}

/* Reads one row or two in a buffer of reals: re, im, re, im. If im is at a constant distance from
 * re, the side is interleaved or split. It is mirrored if im of a row moves as re of the other row
 * does; im of a single row moves as row 1 would. */
static bool read_parts(const bind_choice *ch, const ix *f, bind_side *side)
{
    prog_access part[4];
    const int values = (int)f->n;

    for (int i = 0; i < values; i++)
        if (!read_value(ch, f, i, &part[i]))
            return false;
    const bool two = values == 4;
    side->at = part[0];
    side->second = part[two ? 2 : 1];
    side->im = (ptrdiff_t)(part[1].c - part[0].c);
    side->format = side->im == 1 ? SPL_INTER : SPL_SPLIT;
    const bool even = move_alike(ch, &part[0], &part[1])
                      && (!two
                          || (move_alike(ch, &part[2], &part[3])
                              && part[3].c - part[2].c == part[1].c - part[0].c));
    if (even)
        return true;
    side->format = SPL_MIRROR;
    return !two
           || (move_alike(ch, &part[1], &part[2]) && move_alike(ch, &part[3], &part[0])
               && part[3].c - part[1].c == part[0].c - part[2].c);
}

/* Reads the rows of a step of pairs. */
static bool read_pairs(const bind_choice *ch, const ix *f, bind_side *side)
{
    if (side->format == SPL_REAL)
        return (f->n == 2 || f->n == 4) && read_parts(ch, f, side);
    return f->n <= 2 && read_value(ch, f, 0, &side->at)
           && read_value(ch, f, f->n - 1, &side->second);
}

/* Are the kernel's values reals, one for each value of the function? */
static bool counts_reals(const prog_stmt *s, int buffer, const ix *f)
{
    if (s->kernel != SPL_TRANSFORM)
        return false;
    const spl_kind kind = (spl_kind)s->kind;
    return f->n
           == (buffer == s->in ? spl_transform_cols(kind, s->n) : spl_transform_rows(kind, s->n));
}

bool bind_read_side(const bind_choice *ch, int buffer, const ix *f, bind_side *side)
{
    const prog_stmt *s = ch->stage->stmt;

    *side = (bind_side){.format = ch->tape->buf[buffer].format, .unit = 1};
    side->unit = side->format == SPL_INTER ? 2 : 1;
    if (s->kernel == SPL_PAIR)
        return read_pairs(ch, f, side);
    if (side->format != SPL_REAL || s->op == PROG_COPY || counts_reals(s, buffer, f))
        return prog_access_read(ch->stage, f, &side->at);
    if (f->kind == IX_TWO && f->n == 2)
        return read_parts(ch, f, side);
    if (!read_real(ch, f, &side->at, &side->im))
        return false;
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
        return spl_pairs_codelet((int)spl_role_like((spl_pairs_kind)s->kind, s->role),
                                 (int)s->role);
    return s->kernel != SPL_TRANSFORM || prog_is_dft(s) ? SPL_CODELET_DFT : s->kind;
}

static int factors_of_role(const prog_stmt *s)
{
    return spl_role_factors((spl_pairs_kind)s->kind, s->role);
}

bool bind_has_own_factors(const prog_stmt *s)
{
    int factors = 0;

    if (s->kernel != SPL_PAIR)
        return false;
    for (int k = 0; k < s->ntwiddles; k++)
        factors += s->twiddle[k].values != SPL_CONST;
    return factors == factors_of_role(s);
}

bool bind_is_plain_pairs(const prog_stmt *s)
{
    if (s->kernel != SPL_PAIR || s->ntwiddles > 1 || s->ntwiddles != factors_of_role(s))
        return false;
    const spl_pairs_def *p = spl_pairs_def_of((spl_pairs_kind)s->kind);
    return p->in != SPL_SIDE_MIRRORED && p->out != SPL_SIDE_MIRRORED;
}

bool bind_is_real_kind(int kind)
{
    return kind != SPL_CODELET_DFT && kind < SPL_CODELET_PAIRS;
}

int bind_codelet_outputs(const prog_stmt *s)
{
    if (s->kernel == SPL_PAIR)
        return spl_role_rows((spl_pairs_kind)s->kind, s->role);
    return (int)(s->kernel == SPL_TRANSFORM ? spl_transform_rows((spl_kind)s->kind, s->n) : s->n);
}

int bind_codelet_inputs(const prog_stmt *s)
{
    if (s->kernel == SPL_PAIR)
        return spl_role_cols((spl_pairs_kind)s->kind, s->role);
    return (int)(s->kernel == SPL_TRANSFORM ? spl_transform_cols((spl_kind)s->kind, s->n) : s->n);
}
