// SPDX-License-Identifier: BSD-3-Clause
/* Moves of single elements whose addresses need not be linear (powers of a primitive root are not):
 * kernels that compute nothing, and conversions between reals and complex numbers. A loop, or the
 * rows of the kernel, counts the elements and becomes the columns of one op. A side with even steps
 * has a stride, any other one a table of offsets; the enclosing loops must add linearly. */
#include <stdint.h>
#include <stdlib.h>

#include "core/mem.h"
#include "core/status.h"
#include "spl/bind/bind_choice.h"
#include "spl/index/ix_form.h"

/* What counts the elements of a move. */
typedef struct counter {
    int var; /* a loop variable, or IX_INDEX: rows of the kernel */
    int64_t n;
    int64_t *vars; /* values of loop variables; all others stay zero: cleared once for speed */
} counter;

/* An address function c + scale*f + SUM loop[v] v. */
typedef struct place {
    int64_t c, scale;
    int64_t loop[IX_MAX_VARS];
    const ix *f;
    int64_t values;        /* of an element: 2 for a complex number in a buffer of reals */
    int64_t part;          /* from one value to the other */
    int64_t step, im_step; /* from element to element, if even: of the first, of the second value */
    bool even;
} place;

/* Adds the coefficients of all loops in f except the columns; false if one is not linear. */
static bool add_loops(const prog_stage *stage, const ix *f, int columns, place *out)
{
    for (int i = 0; i < prog_stage_loops(stage); i++) {
        const prog_stmt *s = prog_stage_loop(stage, i);
        const int v = s->range.var;
        int64_t by;
        if (v == columns)
            continue;
        if (!ix_linear(f, v, s->range.n, &by))
            return false;
        out->loop[v] += out->scale * by;
    }
    return true;
}

/* Peels linear outer functions off f, down to the part that has no linear form. */
static bool peel_place(const prog_stage *stage, const ix *f, const counter *e, place *out)
{
    static const int64_t zeros[IX_MAX_VARS];
    int64_t by;

    while (f->kind == IX_OPAQUE && ix_linear(f->outer, IX_INDEX, f->outer->n, &by)
           && (e->var == IX_INDEX || !ix_uses(f->outer, e->var))) {
        if (!add_loops(stage, f->outer, e->var, out))
            return false;
        out->c += out->scale * ix_eval(f->outer, 0, zeros);
        out->scale *= by;
        f = f->inner;
    }
    out->f = f;
    return add_loops(stage, f, e->var, out);
}

/* The address of a value of element k, with all enclosing loops at 0. */
static int64_t value_at(const place *at, const counter *e, int64_t k, int64_t value)
{
    if (e->var == IX_INDEX)
        value += k * at->values;
    else
        e->vars[e->var] = k;
    return at->c + at->scale * ix_eval(at->f, value, e->vars);
}

/* Elements whose addresses are evaluated together. */
enum { ELEMENTS = 256 };

/* The same for elements k .. k+count-1. */
static void values_at(const place *at, const counter *e, int64_t k, int count, int64_t value,
                      int64_t *address)
{
    for (int i = 0; i < count; i++)
        address[i] = e->var == IX_INDEX ? value + (k + i) * at->values : k + i;
    ix_eval_many(at->f, e->var, value, count, address, e->vars);
    for (int i = 0; i < count; i++)
        address[i] = at->c + at->scale * address[i];
}

static int elements_from(const counter *e, int64_t k)
{
    return e->n - k < ELEMENTS ? (int)(e->n - k) : (int)ELEMENTS;
}

/* Do the addresses of a value step evenly from element to element? */
static bool read_step(const counter *e, const place *at, int64_t value, int64_t *step)
{
    const int64_t first = value_at(at, e, 0, value);
    int64_t address[ELEMENTS];

    *step = e->n > 1 ? value_at(at, e, 1, value) - first : at->values;
    for (int64_t k = 2; k < e->n && k < 4; k++) /* rejects most uneven ones early */
        if (value_at(at, e, k, value) != first + k * *step)
            return false;
    for (int64_t k = 4; k < e->n; k += ELEMENTS) {
        const int count = elements_from(e, k);
        values_at(at, e, k, count, value, address);
        for (int i = 0; i < count; i++)
            if (address[i] != first + (k + i) * *step)
                return false;
    }
    return true;
}

