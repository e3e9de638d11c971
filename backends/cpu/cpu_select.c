// SPDX-License-Identifier: BSD-3-Clause
/* Which codelet runs a nest of loops around a kernel, and which of the loops it takes over.
 *
 * The VEC loop becomes the codelet's columns. With rows (elements of the kernel) at strides ei, eo and
 * columns at ci, co, in elements:
 *     ci = co = 1, no twiddles                     C   DFT_n (x) I_nu
 *     ei = eo = 1, no twiddles                     W or T
 *     ci = co = 1, twiddles the same for all columns   B, which takes over a second loop
 *     ci = eo = 1                                  A
 *     anything else                                G
 * Without a VEC loop one transform runs at a time: W of the best ISA, else the scalar codelets. */
#include <string.h>

#include "backends/cpu/cpu_backend.h"
#include "core/mem.h"
#include "core/status.h"

#define COUNT(table) ((int)(sizeof(table) / sizeof((table)[0])))

/* One address function of the kernel, linear: element = c + row*i + sum of loops. */
typedef struct address {
    int64_t c, row;
    int64_t loop[IX_MAX_VARS]; /* by variable */
} address;

typedef struct choice {
    cpu_program *p;
    const cpu_nest *nest;
    cpu_op *op;
    address in, out, tw;
    bool has_tw;
    const prog_stmt *cols; /* the loop over columns; NULL: one column */
    const prog_stmt *rows; /* B: the loop over sets of twiddles; NULL: one set */
    core_isa isa;
    spl_format format; /* of computation, as the VEC loop asks */
    int lanes;         /* of that format */
} choice;

int cpu_lanes(core_isa isa, sluice_precision precision, spl_format format)
{
    static const int bytes[CORE_ISA_COUNT] = {
        [CORE_ISA_SCALAR] = 0, [CORE_ISA_AVX2] = 32, [CORE_ISA_AVX512] = 64};
    const int scalar = precision == SLUICE_F32 ? 4 : 8;

    if (isa == CORE_ISA_SCALAR)
        return 1;
    return bytes[isa] / scalar / (format == SPL_INTER ? 2 : 1);
}

static const spl_codelet *table_of(core_isa isa, int precision)
{
    static const spl_codelet *const tables[CORE_ISA_COUNT][2] = {
        [CORE_ISA_SCALAR] = {spl_codelets_scalar_f32, spl_codelets_scalar_f64},
#if SLUICE_HAVE_X86
        [CORE_ISA_AVX2] = {spl_codelets_avx2_f32, spl_codelets_avx2_f64},
        [CORE_ISA_AVX512] = {spl_codelets_avx512_f32, spl_codelets_avx512_f64},
#endif
    };
    return tables[isa][precision];
}

const spl_codelet *cpu_codelet_find(const spl_key *key)
{
    for (const spl_codelet *c = table_of(key->isa, key->precision); c && c->name; c++)
        if (c->key.n == key->n && c->key.position == key->position && c->key.tw == key->tw
            && c->key.compute == key->compute && c->key.in == key->in && c->key.out == key->out
            && c->key.nt == key->nt)
            return c;
    return NULL;
}

/* The address function in linear form over the index and every loop around; false where it is not. */
static bool read_address(const cpu_nest *nest, const ix *f, address *a)
{
    static const int64_t zeros[IX_MAX_VARS];

    memset(a, 0, sizeof *a);
    if (!ix_linear(f, IX_INDEX, nest->kern->n, &a->row))
        return false;
    for (int i = 0; i < nest->count + nest->outer_count; i++) {
        const prog_stmt *s = i < nest->count ? nest->loop[i] : nest->outer[i - nest->count];
        if (!ix_linear(f, s->range.var, s->range.n, &a->loop[s->range.var]))
            return false;
    }
    a->c = ix_eval(f, 0, zeros);
    return true;
}

/* As read_address, but any dependence on the index is allowed (G reads offsets from a table). */
static bool read_address_any_row(const cpu_nest *nest, const ix *f, address *a, bool *row_linear)
{
    static const int64_t zeros[IX_MAX_VARS];

    memset(a, 0, sizeof *a);
    if (f->kind != IX_DIGIT)
        return false;
    *row_linear = ix_linear(f, IX_INDEX, nest->kern->n, &a->row);
    for (int i = 0; i < nest->count + nest->outer_count; i++) {
        const prog_stmt *s = i < nest->count ? nest->loop[i] : nest->outer[i - nest->count];
        if (!ix_linear(f, s->range.var, s->range.n, &a->loop[s->range.var]))
            return false;
    }
    a->c = ix_eval(f, 0, zeros);
    return true;
}

