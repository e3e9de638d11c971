// SPDX-License-Identifier: BSD-3-Clause
/* Makes an op of a chosen codelet: strides, loops, tables. */
#include <string.h>

#include "core/mem.h"
#include "core/number.h"
#include "core/status.h"
#include "spl/bind/bind_choice.h"

/* A dimension of a twiddle table: a loop (ext 0), or a digit of its variable. */
typedef struct table_dim {
    int var;
    int64_t div, ext, size, coef;
} table_dim;

enum { MAX_DIMS = 2 * IX_MAX_VARS + IX_MAX_TERMS };

static int digit_dims(const prog_access *tw, int v, table_dim *out)
{
    int count = 0;

    for (int t = 0; tw->digits[v] && t < tw->f->nt; t++) {
        const ix_term *x = &tw->f->t[t];
        if (x->src == v)
            out[count++] = (table_dim){v, x->div, x->ext, x->ext, x->coef};
    }
    return count;
}

/* Is it the loop over blocks? Each block then has entries of a table to itself. */
static bool is_over_blocks(const bind_choice *ch, const prog_stmt *loop)
{
    return ch->tape->body->blocks > 0 && loop->range.kind == SPL_STREAM;
}

/* Lists the outer dimensions of the table, and returns how many: the loops that the twiddles depend
 * on and the codelet does not take over. The loop over blocks is first, then the innermost loop. */
static int table_dims(const bind_choice *ch, table_dim *out)
{
    const prog_stage *stage = ch->stage;
    const int loops = stage->outer_count + stage->count;
    int count = 0;

    for (int i = 2 * loops - 1; i >= 0; i--) {
        const int at = i % loops;
        const prog_stmt *s =
            at < stage->outer_count ? stage->outer[at] : stage->loop[at - stage->outer_count];
        if (s == ch->cols || s == ch->outer || is_over_blocks(ch, s) != (i >= loops))
            continue;
        if (bind_factors_use(ch, s))
            out[count++] = (table_dim){
                .var = s->range.var, .size = s->range.n, .coef = ch->tw.loop[s->range.var]};
        count += digit_dims(&ch->tw, s->range.var, out + count);
    }
    return count;
}

bool bind_factors_use(const bind_choice *ch, const prog_stmt *loop)
{
    bool uses = prog_access_uses(&ch->tw, loop);

    for (int a = 0; a + 1 < ch->nfactors; a++)
        uses = uses || prog_access_uses(&ch->also[a], loop);
    return uses;
}

_Static_assert((int)BIND_TABLE_FACTORS == (int)PROG_MAX_TWIDDLES, "a table holds all of them");

/* Adds the diagonals after the first, along the dimensions of these loop variables (-1: none). */
static void add_factors(const bind_choice *ch, const int *var, bind_table_key *key)
{
    key->nalso = ch->nfactors - 1;
    for (int a = 0; a < key->nalso; a++) {
        const prog_twiddle *tw = ch->factor[a + 1];
        const prog_access *at = &ch->also[a];
        bind_factor *b = &key->also[a];
        b->values = tw->values;
        b->conjugate = tw->conjugate != ch->op->swap;
        b->n = tw->n;
        b->m = tw->m;
        b->c = at->c;
        b->row = at->row;
        for (int d = 0; d < key->dims; d++)
            b->coef[d] = var[d] < 0 ? 0 : at->loop[var[d]];
    }
}

/* Adds the dimension of the loop that the op takes over; NULL: one iteration. */
static void add_own_dimension(const bind_choice *ch, const prog_stmt *own, int *var,
                              bind_table_key *key)
{
    const int d = key->dims++;

    key->size[d] = own ? own->range.n : 1;
    key->coef[d] = own ? ch->tw.loop[own->range.var] : 0;
    var[d] = own ? own->range.var : -1;
    key->tail = key->form != BIND_TW_BROADCAST && key->form != BIND_TW_FACTORED
                && key->size[d] > key->lanes;
}

/* Sets all fields except the dimensions. */
static void set_values(const bind_choice *ch, bind_table_form form, bind_table_key *key)
{
    const prog_twiddle *tw = ch->factor[0];

    memset(key, 0, sizeof *key);
    key->form = form;
    key->precision = ch->tape->precision;
    key->lanes = ch->op->codelet->key.lanes;
    key->spread = spl_spreads_factors(&ch->op->codelet->key);
    key->conjugate = tw->conjugate != ch->op->swap;
    key->scale = ch->scale;
    key->exact = ch->tape->target->reproducible;
    key->values = tw->values;
    key->n = tw->n;
    key->m = tw->m;
    key->rows = ch->stage->stmt->n;
    if (ch->stage->stmt->kernel == SPL_PAIR) { /* one row per factor */
        key->rows = ch->nfactors + (form == BIND_TW_BROADCAST ? 1 : 0);
        key->apart = ch->nfactors > 1;
        key->scale = spl_pairs_def_of((spl_pairs_kind)ch->stage->stmt->kind)->scale;
    }
    key->c = ch->tw.c;
    key->row = ch->tw.row;
}

