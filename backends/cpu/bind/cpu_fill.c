// SPDX-License-Identifier: BSD-3-Clause
/* From a chosen codelet to an op: strides, loops, tables, stores. */
#include <string.h>

#include "backends/cpu/bind/cpu_choice.h"
#include "core/mem.h"
#include "core/status.h"

/* Results outgrow the caches beyond CPU_FAR_STORES local stores. The levels that units share may
 * hold the lines of more that is written in place, and of what was or will be read besides. */
enum { PLACE_STORES = 16, AGAIN_STORES = 32 };
/* Beyond so many, tiles are read from memory. */
enum { MEMORY_STORES = 32 };

bool cpu_address_uses(const cpu_address *a, const prog_stmt *loop)
{
    return loop && a->loop[loop->range.var] != 0;
}

/* What twiddles depend on: a loop, ext 0, or a digit of its variable. */
typedef struct table_dim {
    int var;
    int64_t div, ext, size, coef;
} table_dim;

enum { MAX_DIMS = 2 * IX_MAX_VARS + IX_MAX_TERMS };

static int digit_dims(const cpu_choice *ch, int v, table_dim *out)
{
    const ix *f = ch->nest->kern->twiddle[0].f;
    int count = 0;

    for (int t = 0; ch->tw.digits[v] && t < f->nt; t++)
        if (f->t[t].src == v)
            out[count++] = (table_dim){.var = v,
                                       .div = f->t[t].div,
                                       .ext = f->t[t].ext,
                                       .size = f->t[t].ext,
                                       .coef = f->t[t].coef};
    return count;
}

/* The loops that the twiddles depend on, but for those the codelet takes over: the outer dimensions
 * of the table, innermost first. Returns how many. */
static int table_dims(const cpu_choice *ch, table_dim *out)
{
    const cpu_nest *nest = ch->nest;
    int count = 0;

    for (int i = nest->outer_count + nest->count - 1; i >= 0; i--) {
        const prog_stmt *s =
            i < nest->outer_count ? nest->outer[i] : nest->loop[i - nest->outer_count];
        if (s == ch->cols || s == ch->rows)
            continue;
        if (cpu_address_uses(&ch->tw, s))
            out[count++] = (table_dim){
                .var = s->range.var, .size = s->range.n, .coef = ch->tw.loop[s->range.var]};
        count += digit_dims(ch, s->range.var, out + count);
    }
    return count;
}

/* The dimensions of the twiddle table: table_dims, the op's own loop last. */
bool cpu_table_key_of(const cpu_choice *ch, cpu_table_form form, cpu_table_key *key)
{
    const prog_twiddle *tw = &ch->nest->kern->twiddle[0];
    const prog_stmt *last = form == CPU_TW_BROADCAST ? ch->rows : ch->cols;
    table_dim dim[MAX_DIMS];

    memset(key, 0, sizeof *key);
    key->form = form;
    key->precision = ch->p->precision;
    key->lanes = ch->op->codelet->key.lanes;
    key->conjugate = tw->conjugate != ch->op->swap;
    key->values = tw->values;
    key->n = tw->n;
    key->m = tw->m;
    key->rows = ch->nest->kern->n;
    key->c = ch->tw.c;
    key->row = ch->tw.row;
    key->dims = table_dims(ch, dim);
    if (key->dims >= CPU_TABLE_DIMS)
        return false;
    for (int d = 0; d < key->dims; d++) {
        key->size[d] = dim[d].size;
        key->coef[d] = dim[d].coef;
    }
    if (last || form != CPU_TW_BROADCAST) {
        key->size[key->dims] = last ? last->range.n : 1;
        key->coef[key->dims++] = last ? ch->tw.loop[last->range.var] : 0;
        key->tail = form != CPU_TW_BROADCAST && form != CPU_TW_PRODUCT
                    && key->size[key->dims - 1] > key->lanes;
    }
    return true;
}

spl_format cpu_buffer_format(const cpu_choice *ch, int buffer)
{
    return ch->p->buf[buffer].format;
}

cpu_table_form cpu_vector_form(const cpu_choice *ch)
{
    const spl_key *key = &ch->op->codelet->key;

    if (key->position == SPL_POS_A)
        return key->compute == SPL_INTER ? CPU_TW_INTER_VECTOR : CPU_TW_SPLIT_VECTOR;
    return key->compute == SPL_INTER ? CPU_TW_INTER_FULL : CPU_TW_FULL_VECTOR;
}

