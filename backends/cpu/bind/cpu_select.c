// SPDX-License-Identifier: BSD-3-Clause
/* Which codelet runs a nest of loops around a kernel, and which of the loops it takes over.
 *
 * The VEC loop becomes the codelet's columns. With rows (elements of the kernel) at strides ei, eo
 * and columns at ci, co, in elements:
 *     ei = eo = 1, no twiddles                         W, T or D, whatever the sides' formats
 *     ci = co = 1, no twiddles                         C   DFT_n (x) I_nu
 *     ci = co = 1, twiddles the same for all columns   B, which takes over a second loop
 *     ci = co = 1, other twiddles                      C, as products where the table is large
 *     ci = eo = 1                                      A, with broadcast twiddles or grids if it can
 *     anything else                                G
 * Without a VEC loop one transform runs at a time: W of the best ISA, else the scalar codelets. */
#include <stdio.h>
#include <string.h>

#include "backends/cpu/bind/cpu_choice.h"
#include "core/mem.h"
#include "core/status.h"

/* Tables beyond one in so many of a local store are split. */
enum { PRODUCT_SHARE = 2 };

int cpu_lanes(core_isa isa, sluice_precision precision, spl_format format)
{
    static const int bytes[CORE_ISA_COUNT] = {
        [CORE_ISA_SCALAR] = 0, [CORE_ISA_AVX2] = 32, [CORE_ISA_AVX512] = 64};
    const int scalar = precision == SLUICE_F32 ? 4 : 8;

    if (isa == CORE_ISA_SCALAR)
        return 1;
    return bytes[isa] / scalar / (format == SPL_INTER ? 2 : 1);
}

const spl_codelet *cpu_codelets(core_isa isa, int precision)
{
    static const spl_codelet *const tables[CORE_ISA_COUNT][2] = {
        [CORE_ISA_SCALAR] = {spl_codelets_scalar_f32, spl_codelets_scalar_f64},
#if SLUICE_HAVE_AVX2
        [CORE_ISA_AVX2] = {spl_codelets_avx2_f32, spl_codelets_avx2_f64},
#endif
#if SLUICE_HAVE_AVX512
        [CORE_ISA_AVX512] = {spl_codelets_avx512_f32, spl_codelets_avx512_f64},
#endif
    };
    return tables[isa][precision];
}

const spl_codelet *cpu_codelet_find(const spl_key *key)
{
    for (const spl_codelet *c = cpu_codelets(key->isa, key->precision); c && c->name; c++)
        if (c->key.n == key->n && c->key.position == key->position && c->key.tw == key->tw
            && c->key.compute == key->compute && c->key.in == key->in && c->key.out == key->out
            && c->key.nt == key->nt)
            return c;
    return NULL;
}

/* The address function over every loop around: linear in the index or not (G reads offsets from a
 * table), linear in each loop or digit by digit (loops that stay loops may be). */
bool cpu_read_address(const cpu_nest *nest, const ix *f, cpu_address *a, bool *row_linear)
{
    static const int64_t zeros[IX_MAX_VARS];

    memset(a, 0, sizeof *a);
    if (f->kind != IX_DIGIT)
        return false;
    *row_linear = ix_linear(f, IX_INDEX, nest->kern->n, &a->row);
    for (int i = 0; i < nest->count + nest->outer_count; i++) {
        const prog_stmt *s = i < nest->count ? nest->loop[i] : nest->outer[i - nest->count];
        const int v = s->range.var;
        a->digits[v] = !ix_linear(f, v, s->range.n, &a->loop[v]);
        if (a->digits[v])
            a->loop[v] = 0;
    }
    a->c = ix_eval(f, 0, zeros);
    return true;
}

/* Tables of twiddles step evenly in the index and in the columns, by digits in loops that stay loops. */
static bool read_twiddles(cpu_choice *ch)
{
    bool linear = false;

    if (!ch->has_tw)
        return true;
    if (!cpu_read_address(ch->nest, ch->nest->kern->twiddle[0].f, &ch->tw, &linear))
        return false;
    return linear && (!ch->cols || !ch->tw.digits[ch->cols->range.var]);
}