static bool used_by(const address *a, const prog_stmt *loop)
{
    return loop && a->loop[loop->range.var] != 0;
}

/* Does another loop of the nest run over shares of this one? Then its variable is needed. */
static bool is_shared(const cpu_nest *nest, const prog_stmt *loop)
{
    for (int i = 0; i < nest->count; i++)
        if (nest->loop[i]->range.share_var == loop->range.var)
            return true;
    return false;
}

/* The VEC loop, or else the longest one; PAR loops and those that others share stay loops. */
static void choose_columns(choice *ch)
{
    const prog_stmt *longest = NULL;

    for (int i = 0; i < ch->nest->count; i++) {
        const prog_stmt *s = ch->nest->loop[i];
        if (s->range.kind == SPL_PAR || is_shared(ch->nest, s))
            continue;
        if (s->range.kind == SPL_VEC)
            ch->cols = s;
        if (!longest || s->range.n > longest->range.n)
            longest = s;
    }
    if (!ch->cols)
        ch->cols = longest;
}

/* vec(nu,format) names an ISA through its lanes. */
static sluice_status choose_isa(choice *ch, sluice_diag *why)
{
    const spl_range *r = ch->cols && ch->cols->range.kind == SPL_VEC ? &ch->cols->range : NULL;
    const core_isa best = ch->p->owner->isa;

    ch->isa = CORE_ISA_SCALAR;
    ch->format = r ? (spl_format)r->format : SPL_INTER;
    ch->lanes = 1;
    if (!r || r->nu == 1)
        return SLUICE_OK;
    for (int isa = (int)best; isa > CORE_ISA_SCALAR; isa--) {
        ch->isa = (core_isa)isa;
        ch->lanes = cpu_lanes(ch->isa, ch->p->precision, ch->format);
        if (ch->lanes == r->nu)
            return SLUICE_OK;
    }
    return core_fail(
        why, SLUICE_E_UNSUPPORTED, 0,
        "vec(%lld,%s): units of ISA %s have vectors of %d (or fewer) complex lanes here",
        (long long)r->nu, ch->format == SPL_INTER ? "inter" : "split", core_isa_name(best),
        cpu_lanes(best, ch->p->precision, ch->format));
}

static cpu_range range_of(const prog_stmt *loop)
{
    const cpu_range one = {.n = 1, .share_var = -1, .shares = 1, .grain = 1};

    if (!loop)
        return one;
    return (cpu_range){.n = loop->range.n,
                       .share_var = loop->range.share_var,
                       .shares = loop->range.shares,
                       .grain = loop->range.grain > 0 ? loop->range.grain : 1};
}

/* The loop that B takes over: the innermost one the twiddles depend on, else none. */
static void choose_rows(choice *ch)
{
    for (int i = 0; i < ch->nest->count; i++) {
        const prog_stmt *s = ch->nest->loop[i];
        if (s == ch->cols || s->range.kind == SPL_PAR || is_shared(ch->nest, s))
            continue;
        if (used_by(&ch->tw, s))
            ch->rows = s;
    }
}

/* The dimensions of the twiddle table: loops the twiddles depend on, the op's own one last. */
static bool table_key(const choice *ch, cpu_table_form form, cpu_table_key *key)
{
    const prog_twiddle *tw = &ch->nest->kern->twiddle[0];
    const prog_stmt *last = form == CPU_TW_BROADCAST ? ch->rows : ch->cols;

    memset(key, 0, sizeof *key);
    key->form = form;
    key->precision = ch->p->precision;
    key->lanes = ch->op->codelet->key.lanes;
    key->conjugate = tw->conjugate != ch->op->swap;
    key->n = tw->n;
    key->m = tw->m;
    key->rows = ch->nest->kern->n;
    key->c = ch->tw.c;
    key->row = ch->tw.row;
    for (int i = ch->nest->outer_count + ch->nest->count - 1; i >= 0; i--) {
        const prog_stmt *s = i < ch->nest->outer_count ? ch->nest->outer[i]
                                                       : ch->nest->loop[i - ch->nest->outer_count];
        if (s == last || !used_by(&ch->tw, s))
            continue;
        if (key->dims == CPU_TABLE_DIMS - 1)
            return false;
        key->size[key->dims] = s->range.n;
        key->coef[key->dims++] = ch->tw.loop[s->range.var];
    }
    if (last || form != CPU_TW_BROADCAST) {
        key->size[key->dims] = last ? last->range.n : 1;
        key->coef[key->dims++] = last ? ch->tw.loop[last->range.var] : 0;
        key->tail = form != CPU_TW_BROADCAST && key->size[key->dims - 1] > key->lanes;
    }
    return true;
}