static ptrdiff_t unit_of(const cpu_choice *ch, int buffer)
{
    return cpu_buffer_format(ch, buffer) == SPL_INTER ? 2 : 1;
}

static sluice_status fill_offsets(cpu_choice *ch, sluice_diag *why)
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

static void fill_call(cpu_choice *ch)
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

/* Scalars of the table that one step of a loop, or of a digit of it, skips; 0 where the twiddles do
 * not depend on it. */
static ptrdiff_t table_stride(const cpu_choice *ch, int v, int64_t div, int64_t ext)
{
    table_dim dim[MAX_DIMS];
    const int count = ch->op->table ? table_dims(ch, dim) : 0;

    for (int d = 0; d < count; d++)
        if (dim[d].var == v && dim[d].div == div && dim[d].ext == ext)
            return (ptrdiff_t)ch->op->table->stride[d];
    return 0;
}

bool cpu_add_step(cpu_op *op, const cpu_step *step)
{
    if (step->in == 0 && step->out == 0 && step->tw == 0)
        return true;
    for (int i = 0; i < op->nsteps; i++) {
        cpu_step *s = &op->step[i];
        if (s->var == step->var && s->div == step->div && s->ext == step->ext) {
            s->in += step->in;
            s->out += step->out;
            s->tw += step->tw;
            return true;
        }
    }
    if (op->nsteps == CPU_MAX_STEPS)
        return false;
    op->step[op->nsteps++] = *step;
    return true;
}

/* The digits of variable v in the twiddles' table. */
static bool add_table_digits(const cpu_choice *ch, int v)
{
    table_dim dim[MAX_DIMS];
    const int count = ch->op->table ? digit_dims(ch, v, dim) : 0;

    for (int d = 0; d < count; d++) {
        const cpu_step step = {.var = v,
                               .div = dim[d].div,
                               .ext = dim[d].ext,
                               .tw = table_stride(ch, v, dim[d].div, dim[d].ext)};
        if (!cpu_add_step(ch->op, &step))
            return false;
    }
    return true;
}

/* The digits of variable v in both address functions. */
static bool add_digits(const cpu_choice *ch, int v)
{
    const ptrdiff_t iu = unit_of(ch, ch->op->in), ou = unit_of(ch, ch->op->out);

    for (int side = 0; side < 2; side++) {
        const ix *f = side ? ch->nest->kern->fout : ch->nest->kern->fin;
        if (!(side ? &ch->out : &ch->in)->digits[v])
            continue;
        for (int t = 0; t < f->nt; t++) {
            const cpu_step step = {.var = v,
                                   .div = f->t[t].div,
                                   .ext = f->t[t].ext,
                                   .in = side ? 0 : (ptrdiff_t)f->t[t].coef * iu,
                                   .out = side ? (ptrdiff_t)f->t[t].coef * ou : 0};
            if (f->t[t].src == v && !cpu_add_step(ch->op, &step))
                return false;
        }
    }
    return true;
}

sluice_status cpu_fill_steps(cpu_choice *ch, sluice_diag *why)
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
                               .tw = table_stride(ch, v, 0, 0)};
        if (!cpu_add_step(op, &step) || !add_digits(ch, v) || !add_table_digits(ch, v))
            return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                             "more than %d digits of loops around one kernel", CPU_MAX_STEPS);
    }
    return SLUICE_OK;
}

static cpu_table_form form_of(const cpu_choice *ch)
{
    switch (ch->op->codelet->key.tw) {
    case SPL_TW_BROADCAST: return CPU_TW_BROADCAST;
    case SPL_TW_FACTORED: return CPU_TW_PRODUCT;
    case SPL_TW_FACTORED_SHARED: return CPU_TW_INTER_VECTOR;
    default: return cpu_vector_form(ch);
    }
}

static sluice_status fill_twiddles(cpu_choice *ch, sluice_diag *why)
{
    cpu_op *op = ch->op;
    cpu_tables *tables = ch->p->owner->tables;
    cpu_table_key key, rows, grid;
    const cpu_table_key *own = &key;
    sluice_status status = SLUICE_OK;

    if (!ch->has_tw)
        return SLUICE_OK;
    if (!cpu_table_key_of(ch, form_of(ch), &key))
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "twiddles that depend on more than %d loops",
                         CPU_TABLE_DIMS);
    if (op->codelet->key.tw == SPL_TW_FACTORED_SHARED && cpu_table_as_grid(&key, &rows, &grid)) {
        status = cpu_table_get(tables, &grid, &op->grid, why);
        own = &rows;
    }
    if (status == SLUICE_OK)
        status = cpu_table_get(tables, own, &op->table, why);
    if (status == SLUICE_OK) {
        op->call.tw = op->table->data;
        op->call.grid = op->grid ? op->grid->data : NULL;
    }
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