/* Reads the distance between the values of an element; false: it varies. */
static bool read_part(const counter *e, place *at)
{
    int64_t address[2][ELEMENTS];

    at->part = at->values > 1 ? value_at(at, e, 0, 1) - value_at(at, e, 0, 0) : 0;
    for (int64_t k = 1; at->values > 1 && k < e->n; k += ELEMENTS) {
        const int count = elements_from(e, k);
        values_at(at, e, k, count, 0, address[0]);
        values_at(at, e, k, count, 1, address[1]);
        for (int i = 0; i < count; i++)
            if (address[1][i] != address[0][i] + at->part)
                return false;
    }
    return true;
}

/* Do all offsets fit the entries of a table? */
static bool offsets_fit(const place *at)
{
    int64_t lo, hi, by;

    if (!ix_bounds(at->f, &lo, &hi))
        return false;
    const int64_t max = -lo > hi ? -lo : hi;
    return !__builtin_mul_overflow(max, llabs(at->scale), &by)
           && !__builtin_add_overflow(by, llabs(at->c), &by) && by <= INT32_MAX;
}

/* Finds the steps of a side; false: it neither steps evenly nor has offsets that fit a table. */
static bool read_steps(const counter *e, place *out)
{
    int64_t by;
    const bool rows = e->var == IX_INDEX;
    if (ix_linear(out->f, IX_INDEX, out->f->n, &by)) { /* no need to look at every element */
        out->part = out->values > 1 ? out->scale * by : 0;
        out->even = rows;
        out->step = out->scale * by * out->values;
    } else if (!read_part(e, out)) { /* mirrored */
        out->even = true;
        return read_step(e, out, 0, &out->step) && read_step(e, out, 1, &out->im_step);
    }
    if (!out->even && !rows && ix_linear(out->f, e->var, e->n, &by)) {
        out->even = true;
        out->step = out->scale * by;
    }
    out->even = out->even || read_step(e, out, 0, &out->step);
    out->im_step = out->step;
    return out->even || offsets_fit(out);
}

static bool read_place(const prog_stage *stage, const ix *f, int64_t values, const counter *e,
                       place *out)
{
    *out = (place){.scale = 1, .values = values};
    return peel_place(stage, f, e, out) && read_steps(e, out);
}

/* Offsets in elements of the buffer. A sketch gets only the memory: its price does not depend on
 * them. */
static int32_t *tabulate_offsets(const place *at, const counter *e, bool sketch)
{
    int32_t *table = core_malloc((size_t)e->n * sizeof *table);
    int64_t address[ELEMENTS];

    for (int64_t k = 0; table && !sketch && k < e->n; k += ELEMENTS) {
        const int count = elements_from(e, k);
        values_at(at, e, k, count, 0, address);
        for (int i = 0; i < count; i++)
            table[k + i] = (int32_t)address[i];
    }
    return table;
}

/* The number of elements that the kernel moves. */
static int64_t elements_of(const prog_stmt *k)
{
    if (k->kernel == SPL_I)
        return k->fin->n < k->fout->n ? k->fin->n : k->fout->n;
    return k->n;
}

/* Is an element one value, or a complex number in a buffer of reals? */
static bool is_element(const bind_choice *ch, int buffer, const ix *f, int64_t count)
{
    return f->n == count || (f->n == 2 * count && ch->tape->buf[buffer].format == SPL_REAL);
}