static spl_format buffer_format(const choice *ch, int buffer)
{
    return ch->p->buf[buffer].format;
}

/* Looks a codelet up for a position; true when there is one. */
static bool try_position(choice *ch, spl_position position, spl_tw tw)
{
    const bool any = position == SPL_POS_G;
    const spl_key key = {.n = (int)ch->nest->kern->n,
                         .isa = ch->isa,
                         .precision = (int)ch->p->precision,
                         .compute = any ? SPL_SPLIT : ch->format,
                         .in = any ? SPL_SPLIT : buffer_format(ch, ch->op->in),
                         .out = any ? SPL_SPLIT : buffer_format(ch, ch->op->out),
                         .position = position,
                         .tw = tw};

    ch->op->codelet = cpu_codelet_find(&key);
    ch->op->swap = ch->nest->kern->inverse && key.compute == SPL_SPLIT;
    return ch->op->codelet != NULL;
}

static double cycles_of(const spl_codelet *c)
{
    return c->cycles / c->key.lanes;
}

/* Rows adjacent on both sides: W computes one transform at a time, whatever the lanes of the loop
 * around it, T several side by side; the cheaper one, whatever their number. */
static bool try_adjacent(choice *ch)
{
    const core_isa isa = ch->isa;
    const spl_codelet *whole = NULL;

    if (ch->format == SPL_INTER) {
        if (ch->lanes == 1)
            ch->isa = ch->p->owner->isa;
        if (try_position(ch, SPL_POS_W, SPL_TW_NONE))
            whole = ch->op->codelet;
        ch->isa = isa;
    }
    if (try_position(ch, SPL_POS_T, SPL_TW_NONE)
        && (!whole || cycles_of(ch->op->codelet) < cycles_of(whole)))
        return true;
    ch->op->codelet = whole;
    return whole != NULL;
}

/* A and B leave row 0 alone: are its twiddles all 1? */
static bool first_row_one(const choice *ch, cpu_table_form form)
{
    cpu_table_key key;

    return table_key(ch, form, &key) && cpu_table_first_row_is_one(&key);
}

static cpu_table_form vector_form(const choice *ch)
{
    if (ch->op->codelet->key.position == SPL_POS_G)
        return CPU_TW_FULL_VECTOR;
    return ch->op->codelet->key.compute == SPL_INTER ? CPU_TW_INTER_VECTOR : CPU_TW_SPLIT_VECTOR;
}

static bool choose_codelet(choice *ch, bool rows_linear)
{
    const int64_t ei = ch->in.row, eo = ch->out.row;
    const int64_t ci = ch->cols ? ch->in.loop[ch->cols->range.var] : 1;
    const int64_t co = ch->cols ? ch->out.loop[ch->cols->range.var] : 1;

    if (rows_linear && !ch->has_tw) {
        if (ei == 1 && eo == 1 && try_adjacent(ch))
            return true;
        if (ci == 1 && co == 1 && try_position(ch, SPL_POS_C, SPL_TW_NONE))
            return true;
    }
    if (rows_linear && ch->has_tw && ci == 1 && co == 1 && !used_by(&ch->tw, ch->cols)) {
        choose_rows(ch);
        if (try_position(ch, SPL_POS_B, SPL_TW_BROADCAST) && first_row_one(ch, CPU_TW_BROADCAST))
            return true;
        ch->rows = NULL;
    }
    if (rows_linear && ch->has_tw && ci == 1 && eo == 1
        && try_position(ch, SPL_POS_A, SPL_TW_VECTOR) && first_row_one(ch, vector_form(ch)))
        return true;
    return try_position(ch, SPL_POS_G, ch->has_tw ? SPL_TW_VECTOR : SPL_TW_NONE);
}