/* A loop that a codelet takes over has one stride on either side. */
static bool has_strides(const cpu_choice *ch, const prog_stmt *loop)
{
    return !loop || (!ch->in.digits[loop->range.var] && !ch->out.digits[loop->range.var]);
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
static void choose_columns(cpu_choice *ch)
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

static bool is_split(const cpu_choice *ch)
{
    return cpu_buffer_format(ch, ch->op->in) == SPL_SPLIT
           && cpu_buffer_format(ch, ch->op->out) == SPL_SPLIT;
}

/* The lanes that would do are those of every ISA up to the best, and one. */
static sluice_status refuse_lanes(const cpu_choice *ch, int64_t nu, sluice_diag *why)
{
    const core_isa best = ch->p->owner->isa;
    char list[32] = "";

    for (int isa = (int)best; isa > CORE_ISA_SCALAR; isa--) {
        const size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%d%s",
                 cpu_lanes((core_isa)isa, ch->p->precision, ch->format),
                 isa > CORE_ISA_SCALAR + 1 ? ", " : " or ");
    }
    return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                     "vec(%lld,%s): units of ISA %s have vectors of %s1 complex lanes here",
                     (long long)nu, ch->format == SPL_INTER ? "inter" : "split",
                     core_isa_name(best), list);
}

/* vec(nu,format) names an ISA through its lanes; without it nothing is converted where both sides
 * are split. */
static sluice_status choose_isa(cpu_choice *ch, sluice_diag *why)
{
    const spl_range *r = ch->cols && ch->cols->range.kind == SPL_VEC ? &ch->cols->range : NULL;
    const core_isa best = ch->p->owner->isa;

    ch->isa = CORE_ISA_SCALAR;
    ch->format = r ? (spl_format)r->format : is_split(ch) ? SPL_SPLIT : SPL_INTER;
    ch->lanes = 1;
    if (!r || r->nu == 1)
        return SLUICE_OK;
    for (int isa = (int)best; isa > CORE_ISA_SCALAR; isa--) {
        if (!cpu_codelets((core_isa)isa, SLUICE_F32)) /* not built */
            continue;
        ch->isa = (core_isa)isa;
        ch->lanes = cpu_lanes(ch->isa, ch->p->precision, ch->format);
        if (ch->lanes == r->nu)
            return SLUICE_OK;
    }
    return refuse_lanes(ch, r->nu, why);
}

/* The loop that broadcast twiddles take over: the innermost they depend on, else none. */
static void choose_rows(cpu_choice *ch)
{
    for (int i = 0; i < ch->nest->count; i++) {
        const prog_stmt *s = ch->nest->loop[i];
        if (s == ch->cols || s->range.kind == SPL_PAR || is_shared(ch->nest, s)
            || !has_strides(ch, s) || ch->tw.digits[s->range.var])
            continue;
        if (cpu_address_uses(&ch->tw, s))
            ch->rows = s;
    }
}

/* Looks a codelet up for a position; true when there is one. G computes split, W interleaved. */
static bool try_position(cpu_choice *ch, spl_position position, spl_tw tw)
{
    const bool any = position == SPL_POS_G;
    const spl_format format = position == SPL_POS_W ? SPL_INTER : ch->format;
    const int64_t n = ch->nest->kern->n;
    const spl_key key = {.n = n <= CPU_MAX_WHOLE ? (int)n : 0,
                         .isa = ch->isa,
                         .precision = (int)ch->p->precision,
                         .compute = any ? SPL_SPLIT : format,
                         .in = any ? SPL_SPLIT : cpu_buffer_format(ch, ch->op->in),
                         .out = any ? SPL_SPLIT : cpu_buffer_format(ch, ch->op->out),
                         .position = position,
                         .tw = tw};

    ch->op->codelet = cpu_codelet_find(&key);
    ch->op->swap = ch->nest->kern->inverse && key.compute == SPL_SPLIT;
    return ch->op->codelet != NULL;
}

static double cycles_of(const cpu_choice *ch, const spl_codelet *c)
{
    return cpu_cycles(ch->p->owner, ch->p->costs, c) / c->key.lanes;
}

static bool stores_lines(const spl_codelet *c)
{
    spl_key key = c->key;

    key.nt = true;
    return cpu_codelet_find(&key) != NULL;
}

/* Position D in place of T, which has the same bits: where columns follow each other without gaps,
 * and either the first level does not hold both buffers, so that whole lines count and not how few
 * instructions there are, or D is the cheaper one. */