static bool may_overlap(const cpu_choice *ch)
{
    const prog_space in = ch->p->buf[ch->op->in].space, out = ch->p->buf[ch->op->out].space;

    if (ch->op->in == ch->op->out)
        return false;
    return !(ch->p->body->sides.in_place && in <= PROG_OUT && out <= PROG_OUT);
}

static bool reads(const prog *body, const prog_stmt *s, int buffer)
{
    const bool alias = body->sides.in_place && body->buf[buffer].space == PROG_OUT && s->in == 0;

    return (s->op == PROG_KERN || s->op == PROG_COPY) && (s->in == buffer || alias);
}

/* Where the program reads a buffer: in the outermost loop around the kernel, by statements before
 * it or not; after that loop; anywhere. */
typedef struct cpu_reads {
    bool before, near, later, ever;
} cpu_reads;

static cpu_reads find_reads(const cpu_choice *ch, int buffer)
{
    const prog *body = ch->p->body;
    const size_t kern = (size_t)(ch->nest->kern - body->stmt);
    cpu_reads r = {false, false, false, false};

    for (size_t from = 0, to; from < body->nstmts; from = to) {
        to = body->stmt[from].op == PROG_LOOP ? body->stmt[from].end : from + 1;
        const bool around = from <= kern && kern < to;
        for (size_t i = from; i < to; i++) {
            if (!reads(body, &body->stmt[i], buffer))
                continue;
            r.ever = true;
            r.later = r.later || from > kern;
            r.before = r.before || (around && i < kern);
            r.near = r.near || (around && i >= kern);
        }
    }
    return r;
}

/* Is what the kernel writes far away when it is read again? Not where the outermost loop reads it
 * afterwards; where it did so before, lines are still near, unless rows of a tile have pushed each
 * other out. */
bool cpu_outgrows(const cpu_choice *ch)
{
    const prog_buf *b = &ch->p->body->buf[ch->op->out];
    const bool out = b->space == PROG_OUT;
    const size_t element = 2 * ch->p->scalar;
    const size_t bytes = element * (size_t)(out ? ch->p->body->cols : b->elems);
    const bool tile = ch->cols && (size_t)ch->op->cols.n * element <= CPU_TILE_BYTES
                      && (size_t)ch->op->call.os * ch->p->scalar >= CPU_PAGE_BYTES;
    const cpu_reads r = find_reads(ch, ch->op->out);
    const bool again = !out || r.later || r.before;
    const size_t stores = again ? AGAIN_STORES : r.ever ? PLACE_STORES : CPU_FAR_STORES;

    return !r.near && (!r.before || tile) && bytes > stores * ch->p->owner->local_store;
}

/* What outgrows the caches is stored past them, where the codelet stores whole lines and strides
 * keep them whole (the pointer is looked at when running). */
static void choose_store(cpu_choice *ch)
{
    cpu_op *op = ch->op;
    spl_key key = op->codelet->key;
    const ptrdiff_t line = 64 / (ptrdiff_t)ch->p->scalar;
    const ptrdiff_t apart = key.position == SPL_POS_D   ? 0
                            : key.position == SPL_POS_W ? op->call.ocs
                                                        : op->call.os;

    if (!cpu_outgrows(ch))
        return;
    if (apart % line != 0 || op->call.oouter % line != 0 || op->out_at % line != 0)
        return;
    for (int i = 0; i < op->nsteps; i++)
        if (op->step[i].out % line != 0)
            return;
    key.nt = true;
    op->codelet_nt = cpu_codelet_find(&key);
    ch->p->streams = ch->p->streams || op->codelet_nt;
}

/* Whole transforms one after the other, more of them than the caches hold: the hardware's
 * prefetching alone leaves part of what memory gives (2^22 points in place, in double precision: 4.5
 * to 6 ms, with this 3.3 to 4). Where results are stored past the caches it makes no difference. */