/* The dimensions of the twiddle table are table_dims, then the op's own loop. */
bool bind_table_key_of(const bind_choice *ch, bind_table_form form, bind_table_key *key)
{
    const prog_stmt *last = form == BIND_TW_BROADCAST ? ch->outer : ch->cols;
    table_dim dim[MAX_DIMS];
    int var[BIND_TABLE_DIMS];

    set_values(ch, form, key);
    key->dims = table_dims(ch, dim);
    if (key->dims >= BIND_TABLE_DIMS)
        return false;
    for (int d = 0; d < key->dims; d++) {
        key->size[d] = dim[d].size;
        key->coef[d] = dim[d].coef;
        var[d] = dim[d].var;
    }
    if (last || form != BIND_TW_BROADCAST)
        add_own_dimension(ch, last, var, key);
    add_factors(ch, var, key);
    return true;
}

bind_table_form bind_vector_form(const bind_choice *ch)
{
    const spl_key *key = &ch->op->codelet->key;

    if (key->position == SPL_POS_A)
        return key->compute == SPL_INTER ? BIND_TW_INTER_VECTOR : BIND_TW_SPLIT_VECTOR;
    return key->compute == SPL_INTER ? BIND_TW_INTER_FULL : BIND_TW_FULL_VECTOR;
}

static sluice_status fill_offsets(bind_choice *ch, sluice_diag *why)
{
    static const int64_t zeros[IX_MAX_VARS];
    const prog_stmt *k = ch->stage->stmt;
    bind_op *op = ch->op;

    op->offsets = core_calloc((size_t)k->n * 2, sizeof *op->offsets);
    if (!op->offsets)
        return core_fail_memory(why);
    const int64_t in_step = k->fin->n / k->n, out_step = k->fout->n / k->n;
    for (int64_t i = 0; i < k->n; i++) {
        op->offsets[i] =
            (ptrdiff_t)(ix_eval(k->fin, i * in_step, zeros) - ch->in.at.c) * ch->in.unit;
        op->offsets[k->n + i] =
            (ptrdiff_t)(ix_eval(k->fout, i * out_step, zeros) - ch->out.at.c) * ch->out.unit;
    }
    op->call.in_off = op->offsets;
    op->call.out_off = op->offsets + k->n;
    return SLUICE_OK;
}

static void fill_call(bind_choice *ch)
{
    bind_op *op = ch->op;
    const ptrdiff_t iu = ch->in.unit, ou = ch->out.unit;

    op->call.is = (ptrdiff_t)ch->in.at.row * iu;
    op->call.os = (ptrdiff_t)ch->out.at.row * ou;
    op->call.inverse = prog_is_inverse(ch->stage->stmt);
    op->in_im = ch->in.im;
    op->out_im = ch->out.im;
    op->in_offset = (ptrdiff_t)ch->in.at.c * iu;
    op->out_offset = (ptrdiff_t)ch->out.at.c * ou;
    if (ch->cols) {
        op->call.ics = (ptrdiff_t)ch->in.at.loop[ch->cols->range.var] * iu;
        op->call.ocs = (ptrdiff_t)ch->out.at.loop[ch->cols->range.var] * ou;
    } else {
        op->call.ics = iu;
        op->call.ocs = ou;
    }
    if (ch->parts)
        op->call.ics = op->call.ocs = 1;
    if (ch->outer) {
        op->call.iouter = (ptrdiff_t)ch->in.at.loop[ch->outer->range.var] * iu;
        op->call.oouter = (ptrdiff_t)ch->out.at.loop[ch->outer->range.var] * ou;
    }
}

/* Row 1 of pairs has an address function of its own, as has im of a single mirrored row. */
static void fill_second_row(const bind_choice *ch)
{
    bind_op *op = ch->op;
    spl_call *call = &op->call;
    const ptrdiff_t iu = ch->in.unit, ou = ch->out.unit;

    op->mirrored[0] = ch->in.format == SPL_MIRROR;
    op->mirrored[1] = ch->out.format == SPL_MIRROR;
    if (bind_has_second(ch, &ch->in))
        call->is = (ptrdiff_t)(ch->in.second.c - ch->in.at.c) * iu;
    if (bind_has_second(ch, &ch->out))
        call->os = (ptrdiff_t)(ch->out.second.c - ch->out.at.c) * ou;
    call->ics1 = call->ics;
    call->ocs1 = call->ocs;
    if (ch->cols && bind_has_second(ch, &ch->in))
        call->ics1 = (ptrdiff_t)ch->in.second.loop[ch->cols->range.var] * iu;
    if (ch->cols && bind_has_second(ch, &ch->out))
        call->ocs1 = (ptrdiff_t)ch->out.second.loop[ch->cols->range.var] * ou;
}

