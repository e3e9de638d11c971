// SPDX-License-Identifier: BSD-3-Clause
/* Permutations: single elements that move between addresses of which at least one has no linear
 * form, as powers of a primitive root. The loop over them becomes one op with a table of places for
 * each side; what loops around add must be linear. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cpu/bind/cpu_choice.h"
#include "core/mem.h"
#include "core/status.h"
#include "spl/index/ix_form.h"

/* An address function c + scale*f(column) + SUM loop[v] v. */
typedef struct place {
    int64_t c, scale;
    int64_t loop[IX_MAX_VARS];
    const ix *f;
} place;

/* Adds what f has of every loop but the columns; false where that is not linear. */
static bool add_loops(const cpu_nest *nest, const ix *f, int columns, place *out)
{
    for (int i = 0; i < nest->count + nest->outer_count; i++) {
        const prog_stmt *s = i < nest->count ? nest->loop[i] : nest->outer[i - nest->count];
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
static bool read_place(const cpu_nest *nest, const ix *f, int columns, place *out)
{
    static const int64_t zeros[IX_MAX_VARS];
    int64_t by;

    *out = (place){.scale = 1};
    while (f->kind == IX_OPAQUE && ix_linear(f->outer, IX_INDEX, f->outer->n, &by)
           && !ix_uses(f->outer, columns)) {
        if (!add_loops(nest, f->outer, columns, out))
            return false;
        out->c += out->scale * ix_eval(f->outer, 0, zeros);
        out->scale *= by;
        f = f->inner;
    }
    out->f = f;
    return add_loops(nest, f, columns, out);
}

static int32_t *tabulate(const place *at, int columns, int64_t n)
{
    int32_t *table = core_malloc((size_t)n * sizeof *table);
    int64_t var[IX_MAX_VARS] = {0};

    for (int64_t k = 0; table && k < n; k++) {
        var[columns] = k;
        table[k] = (int32_t)(at->c + at->scale * ix_eval(at->f, 0, var));
    }
    return table;
}

/* Do all places fit the table's entries? */
static bool fits(const place *at)
{
    int64_t lo, hi, by;

    if (!ix_bounds(at->f, &lo, &hi))
        return false;
    const int64_t most = -lo > hi ? -lo : hi;
    return !__builtin_mul_overflow(most, llabs(at->scale), &by)
           && !__builtin_add_overflow(by, llabs(at->c), &by) && by <= INT32_MAX;
}

/* Are columns next to each other? */
static bool is_row(const place *at, int columns, int64_t n)
{
    int64_t by;

    return ix_linear(at->f, columns, n, &by) && by * at->scale == 1
           && at->c + at->scale * ix_eval(at->f, 0, (const int64_t[IX_MAX_VARS]){0}) == 0;
}

bool cpu_is_move(const cpu_choice *ch)
{
    const prog_stmt *k = ch->nest->kern;

    return k->n == 1 && k->ntwiddles == 0 && ch->cols != NULL;
}

sluice_status cpu_move_fill(cpu_choice *ch, bool *taken, bool *filled, sluice_diag *why)
{
    const prog_stmt *k = ch->nest->kern;
    const int columns = ch->cols->range.var;
    const int64_t n = ch->cols->range.n;
    const ix *const f[2] = {k->fin, k->fout};
    const int buffer[2] = {k->in, k->out};
    cpu_op *op = ch->op;
    ptrdiff_t unit[2];
    bool row[2];
    place at[2];

    *filled = false;
    for (int side = 0; side < 2; side++) {
        unit[side] = cpu_buffer_format(ch, buffer[side]) == SPL_SPLIT ? 1 : 2;
        if (!read_place(ch->nest, f[side], columns, &at[side]) || !fits(&at[side]))
            return SLUICE_OK;
        row[side] = is_row(&at[side], columns, n);
    }
    for (int side = 0; side < 2; side++) {
        op->place[side] = row[side] ? NULL : tabulate(&at[side], columns, n);
        if (!op->place[side] && !row[side])
            return core_fail_memory(why);
    }
    op->op = CPU_MOVE;
    op->var = columns;
    op->cols = cpu_range_of(&ch->cols->range);
    op->codelet = NULL;
    op->swap = false;
    for (int v = 0; v < IX_MAX_VARS; v++) {
        const cpu_step step = {.var = v,
                               .in = (ptrdiff_t)at[0].loop[v] * unit[0],
                               .out = (ptrdiff_t)at[1].loop[v] * unit[1]};
        cpu_add_step(op, &step); /* there is room for one of each loop */
    }
    for (int i = 0; i < ch->nest->count; i++)
        taken[i] = ch->nest->loop[i] == ch->cols;
    *filled = true;
    return SLUICE_OK;
}

size_t cpu_move_bytes(const cpu_op *op)
{
    return (size_t)op->cols.n * sizeof(int32_t)
           * (size_t)((op->place[0] != NULL) + (op->place[1] != NULL));
}

/* Elements of `bytes` at unit places; inlined for each size. */
static inline void move(const int32_t *from, const int32_t *to, const char *in, char *out,
                        int64_t lo, int64_t hi, size_t bytes)
{
    if (!from && !to)
        memcpy(out + (size_t)lo * bytes, in + (size_t)lo * bytes, (size_t)(hi - lo) * bytes);
    for (int64_t k = lo; from && !to && k < hi; k++)
        memcpy(out + (size_t)k * bytes, in + (ptrdiff_t)from[k] * (ptrdiff_t)bytes, bytes);
    for (int64_t k = lo; !from && to && k < hi; k++)
        memcpy(out + (ptrdiff_t)to[k] * (ptrdiff_t)bytes, in + (size_t)k * bytes, bytes);
    for (int64_t k = lo; from && to && k < hi; k++)
        memcpy(out + (ptrdiff_t)to[k] * (ptrdiff_t)bytes,
               in + (ptrdiff_t)from[k] * (ptrdiff_t)bytes, bytes);
}

/* One scalar of each element, at units of their own. */
static void move_scalars(const cpu_op *op, const char *in, char *out, int64_t lo, int64_t hi,
                         const ptrdiff_t *unit, size_t scalar)
{
    for (int64_t k = lo; k < hi; k++) {
        const ptrdiff_t from = op->place[0] ? op->place[0][k] : k;
        const ptrdiff_t to = op->place[1] ? op->place[1][k] : k;
        memcpy(out + to * unit[1], in + from * unit[0], scalar);
    }
}

void cpu_move(const cpu_program *p, const cpu_op *op, const spl_call *call, int64_t lo, int64_t hi)
{
    const bool split[2] = {p->buf[op->in].format == SPL_SPLIT, p->buf[op->out].format == SPL_SPLIT};
    const ptrdiff_t scalar = (ptrdiff_t)p->scalar;
    const ptrdiff_t unit[2] = {split[0] ? scalar : 2 * scalar, split[1] ? scalar : 2 * scalar};

    if (split[0] || split[1]) {
        move_scalars(op, call->in_re, call->out_re, lo, hi, unit, p->scalar);
        move_scalars(op, call->in_im, call->out_im, lo, hi, unit, p->scalar);
    } else if (scalar == sizeof(float)) {
        move(op->place[0], op->place[1], call->in_re, call->out_re, lo, hi, 2 * sizeof(float));
    } else {
        move(op->place[0], op->place[1], call->in_re, call->out_re, lo, hi, 2 * sizeof(double));
    }
}