static void choose_ahead(cpu_choice *ch)
{
    cpu_op *op = ch->op;
    const prog_buf *b = &ch->p->body->buf[op->in];
    const size_t element = 2 * ch->p->scalar, n = (size_t)op->codelet->key.n;
    const size_t lanes = (size_t)op->codelet->key.lanes;
    const spl_position position = op->codelet->key.position;

    if (op->codelet_nt || n * element > CPU_AHEAD_BYTES)
        return;
    if (position != SPL_POS_W && position != SPL_POS_T && position != SPL_POS_D)
        return;
    if (b->space != PROG_IN || cpu_buffer_format(ch, op->in) != SPL_INTER || !ch->cols
        || op->call.ics != 2 * (ptrdiff_t)n
        || (size_t)b->elems * element <= CPU_FAR_STORES * ch->p->owner->local_store)
        return;
    op->ahead = (CPU_AHEAD_BYTES / (n * element) + lanes - 1) / lanes * lanes;
    op->ahead_bytes = op->ahead * n * element;
}

/* Columns of a tile that is far away: every row is in a line of its own, and a core that has the
 * arithmetic of a set to do looks too few loads ahead (2^21 points in double precision 23 ms,
 * with this 17). Long rows the hardware prefetches. */
static void choose_sets(cpu_choice *ch)
{
    cpu_op *op = ch->op;
    const cpu_nest *nest = ch->nest;
    const prog_buf *b = &ch->p->body->buf[op->in];
    const size_t element = 2 * ch->p->scalar;
    const prog_stmt *around = nest->outer_count ? nest->outer[nest->outer_count - 1] : NULL;

    if (!ch->cols || !ch->rows || cpu_buffer_format(ch, op->in) != SPL_INTER
        || op->codelet->key.tw != SPL_TW_BROADCAST)
        return;
    if ((size_t)op->cols.n * element > CPU_TILE_BYTES
        || (size_t)b->elems * element <= CPU_TILE_STORES * ch->p->owner->local_store)
        return;
    for (int i = 0; i < nest->count; i++)
        if (nest->loop[i] != ch->cols && nest->loop[i] != ch->rows)
            around = nest->loop[i];
    op->sets = true;
    op->far = (size_t)b->elems * element > MEMORY_STORES * ch->p->owner->local_store;
    op->turn = around ? (ptrdiff_t)((size_t)ch->in.loop[around->range.var] * element) : 0;
}

static void fill_tail(const cpu_choice *ch)
{
    cpu_op *op = ch->op;
    const spl_key *key = &op->codelet->key;
    const bool rows_in = key->position == SPL_POS_T || key->position == SPL_POS_D;

    op->tail = (cpu_tail){.run = op->codelet->run,
                          .n = key->n,
                          .lanes = key->lanes,
                          .split_in = key->in == SPL_SPLIT,
                          .split_out = key->out == SPL_SPLIT,
                          .rows_in = rows_in,
                          .rows_out = rows_in || key->position == SPL_POS_A,
                          .tw = key->tw,
                          .overlap = may_overlap(ch),
                          .columns = (size_t)op->cols.n,
                          .block = op->grid    ? op->grid->block
                                   : op->table ? op->table->block
                                               : 0,
                          .scalar = ch->p->scalar};
}

sluice_status cpu_fill(cpu_choice *ch, bool *taken, sluice_diag *why)
{
    const cpu_range one = {.n = 1, .share_var = -1, .shares = 1, .grain = 1};
    cpu_op *op = ch->op;

    op->op = CPU_KERN;
    op->cols = ch->cols ? cpu_range_of(&ch->cols->range) : one;
    op->rows = ch->rows ? cpu_range_of(&ch->rows->range) : one;
    op->cols.grain = whole_grain(op->cols.grain, op->codelet->key.lanes);
    for (int i = 0; i < ch->nest->count; i++)
        taken[i] = ch->nest->loop[i] == ch->cols || ch->nest->loop[i] == ch->rows;
    fill_call(ch);
    sluice_status status = fill_twiddles(ch, why);
    if (status == SLUICE_OK)
        status = cpu_fill_steps(ch, why);
    if (status == SLUICE_OK && op->codelet->key.position == SPL_POS_G)
        status = fill_offsets(ch, why);
    choose_store(ch);
    choose_ahead(ch);
    choose_sets(ch);
    fill_tail(ch);
    return status;
}