static ptrdiff_t unit_of(const choice *ch, int buffer)
{
    return buffer_format(ch, buffer) == SPL_INTER ? 2 : 1;
}

static sluice_status fill_offsets(choice *ch, sluice_diag *why)
{
    static const int64_t zeros[IX_MAX_VARS];
    const prog_stmt *k = ch->nest->kern;
    cpu_op *op = ch->op;

    op->offsets = core_calloc((size_t)k->n * 2, sizeof *op->offsets);
    if (!op->offsets)
        return core_fail_memory(why);
    for (int64_t i = 0; i < k->n; i++) {
        op->offsets[i] = (ptrdiff_t)(ix_eval(k->fin, i, zeros) - ch->in.c) * unit_of(ch, op->in);
        op->offsets[k->n + i] =
            (ptrdiff_t)(ix_eval(k->fout, i, zeros) - ch->out.c) * unit_of(ch, op->out);
    }
    op->call.in_off = op->offsets;
    op->call.out_off = op->offsets + k->n;
    return SLUICE_OK;
}

static void fill_call(choice *ch)
{
    cpu_op *op = ch->op;
    const ptrdiff_t iu = unit_of(ch, op->in), ou = unit_of(ch, op->out);

    op->call.is = (ptrdiff_t)ch->in.row * iu;
    op->call.os = (ptrdiff_t)ch->out.row * ou;
    op->call.inverse = ch->nest->kern->inverse;
    op->in_at = (ptrdiff_t)ch->in.c * iu;
    op->out_at = (ptrdiff_t)ch->out.c * ou;
    if (ch->cols) {
        op->call.ics = (ptrdiff_t)ch->in.loop[ch->cols->range.var] * iu;
        op->call.ocs = (ptrdiff_t)ch->out.loop[ch->cols->range.var] * ou;
    } else {
        op->call.ics = iu;
        op->call.ocs = ou;
    }
    if (ch->rows) {
        op->call.iouter = (ptrdiff_t)ch->in.loop[ch->rows->range.var] * iu;
        op->call.oouter = (ptrdiff_t)ch->out.loop[ch->rows->range.var] * ou;
    }
}

/* Scalars of the table that one step of a loop skips; 0 where the twiddles do not depend on it. */
static ptrdiff_t table_stride(const choice *ch, const prog_stmt *loop)
{
    const cpu_table *t = ch->op->table;

    if (!t || !used_by(&ch->tw, loop))
        return 0;
    int d = 0;
    for (int i = ch->nest->outer_count + ch->nest->count - 1; i >= 0; i--) {
        const prog_stmt *s = i < ch->nest->outer_count ? ch->nest->outer[i]
                                                       : ch->nest->loop[i - ch->nest->outer_count];
        if (s == ch->cols || s == ch->rows || !used_by(&ch->tw, s))
            continue;
        if (s == loop)
            return (ptrdiff_t)t->stride[d];
        d++;
    }
    return 0;
}

static sluice_status fill_steps(choice *ch, sluice_diag *why)
{
    cpu_op *op = ch->op;

    for (int i = 0; i < ch->nest->count + ch->nest->outer_count; i++) {
        const prog_stmt *s =
            i < ch->nest->count ? ch->nest->loop[i] : ch->nest->outer[i - ch->nest->count];
        const int v = s->range.var;
        if (s == ch->cols || s == ch->rows)
            continue;
        const cpu_step step = {.var = v,
                               .in = (ptrdiff_t)ch->in.loop[v] * unit_of(ch, op->in),
                               .out = (ptrdiff_t)ch->out.loop[v] * unit_of(ch, op->out),
                               .tw = table_stride(ch, s)};
        if (step.in == 0 && step.out == 0 && step.tw == 0)
            continue;
        if (op->nsteps == CPU_MAX_STEPS)
            return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "more than %d loops around one kernel",
                             CPU_MAX_STEPS);
        op->step[op->nsteps++] = step;
    }
    return SLUICE_OK;
}