static void prefer_dense(cpu_choice *ch)
{
    const spl_codelet *t = ch->op->codelet;
    const prog_buf *buf = ch->p->body->buf;
    const size_t l1 = core_topology_core(ch->p->owner->topology, 0)->l1;
    const int64_t n = ch->nest->kern->n, elements = buf[ch->op->in].elems + buf[ch->op->out].elems;
    const bool far = (size_t)elements * 2 * ch->p->scalar > l1;

    if (!ch->cols || ch->in.loop[ch->cols->range.var] != n
        || ch->out.loop[ch->cols->range.var] != n)
        return;
    if (!try_position(ch, SPL_POS_D, SPL_TW_NONE)
        || (!far && cycles_of(ch, ch->op->codelet) >= cycles_of(ch, t)))
        ch->op->codelet = t;
}

/* Rows adjacent on both sides: W computes one transform at a time, whatever the lanes of the loop
 * around it, T several side by side. Beside others T, which is as cheap and may become D, but where
 * W writes whole lines; alone the cheaper one. Not their number decides: their bits differ. */
static bool try_adjacent(cpu_choice *ch)
{
    const core_isa isa = ch->isa;
    const spl_codelet *whole = NULL;

    if (ch->lanes == 1)
        ch->isa = ch->p->owner->isa;
    if (try_position(ch, SPL_POS_W, SPL_TW_NONE))
        whole = ch->op->codelet;
    ch->isa = isa;
    if (try_position(ch, SPL_POS_T, SPL_TW_NONE)
        && (!whole
            || (!stores_lines(whole)
                && (ch->lanes > 1 || cycles_of(ch, ch->op->codelet) < cycles_of(ch, whole))))) {
        prefer_dense(ch);
        return true;
    }
    ch->op->codelet = whole;
    ch->op->swap = false;
    return whole != NULL;
}

/* A and B leave row 0 alone: are its twiddles all 1? */
static bool first_row_one(const cpu_choice *ch, cpu_table_form form)
{
    cpu_table_key key;

    return cpu_table_key_of(ch, form, &key) && cpu_table_first_row_is_one(&key);
}

/* Twiddles that are the same for all columns: one load fills a vector, the table is smaller. */
static bool try_broadcast(cpu_choice *ch, spl_position position)
{
    if (cpu_address_uses(&ch->tw, ch->cols))
        return false;
    choose_rows(ch);
    if (try_position(ch, position, SPL_TW_BROADCAST) && first_row_one(ch, CPU_TW_BROADCAST))
        return true;
    ch->rows = NULL;
    return false;
}

/* A table with an entry for every element is as much to read as the elements are: a large
 * one is a product of two, where it is one. */
static bool is_large(const cpu_choice *ch, const cpu_table_key *key)
{
    size_t bytes = 2 * ch->p->scalar;
    bool fits = core_mul(bytes, (size_t)key->rows, &bytes);

    for (int d = 0; d < key->dims && fits; d++)
        fits = core_mul(bytes, (size_t)key->size[d], &bytes);
    return !fits || bytes > ch->p->owner->local_store / PRODUCT_SHARE;
}

/* Of rows and columns, where these fill vectors. */
static bool try_product(cpu_choice *ch)
{
    cpu_table_key key;

    return ch->cols && ch->cols->range.n % ch->lanes == 0
           && try_position(ch, SPL_POS_C, SPL_TW_FACTORED)
           && cpu_table_key_of(ch, CPU_TW_PRODUCT, &key) && cpu_table_is_separable(&key)
           && is_large(ch, &key);
}

/* Of columns in rows, and of rows wherever other loops stand. */
static bool try_grid(cpu_choice *ch, spl_position position)
{
    cpu_table_key key, rows, grid;

    return ch->cols && try_position(ch, position, SPL_TW_FACTORED_SHARED)
           && cpu_table_key_of(ch, CPU_TW_INTER_VECTOR, &key)
           && cpu_table_as_grid(&key, &rows, &grid) && rows.dims > 0 && is_large(ch, &key);
}