/* Does the kernel multiply real numbers by constants and no more? */
static bool is_scaled(const bind_choice *ch)
{
    const prog_stmt *k = ch->stage->stmt;

    return k->kernel == SPL_I && ch->nfactors == 0 && k->fin->n == k->fout->n
           && k->twiddle[0].f->n == k->fin->n && ch->tape->buf[k->in].format == SPL_REAL
           && ch->tape->buf[k->out].format == SPL_REAL;
}

bool bind_moves_pair(bind_choice *ch)
{
    const prog_stmt *k = ch->stage->stmt;

    return k->kernel == SPL_I && k->ntwiddles == 0 && k->fin->n == 2 && k->fout->n == 2
           && ch->in.format == SPL_REAL && ch->out.format == SPL_REAL
           && bind_read_side(ch, k->in, k->fin, &ch->in)
           && bind_read_side(ch, k->out, k->fout, &ch->out) && ch->in.format == SPL_INTER
           && ch->out.format == SPL_INTER;
}

bool bind_is_move(const bind_choice *ch)
{
    const prog_stmt *k = ch->stage->stmt;
    const bool moves =
        k->kernel == SPL_I || k->kernel == SPL_RETYPE || (prog_is_dft(k) && k->n == 1);

    return moves && (k->ntwiddles == 0 || is_scaled(ch))
           && is_element(ch, k->in, k->fin, elements_of(k))
           && is_element(ch, k->out, k->fout, elements_of(k));
}

bind_moved bind_moved_of(const prog_stmt *k, spl_format in, spl_format out)
{
    static const bind_moved retyped[SPL_RETYPES] = {[SPL_RETYPE_EMBED] = BIND_MOVED_EMBED,
                                                    [SPL_RETYPE_RE] = BIND_MOVED_RE,
                                                    [SPL_RETYPE_CONJ] = BIND_MOVED_CONJUGATE};

    if (k->kernel == SPL_RETYPE)
        return retyped[k->kind];
    if (in == SPL_REAL && out == SPL_REAL)
        return BIND_MOVED_RE;
    return in == SPL_INTER && out == SPL_INTER ? BIND_MOVED_WHOLE : BIND_MOVED_PARTS;
}

/* How an element lies in its buffer. */
static spl_format format_of(spl_format buffer, const place *at)
{
    if (buffer != SPL_REAL || at->values == 1)
        return buffer;
    if (at->im_step != at->step)
        return SPL_MIRROR;
    return at->part == 1 ? SPL_INTER : SPL_SPLIT;
}

/* Adds a step for each loop except the columns, in units of `in` and `out` scalars. */
static void add_steps(const bind_choice *ch, const place at[2], ptrdiff_t in, ptrdiff_t out)
{
    bind_op *op = ch->op;

    op->call.iouter = op->call.oouter = 0;
    for (int v = 0; v < IX_MAX_VARS; v++) {
        const bind_step step = {
            .var = v, .in = (ptrdiff_t)at[0].loop[v] * in, .out = (ptrdiff_t)at[1].loop[v] * out};
        if (ch->outer && v == ch->outer->range.var) {
            op->call.iouter = step.in;
            op->call.oouter = step.out;
        } else {
            bind_add_step(op, &step); /* every loop has at most one */
        }
    }
}