bool bind_add_step(bind_op *op, const bind_step *step)
{
    if (!step->in && !step->out && !step->tw && !step->is && !step->os)
        return true;
    for (int i = 0; i < op->nsteps; i++) {
        bind_step *s = &op->step[i];
        if (s->var == step->var && s->div == step->div && s->ext == step->ext) {
            s->in += step->in;
            s->out += step->out;
            s->tw += step->tw;
            s->is += step->is;
            s->os += step->os;
            return true;
        }
    }
    if (op->nsteps == BIND_MAX_STEPS)
        return false;
    op->step[op->nsteps++] = *step;
    return true;
}

/* Adds a step for each digit of variable v in an address; a unit of it moves the op by `by`. */
static bool add_digits(bind_op *op, const prog_access *a, int v, bind_step by)
{
    for (int t = 0; a->digits[v] && t < a->f->nt; t++) {
        const ix_term *x = &a->f->t[t];
        const ptrdiff_t c = (ptrdiff_t)x->coef;
        const bind_step step = {.var = v,
                                .div = x->div,
                                .ext = x->ext,
                                .in = c * by.in,
                                .out = c * by.out,
                                .is = c * by.is,
                                .os = c * by.os};
        if (x->src == v && !bind_add_step(op, &step))
            return false;
    }
    return true;
}

/* Adds the steps of variable v in the addresses of both sides and, for pairs, in those of row 1. */
static bool add_address_steps(const bind_choice *ch, int v)
{
    const ptrdiff_t iu = ch->in.unit, ou = ch->out.unit;
    const bool is = bind_has_second(ch, &ch->in), os = bind_has_second(ch, &ch->out);
    bind_op *op = ch->op;
    bind_step step = {.var = v,
                      .in = (ptrdiff_t)ch->in.at.loop[v] * iu,
                      .out = (ptrdiff_t)ch->out.at.loop[v] * ou};

    if (is)
        step.is = (ptrdiff_t)ch->in.second.loop[v] * iu - step.in;
    if (os)
        step.os = (ptrdiff_t)ch->out.second.loop[v] * ou - step.out;
    return bind_add_step(op, &step)
           && add_digits(op, &ch->in.at, v, (bind_step){.in = iu, .is = is ? -iu : 0})
           && add_digits(op, &ch->out.at, v, (bind_step){.out = ou, .os = os ? -ou : 0})
           && add_digits(op, &ch->in.second, v, (bind_step){.is = iu})
           && add_digits(op, &ch->out.second, v, (bind_step){.os = ou});
}

/* Adds the steps of variable v, or of digits of it, in the table of twiddles. */
static bool add_table_steps(const bind_choice *ch, int v)
{
    table_dim dim[MAX_DIMS];
    const int count = ch->op->table ? table_dims(ch, dim) : 0;

    for (int d = 0; d < count; d++) {
        const bind_step step = {.var = v,
                                .div = dim[d].div,
                                .ext = dim[d].ext,
                                .tw = (ptrdiff_t)ch->op->table->stride[d]};
        if (dim[d].var == v && !bind_add_step(ch->op, &step))
            return false;
    }
    return true;
}

sluice_status bind_fill_steps(bind_choice *ch, sluice_diag *why)
{
    for (int i = 0; i < prog_stage_loops(ch->stage); i++) {
        const prog_stmt *s = prog_stage_loop(ch->stage, i);
        const int v = s->range.var;
        if (s == ch->cols || s == ch->outer)
            continue;
        if (!add_address_steps(ch, v) || !add_table_steps(ch, v))
            return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                             "more than %d digits of loops around one kernel", BIND_MAX_STEPS);
    }
    return SLUICE_OK;
}

static bind_table_form form_of(const bind_choice *ch)
{
    switch (ch->op->codelet->key.tw) {
    case SPL_TW_BROADCAST: return BIND_TW_BROADCAST;
    case SPL_TW_FACTORED: return BIND_TW_FACTORED;
    case SPL_TW_FACTORED_SHARED: return BIND_TW_INTER_VECTOR;
    default: return bind_vector_form(ch);
    }
}

