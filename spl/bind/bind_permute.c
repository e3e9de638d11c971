// SPDX-License-Identifier: BSD-3-Clause
/* Permutations: single elements that move between addresses of which at least one has no linear
 * form, as powers of a primitive root. The loop over them becomes one op with a table of places for
 * each side; what loops around add must be linear. */
#include <stdint.h>
#include <stdlib.h>

#include "core/mem.h"
#include "core/status.h"
#include "spl/bind/bind_choice.h"
#include "spl/index/ix_form.h"

/* An address function c + scale*f(column) + SUM loop[v] v. */
typedef struct place {
    int64_t c, scale;
    int64_t loop[IX_MAX_VARS];
    const ix *f;
    int64_t values; /* of an element: 2 of a complex number in a buffer of reals */
} place;

/* Adds what f has of every loop but the columns; false if that is not linear. */
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

/* Peels off what stands outside of the part that has no linear form. */
static bool read_place(const prog_stage *stage, const ix *f, int columns, place *out)
{
    static const int64_t zeros[IX_MAX_VARS];
    int64_t by;

    *out = (place){.scale = 1, .values = f->n};
    while (f->kind == IX_OPAQUE && ix_linear(f->outer, IX_INDEX, f->outer->n, &by)
           && !ix_uses(f->outer, columns)) {
        if (!add_loops(stage, f->outer, columns, out))
            return false;
        out->c += out->scale * ix_eval(f->outer, 0, zeros);
        out->scale *= by;
        f = f->inner;
    }
    out->f = f;
    return add_loops(stage, f, columns, out);
}

/* In elements. */
static int32_t *tabulate_offsets(const place *at, int columns, int64_t n)
{
    int32_t *table = core_malloc((size_t)n * sizeof *table);
    int64_t var[IX_MAX_VARS] = {0};

    for (int64_t k = 0; table && k < n; k++) {
        var[columns] = k;
        table[k] = (int32_t)((at->c + at->scale * ix_eval(at->f, 0, var)) / at->values);
    }
    return table;
}

/* Do all offsets fit the table's entries? */
static bool offsets_fit(const place *at)
{
    int64_t lo, hi, by;

    if (!ix_bounds(at->f, &lo, &hi))
        return false;
    const int64_t most = -lo > hi ? -lo : hi;
    return !__builtin_mul_overflow(most, llabs(at->scale), &by)
           && !__builtin_add_overflow(by, llabs(at->c), &by) && by <= INT32_MAX;
}

/* Does every element begin at a multiple of its values? */
static bool begins_whole(const place *at, int columns, int64_t n)
{
    int64_t var[IX_MAX_VARS] = {0};

    for (int64_t k = 0; k < n && at->values > 1; k++) {
        var[columns] = k;
        if ((at->c + at->scale * ix_eval(at->f, 0, var)) % at->values != 0)
            return false;
    }
    return true;
}

/* Are columns next to each other? */
static bool is_row(const place *at, int columns, int64_t n)
{
    int64_t by;

    return ix_linear(at->f, columns, n, &by) && by * at->scale == at->values
           && at->c + at->scale * ix_eval(at->f, 0, (const int64_t[IX_MAX_VARS]){0}) == 0;
}

/* One value, or a complex number in a buffer of reals, re and im side by side. */
static bool is_element(const bind_choice *ch, int buffer, const ix *f)
{
    return f->n == 1 || (f->n == 2 && ch->tape->buf[buffer].format == SPL_REAL && ix_run(f) == 2);
}

bool bind_is_permutation(const bind_choice *ch)
{
    const prog_stmt *k = ch->stage->stmt;

    const bool moves = k->kernel == SPL_I || (prog_is_dft(k) && k->n == 1);

    return moves && k->ntwiddles == 0 && ch->cols != NULL && is_element(ch, k->in, k->fin)
           && is_element(ch, k->out, k->fout);
}

/* The op, whose addresses step by all loops but the columns. */
static void fill_move(bind_choice *ch, const place at[2], const ptrdiff_t unit[2])
{
    bind_op *op = ch->op;

    op->op = BIND_MOVE;
    op->var = ch->cols->range.var;
    op->cols = bind_range_of(&ch->cols->range);
    op->rows = (spl_range){.n = 1, .share_var = -1, .shares = 1, .grain = 1};
    op->call.ics = unit[0] * (ptrdiff_t)at[0].values;
    op->call.ocs = unit[1] * (ptrdiff_t)at[1].values;
    op->codelet = NULL;
    op->swap = false;
    op->in_im = op->out_im = 1;
    for (int v = 0; v < IX_MAX_VARS; v++) {
        const bind_step step = {.var = v,
                                .in = (ptrdiff_t)at[0].loop[v] * unit[0],
                                .out = (ptrdiff_t)at[1].loop[v] * unit[1]};
        bind_add_step(op, &step); /* every loop has at most one */
    }
}

sluice_status bind_fill_permutation(bind_choice *ch, bool *taken, bool *filled, sluice_diag *why)
{
    const prog_stmt *k = ch->stage->stmt;
    const int columns = ch->cols->range.var;
    const int64_t n = ch->cols->range.n;
    const ix *const f[2] = {k->fin, k->fout};
    const int buffer[2] = {k->in, k->out};
    bind_op *op = ch->op;
    ptrdiff_t unit[2];
    bool row[2];
    place at[2];

    *filled = false;
    for (int side = 0; side < 2; side++) {
        unit[side] = ch->tape->buf[buffer[side]].format == SPL_INTER ? 2 : 1;
        if (!read_place(ch->stage, f[side], columns, &at[side]) || !offsets_fit(&at[side])
            || !begins_whole(&at[side], columns, n))
            return SLUICE_OK;
        row[side] = is_row(&at[side], columns, n);
    }
    for (int side = 0; side < 2; side++) {
        op->element_offsets[side] = row[side] ? NULL : tabulate_offsets(&at[side], columns, n);
        if (!op->element_offsets[side] && !row[side])
            return core_fail_memory(why);
    }
    fill_move(ch, at, unit);
    for (int i = 0; i < ch->stage->count; i++)
        taken[i] = ch->stage->loop[i] == ch->cols;
    *filled = true;
    return SLUICE_OK;
}

size_t bind_permutation_bytes(const bind_op *op)
{
    return (size_t)op->cols.n * sizeof(int32_t)
           * (size_t)((op->element_offsets[0] != NULL) + (op->element_offsets[1] != NULL));
}