static void fill_move(bind_choice *ch, const place at[2], const counter *e)
{
    const spl_format in = ch->tape->buf[ch->op->in].format;
    const spl_format out = ch->tape->buf[ch->op->out].format;
    const ptrdiff_t iu = in == SPL_INTER ? 2 : 1, ou = out == SPL_INTER ? 2 : 1;
    bind_op *op = ch->op;

    op->op = BIND_MOVE;
    op->moved = bind_moved_of(ch->stage->stmt, format_of(in, &at[0]), format_of(out, &at[1]));
    op->var = e->var;
    op->cols = e->var == IX_INDEX ? bind_range_alone(e->n) : bind_range_of(&ch->cols->range);
    op->outer = ch->outer ? bind_range_of(&ch->outer->range) : bind_range_alone(1);
    op->call.ics = iu * (ptrdiff_t)(at[0].even ? at[0].step : 1);
    op->call.ocs = ou * (ptrdiff_t)(at[1].even ? at[1].step : 1);
    op->call.ics1 = iu * (ptrdiff_t)(at[0].even ? at[0].im_step : 1);
    op->call.ocs1 = ou * (ptrdiff_t)(at[1].even ? at[1].im_step : 1);
    op->in_offset = iu * (ptrdiff_t)(at[0].even ? value_at(&at[0], e, 0, 0) : 0);
    op->out_offset = ou * (ptrdiff_t)(at[1].even ? value_at(&at[1], e, 0, 0) : 0);
    op->scales = ch->stage->stmt->ntwiddles > 0;
    op->factor = ch->scale;
    op->codelet = NULL;
    op->swap = false;
    op->in_im = (ptrdiff_t)at[0].part;
    op->out_im = (ptrdiff_t)at[1].part;
    add_steps(ch, at, iu, ou);
    bind_prefer_fold(ch, format_of(in, &at[0]), format_of(out, &at[1]));
}

/* How far iterations of a loop are apart on the output; or 1 if the move transposes (columns
 * adjacent on the output only) and the loop is adjacent on the input, so that vectors can transpose
 * blocks. */
static int64_t distance_of(const place at[2], int var)
{
    const bool turned = at[0].even && at[0].step != 1 && at[1].even && at[1].step == 1;

    return turned && at[0].loop[var] == 1 ? 1 : llabs(at[1].loop[var]);
}

/* The loop whose iterations become rows of the op: that of the shortest steps, which is the one
 * that continues where the columns end, if any does. */
static const prog_stmt *choose_rows(const bind_choice *ch, const place at[2])
{
    const prog_stmt *rows = NULL;
    int64_t shortest = 0;

    for (int i = 0; i < ch->stage->count; i++) {
        const prog_stmt *s = ch->stage->loop[i];
        const int64_t step = distance_of(at, s->range.var);
        if (s == ch->cols || bind_encloses_stages(ch, s) || bind_is_shared(ch->stage, s)
            || (rows && step >= shortest))
            continue;
        rows = s;
        shortest = step;
    }
    return rows;
}

sluice_status bind_fill_offsets(bind_choice *ch, bool *taken, bool *filled, sluice_diag *why)
{
    const prog_stmt *k = ch->stage->stmt;
    const int64_t count = elements_of(k);
    const bool rows = count > 1 || ch->cols == NULL;
    int64_t vars[IX_MAX_VARS] = {0};
    const counter e = {.var = rows ? IX_INDEX : ch->cols->range.var,
                       .n = rows ? count : ch->cols->range.n,
                       .vars = vars};
    place at[2];

    *filled = false;
    if (!read_place(ch->stage, k->fin, k->fin->n / count, &e, &at[0])
        || !read_place(ch->stage, k->fout, k->fout->n / count, &e, &at[1]))
        return SLUICE_OK;
    if (k->kernel == SPL_I && rows && !(at[0].even && at[1].even)) /* EVAL copies runs */
        return SLUICE_OK;
    for (int side = 0; side < 2; side++) {
        ch->op->element_offsets[side] =
            at[side].even ? NULL : tabulate_offsets(&at[side], &e, ch->tape->sketch);
        if (!ch->op->element_offsets[side] && !at[side].even)
            return core_fail_memory(why);
    }
    ch->cols = rows ? NULL : ch->cols;
    ch->outer = at[0].even && at[1].even ? choose_rows(ch, at) : NULL;
    fill_move(ch, at, &e);
    for (int i = 0; i < ch->stage->count; i++)
        taken[i] = ch->stage->loop[i] == ch->cols || ch->stage->loop[i] == ch->outer;
    *filled = true;
    return SLUICE_OK;
}

size_t bind_permutation_bytes(const bind_op *op)
{
    return (size_t)op->cols.n * sizeof(int32_t)
           * (size_t)((op->element_offsets[0] != NULL) + (op->element_offsets[1] != NULL));
}