static sluice_status fill_twiddles(bind_choice *ch, sluice_diag *why)
{
    bind_op *op = ch->op;
    bind_tables *tables = ch->tape->target->tables;
    bind_table_key key, rows, shared;
    const bind_table_key *own = &key;
    sluice_status status = SLUICE_OK;

    if (!ch->has_tw)
        return SLUICE_OK;
    if (!bind_table_key_of(ch, form_of(ch), &key))
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "twiddles that depend on more than %d loops",
                         BIND_TABLE_DIMS);
    if (op->codelet->key.tw == SPL_TW_FACTORED_SHARED
        && bind_table_split_shared(&key, &rows, &shared)) {
        status = bind_table_get(tables, &shared, ch->tape->sketch, &op->shared_table, why);
        own = &rows;
    }
    if (status == SLUICE_OK)
        status = bind_table_get(tables, own, ch->tape->sketch, &op->table, why);
    if (status == SLUICE_OK) {
        op->call.tw = op->table->data;
        op->call.tw_shared = op->shared_table ? op->shared_table->data : NULL;
    }
    return status;
}

/* Rounds a grain up so that shares of columns begin at whole vectors. */
static int64_t whole_grain(int64_t grain, int64_t lanes)
{
    return grain / core_gcd(grain, lanes) * lanes;
}

/* Adjacent scalars of a result; see bind_tail.unit. */
static int unit_of_results(const bind_op *op)
{
    const spl_key *key = &op->codelet->key;

    if (key->position == SPL_POS_P)
        return key->n;
    return key->out == SPL_INTER && !op->mirrored[1] ? 2 : 1;
}

void bind_fill_tail(bind_choice *ch)
{
    bind_op *op = ch->op;
    const spl_key *key = &op->codelet->key;
    const bool rows = bind_reads_rows_in_sequence(key);

    op->cols.grain = whole_grain(op->cols.grain, key->lanes);
    op->tail = (bind_tail){.run = op->codelet->run,
                           .n = bind_codelet_inputs(ch->stage->stmt),
                           .outputs = bind_codelet_outputs(ch->stage->stmt),
                           .lanes = key->lanes,
                           .unit = unit_of_results(op),
                           .in = op->mirrored[0] ? SPL_MIRROR : key->in,
                           .out = op->mirrored[1] ? SPL_MIRROR : key->out,
                           .rows_in = rows || key->position == SPL_POS_R,
                           .rows_out = rows || key->position == SPL_POS_A,
                           .pairs = ch->stage->stmt->kernel == SPL_PAIR,
                           .tw = key->tw,
                           .sets = bind_runs_sets(key),
                           .may_start_early = !prog_share_memory(ch->tape->body, op->in, op->out),
                           .repeats = key->position == SPL_POS_M,
                           .columns = (size_t)op->cols.n,
                           .block = op->shared_table ? op->shared_table->block
                                    : op->table      ? op->table->block
                                                     : 0,
                           .scalar = ch->tape->scalar};
    bind_find_shorter(ch);
}

/* The op takes over the loops over its columns and sets. */
static void take_loops(bind_choice *ch, bool *taken)
{
    ch->op->cols = ch->cols ? bind_range_of(&ch->cols->range) : bind_range_alone(1);
    ch->op->outer = ch->outer ? bind_range_of(&ch->outer->range) : bind_range_alone(1);
    for (int i = 0; i < ch->stage->count; i++)
        taken[i] = ch->stage->loop[i] == ch->cols || ch->stage->loop[i] == ch->outer;
}

sluice_status bind_fill(bind_choice *ch, bool *taken, sluice_diag *why)
{
    bind_op *op = ch->op;

    op->op = BIND_KERN;
    take_loops(ch, taken);
    if (ch->parts) {
        op->cols.n *= 2;
        op->cols.grain *= 2;
    }
    fill_call(ch);
    if (bind_has_second(ch, &ch->in) || bind_has_second(ch, &ch->out))
        fill_second_row(ch);
    sluice_status status = fill_twiddles(ch, why);
    if (status == SLUICE_OK)
        status = bind_fill_steps(ch, why);
    if (status == SLUICE_OK && op->codelet->key.position == SPL_POS_G
        && ch->stage->stmt->kernel != SPL_PAIR)
        status = fill_offsets(ch, why);
    bind_fill_tail(ch);
    return status;
}

sluice_status bind_fill_move(bind_choice *ch, bool *taken, sluice_diag *why)
{
    bind_op *op = ch->op;

    op->op = BIND_MOVE;
    op->moved = bind_moved_of(ch->stage->stmt, ch->in.format, ch->out.format);
    op->codelet = NULL;
    op->swap = false;
    op->var = ch->cols->range.var;
    take_loops(ch, taken);
    fill_call(ch);
    fill_second_row(ch);
    bind_prefer_fold(ch, ch->in.format, ch->out.format);
    const sluice_status status = bind_fill_steps(ch, why);
    if (status == SLUICE_OK && op->op == BIND_KERN)
        bind_choose_memory(ch);
    return status;
}