static sluice_status fill_twiddles(choice *ch, sluice_diag *why)
{
    cpu_op *op = ch->op;
    const cpu_table_form form =
        op->codelet->key.tw == SPL_TW_BROADCAST ? CPU_TW_BROADCAST : vector_form(ch);
    cpu_table_key key;

    if (!ch->has_tw)
        return SLUICE_OK;
    if (!table_key(ch, form, &key))
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "twiddles that depend on more than %d loops",
                         CPU_TABLE_DIMS);
    const sluice_status status = cpu_table_get(ch->p->owner->tables, &key, &op->table, why);
    if (status == SLUICE_OK)
        op->call.tw = op->table->data;
    return status;
}

/* Shares of columns begin at whole vectors. */
static int64_t whole_grain(int64_t grain, int64_t lanes)
{
    int64_t a = grain, b = lanes;

    while (b) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return grain / a * lanes;
}

static bool may_overlap(const choice *ch)
{
    const prog_space in = ch->p->buf[ch->op->in].space, out = ch->p->buf[ch->op->out].space;

    if (ch->op->in == ch->op->out)
        return false;
    return !(ch->p->body->sides.in_place && in <= PROG_OUT && out <= PROG_OUT);
}

/* Lines of the output that nobody reads again go past the caches, where the codelet stores whole lines
 * and the strides keep them whole (the pointer is looked at when running). */
static void choose_store(choice *ch)
{
    cpu_op *op = ch->op;
    spl_key key = op->codelet->key;
    const ptrdiff_t line = 64 / (ptrdiff_t)ch->p->scalar;
    const bool columns = key.position == SPL_POS_W;

    if (ch->p->buf[op->out].space != PROG_OUT || !ch->p->streams_out)
        return;
    if ((columns ? op->call.ocs : op->call.os) % line != 0 || op->out_at % line != 0)
        return;
    for (int i = 0; i < op->nsteps; i++)
        if (op->step[i].out % line != 0)
            return;
    key.nt = true;
    op->codelet_nt = cpu_codelet_find(&key);
}

static sluice_status fill_op(choice *ch, bool *taken, sluice_diag *why)
{
    cpu_op *op = ch->op;

    op->op = CPU_KERN;
    op->cols = range_of(ch->cols);
    op->rows = range_of(ch->rows);
    op->cols.grain = whole_grain(op->cols.grain, op->codelet->key.lanes);
    op->overlap = may_overlap(ch);
    for (int i = 0; i < ch->nest->count; i++)
        taken[i] = ch->nest->loop[i] == ch->cols || ch->nest->loop[i] == ch->rows;
    fill_call(ch);
    sluice_status status = fill_twiddles(ch, why);
    if (status == SLUICE_OK)
        status = fill_steps(ch, why);
    if (status == SLUICE_OK && op->codelet->key.position == SPL_POS_G)
        status = fill_offsets(ch, why);
    choose_store(ch);
    return status;
}

sluice_status cpu_select(cpu_program *p, const cpu_nest *nest, cpu_op *op, bool *taken,
                         sluice_diag *why)
{
    const prog_stmt *k = nest->kern;
    choice ch = {.p = p, .nest = nest, .op = op, .has_tw = k->ntwiddles > 0};
    bool in_linear = false, out_linear = false;

    *op = (cpu_op){.op = CPU_EVAL, .stmt = k, .in = k->in, .out = k->out};
    for (int i = 0; i < nest->count; i++)
        taken[i] = false;
    choose_columns(&ch);
    const sluice_status status = choose_isa(&ch, why);
    if (status != SLUICE_OK)
        return status;
    const bool linear = k->kernel == SPL_DFT && k->ntwiddles <= 1
                        && read_address_any_row(nest, k->fin, &ch.in, &in_linear)
                        && read_address_any_row(nest, k->fout, &ch.out, &out_linear)
                        && (!ch.has_tw || read_address(nest, k->twiddle[0].f, &ch.tw));
    if (linear && choose_codelet(&ch, in_linear && out_linear))
        return fill_op(&ch, taken, why);
    ch.isa = CORE_ISA_SCALAR;
    if (k->kernel == SPL_DFT && !try_position(&ch, SPL_POS_G, SPL_TW_NONE))
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                         "there is no codelet for DFT_%lld (2..16, 20, 24, 25, 27, 32, 64)",
                         (long long)k->n);
    op->codelet = k->kernel == SPL_DFT ? op->codelet : NULL;
    return SLUICE_OK;
}