static bool choose_codelet(cpu_choice *ch, bool rows_linear)
{
    const int64_t ei = ch->in.row, eo = ch->out.row;
    const int64_t ci = ch->cols ? ch->in.loop[ch->cols->range.var] : 1;
    const int64_t co = ch->cols ? ch->out.loop[ch->cols->range.var] : 1;
    const bool down = rows_linear && ci == 1 && co == 1, across = rows_linear && ci == 1 && eo == 1;

    if (!ch->has_tw) {
        if (rows_linear && ei == 1 && eo == 1 && try_adjacent(ch))
            return true;
        if (down && try_position(ch, SPL_POS_C, SPL_TW_NONE))
            return true;
        return try_position(ch, SPL_POS_G, SPL_TW_NONE);
    }
    if (down
        && (try_broadcast(ch, SPL_POS_B) || try_product(ch) || try_grid(ch, SPL_POS_C)
            || try_position(ch, SPL_POS_C, SPL_TW_VECTOR)))
        return true;
    if (across && (try_broadcast(ch, SPL_POS_A) || try_grid(ch, SPL_POS_A)))
        return true;
    if (across && try_position(ch, SPL_POS_A, SPL_TW_VECTOR)
        && first_row_one(ch, cpu_vector_form(ch)))
        return true;
    return try_position(ch, SPL_POS_G, SPL_TW_VECTOR);
}

sluice_status cpu_select(cpu_program *p, const cpu_nest *nest, cpu_op *op, bool *taken,
                         sluice_diag *why)
{
    const prog_stmt *k = nest->kern;
    cpu_choice ch = {.p = p, .nest = nest, .op = op, .has_tw = k->ntwiddles > 0};
    bool in_linear = false, out_linear = false;

    *op = (cpu_op){.op = CPU_EVAL, .stmt = k, .in = k->in, .out = k->out};
    for (int i = 0; i < nest->count; i++)
        taken[i] = false;
    choose_columns(&ch);
    sluice_status status = choose_isa(&ch, why);
    if (status != SLUICE_OK)
        return status;
    const bool linear = k->kernel == SPL_TRANSFORM && k->ntwiddles <= 1
                        && cpu_read_address(nest, k->fin, &ch.in, &in_linear)
                        && cpu_read_address(nest, k->fout, &ch.out, &out_linear)
                        && has_strides(&ch, ch.cols) && read_twiddles(&ch);
    if (linear && choose_codelet(&ch, in_linear && out_linear))
        return cpu_fill(&ch, taken, why);
    if (cpu_is_move(&ch)) {
        bool filled;
        status = cpu_move_fill(&ch, taken, &filled, why);
        if (filled || status != SLUICE_OK)
            return status;
    }
    ch.isa = CORE_ISA_SCALAR;
    if (k->kernel == SPL_TRANSFORM && !try_position(&ch, SPL_POS_G, SPL_TW_NONE))
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                         "there is no codelet for DFT_%lld (see sluice-gen --list)",
                         (long long)k->n);
    for (int i = 0; i < k->ntwiddles; i++) {
        const prog_twiddle *w = &k->twiddle[i];
        op->diagonal[i] = spl_diagonal_open(w->values, w->n, w->m);
        if (!op->diagonal[i])
            return core_fail_memory(why);
    }
    op->codelet = k->kernel == SPL_TRANSFORM ? op->codelet : NULL;
    op->swap = false; /* cpu_eval exchanges re and im itself */
    return SLUICE_OK;
}

sluice_status cpu_select_transfer(cpu_program *p, const cpu_nest *nest, cpu_op *op,
                                  sluice_diag *why)
{
    const prog_stmt *s = nest->kern;
    cpu_choice ch = {.p = p, .nest = nest, .op = op};
    bool linear = false;

    *op = (cpu_op){.op = CPU_EVAL, .stmt = s, .in = s->in, .out = s->out};
    op->packets.scalar = p->scalar;
    op->packets.split_in = p->buf[s->in].format == SPL_SPLIT;
    op->packets.split_out = p->buf[s->out].format == SPL_SPLIT;
    if (!cpu_read_address(nest, s->fin, &ch.in, &linear)
        || !cpu_read_address(nest, s->fout, &ch.out, &linear)
        || !cpu_packets_of(&op->packets, s->fin, s->fout, s->n))
        return SLUICE_OK; /* address by address */
    op->op = CPU_COPY;
    op->in_at = (ptrdiff_t)ch.in.c * (op->packets.split_in ? 1 : 2);
    op->out_at = (ptrdiff_t)ch.out.c * (op->packets.split_out ? 1 : 2);
    op->packets.past = s->put && cpu_outgrows(&ch);
    p->streams = p->streams || op->packets.past;
    return cpu_fill_steps(&ch, why);
}
