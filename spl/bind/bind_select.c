// SPDX-License-Identifier: BSD-3-Clause
/* Chooses the codelet that runs a stage and the loops that it takes over. The VEC loop becomes the
 * codelet's columns. Rows (elements of the kernel) have strides ei on the input and eo on the
 * output, columns ci and co, in elements:
 *     ei = eo = 1, no twiddles                         W, T or D, whatever the sides' formats; S
 *     ci = co = 1, no twiddles                         C   DFT_n (x) I_nu
 *     ci = co = 1, twiddles the same for all columns   B, which takes over a second loop
 *     ci = co = 1, other twiddles                      C, as products if the table is large
 *     ci = eo = 1                                      A, preferably broadcast twiddles or grids
 *     ei = co = 1, no twiddles                         R
 *     anything else                                    G; single elements a MOVE, reals one by one
 * Without a VEC loop one transform runs at a time: W of the best ISA, else, for any strides, C with
 * vectors of one complex number (bind_strided.c), else the scalar codelets. */
#include <stdlib.h>

#include "core/mem.h"
#include "core/status.h"
#include "spl/bind/bind_choice.h"
#include "spl/bind/bind_factors.h"
#include "spl/program/hook.h"

/* A twiddle table larger than a local store divided by this is split into two factors. */
enum { FACTORED_SHARE = 2 };

/* Has the loop one stride on either side, so that a codelet can take it over? */
static bool has_strides(const bind_choice *ch, const prog_stmt *loop)
{
    const int v = loop ? loop->range.var : 0;

    return !loop
           || (!ch->in.at.digits[v] && !ch->in.second.digits[v] && !ch->out.at.digits[v]
               && !ch->out.second.digits[v]);
}

bool bind_may_take(const bind_choice *ch, const prog_stmt *loop)
{
    return !bind_encloses_stages(ch, loop) && !bind_is_shared(ch->stage, loop)
           && has_strides(ch, loop);
}

/* Chooses the loop over sets of broadcast twiddles: the innermost loop that they depend on. */
static void choose_sets(bind_choice *ch)
{
    for (int i = 0; i < ch->stage->count; i++) {
        const prog_stmt *s = ch->stage->loop[i];
        if (s == ch->cols || !bind_may_take(ch, s) || ch->tw.digits[s->range.var])
            continue;
        if (bind_factors_use(ch, s))
            ch->outer = s;
    }
}

bool bind_try_codelet(bind_choice *ch, const spl_key *key)
{
    ch->op->codelet = bind_codelet_find(ch->tape->target, key);
    ch->op->swap = prog_is_inverse(ch->stage->stmt) && key->compute == SPL_SPLIT;
    return ch->op->codelet != NULL;
}

spl_key bind_key_of(const bind_choice *ch, spl_position position, spl_tw tw, spl_format compute)
{
    const int64_t n = ch->stage->stmt->n;

    return (spl_key){.n = n <= BIND_MAX_WHOLE ? (int)n : 0,
                     .isa = ch->isa,
                     .precision = (int)ch->tape->precision,
                     .compute = compute,
                     .in = ch->in.format,
                     .out = ch->out.format,
                     .position = position,
                     .tw = tw,
                     .kind = bind_codelet_kind(ch->stage->stmt)};
}

/* Looks up the codelet of a transform at a position; true if there is one. G computes split, in
 * plain C if its ISA has no such vectors; W computes interleaved; transforms of reals compute with
 * reals. */
static bool try_position(bind_choice *ch, spl_position position, spl_tw tw)
{
    const bool real = bind_is_real_kind(bind_codelet_kind(ch->stage->stmt));
    const spl_format compute = position == SPL_POS_G   ? SPL_SPLIT
                               : position == SPL_POS_W ? SPL_INTER
                               : real                  ? SPL_REAL
                                                       : ch->format;
    spl_key key = bind_key_of(ch, position, tw, compute);

    if (position != SPL_POS_G)
        return bind_try_codelet(ch, &key);
    key.in = key.out = SPL_SPLIT;
    if (bind_try_codelet(ch, &key))
        return true;
    key.isa = CORE_ISA_SCALAR; /* which has all sizes */
    return bind_try_codelet(ch, &key);
}

static double cycles_of(const bind_choice *ch, const spl_codelet *c)
{
    return ch->tape->target->cycles(ch->tape->target->owner, ch->tape->costs, c) / c->key.lanes;
}

static bool stores_lines(const bind_choice *ch, const spl_codelet *c)
{
    spl_key key = c->key;

    key.nt = true;
    return bind_codelet_find(ch->tape->target, &key) != NULL;
}

/* Prefers position D to T, which has the same bits, if columns follow each other without gaps and
 * either the buffers exceed L1, where storing whole lines matters more than the number of
 * instructions, or D takes fewer cycles. */
static void prefer_dense(bind_choice *ch)
{
    const spl_codelet *t = ch->op->codelet;
    const bind_tape *p = ch->tape;
    const size_t bytes = bind_buffer_bytes(p, ch->op->in) + bind_buffer_bytes(p, ch->op->out);
    const bool exceeds_l1 = bytes > p->target->memory.l1;

    if (!bind_columns_are_dense(ch))
        return;
    if (!try_position(ch, SPL_POS_D, SPL_TW_NONE)
        || (!exceeds_l1 && cycles_of(ch, ch->op->codelet) >= cycles_of(ch, t)))
        ch->op->codelet = t;
}

/* If rows are adjacent, columns need not be. If the vector loop does not fill a vector, the longest
 * loop becomes the columns instead, except at position D, whose columns have no gaps. */
static void lengthen_columns(bind_choice *ch)
{
    if (ch->op->codelet->key.position == SPL_POS_D)
        return;
    for (int i = 0; i < ch->stage->count && ch->cols && ch->cols->range.n < ch->lanes; i++)
        if (bind_may_take(ch, ch->stage->loop[i])
            && ch->stage->loop[i]->range.n > ch->cols->range.n)
            ch->cols = ch->stage->loop[i];
}

/* Position T: several transforms side by side. For plans with the same bits on all ISAs shorter
 * vectors serve as well, if only they have a codelet, and transforms that do not fill a vector are
 * computed one after the other. */
static bool try_rows(bind_choice *ch)
{
    const core_isa isa = ch->isa;
    const bool any = ch->tape->target->reproducible;

    if (any && (!ch->cols || ch->cols->range.n < ch->lanes))
        ch->isa = CORE_ISA_SCALAR;
    while (!try_position(ch, SPL_POS_T, SPL_TW_NONE)) {
        if (!any || ch->isa == CORE_ISA_SCALAR) {
            ch->isa = isa;
            return false;
        }
        ch->isa--;
    }
    return true;
}

/* Rows adjacent on both sides: W computes one transform at a time, whatever the number of lanes of
 * the enclosing loop, T several side by side. In a vector loop T is chosen unless W stores whole
 * lines or vectors; otherwise the one that takes fewer cycles. The number of transforms must not
 * decide, since the bits of W and T differ, except for a single transform in place
 * (bind_prefer_elements), whose bits no other plan must match. */
static bool try_adjacent(bind_choice *ch)
{
    const core_isa isa = ch->isa;
    const spl_codelet *whole = NULL;

    if (ch->lanes == 1)
        ch->isa = ch->tape->target->isa;
    if (try_position(ch, SPL_POS_W, SPL_TW_NONE))
        whole = bind_prefer_elements(ch, ch->op->codelet);
    ch->isa = isa;
    if (try_rows(ch)
        && (!whole
            || (!stores_lines(ch, whole)
                && (ch->lanes > 1 ? !bind_writes_vectors(ch, whole)
                                  : bind_cycles_of_bits(ch, ch->op->codelet)
                                        < bind_cycles_of_bits(ch, whole))))) {
        prefer_dense(ch);
        return true;
    }
    ch->op->codelet = whole;
    ch->op->swap = false;
    return whole != NULL;
}

/* Positions A and B do not multiply row 0: are its twiddles all 1? */
static bool first_row_one(const bind_choice *ch, bind_table_form form)
{
    bind_table_key key;

    return bind_table_key_of(ch, form, &key) && bind_table_first_row_is_one(&key);
}

/* Twiddles that are the same for all columns: one load fills a vector, and the table is smaller. */
static bool try_broadcast(bind_choice *ch, spl_position position)
{
    if (bind_factors_use(ch, ch->cols))
        return false;
    choose_sets(ch);
    if (try_position(ch, position, SPL_TW_BROADCAST) && first_row_one(ch, BIND_TW_BROADCAST))
        return true;
    ch->outer = NULL;
    return false;
}

/* A table with an entry for every element has as many bytes as the data. A large one is replaced by
 * two smaller tables if it is their product. */
static bool is_large(const bind_choice *ch, const bind_table_key *key)
{
    size_t bytes = 2 * ch->tape->scalar * (ch->isa == CORE_ISA_VEC128 ? 2 : 1); /* spread */
    bool fits = core_mul(bytes, (size_t)key->rows, &bytes);

    for (int d = 0; d < key->dims && fits; d++)
        fits = core_mul(bytes, (size_t)key->size[d], &bytes);
    return !fits || bytes > ch->tape->target->memory.local_store / FACTORED_SHARE;
}

/* Tries factors of rows times factors of columns, if the columns fill a vector. */
static bool try_factored(bind_choice *ch)
{
    bind_table_key key;

    return ch->cols && ch->cols->range.n >= ch->lanes
           && try_position(ch, SPL_POS_C, SPL_TW_FACTORED)
           && bind_table_key_of(ch, BIND_TW_FACTORED, &key) && bind_table_is_separable(&key)
           && is_large(ch, &key);
}

/* Tries factors of rows, in each iteration of the other loops, times shared factors of columns. */
static bool try_factored_shared(bind_choice *ch, spl_position position)
{
    bind_table_key key, rows, shared;

    return ch->cols && try_position(ch, position, SPL_TW_FACTORED_SHARED)
           && bind_table_key_of(ch, BIND_TW_INTER_VECTOR, &key)
           && bind_table_split_shared(&key, &rows, &shared) && rows.dims > 0 && is_large(ch, &key);
}

bool bind_is_adjacent(const bind_side *side, const prog_access *row, const prog_stmt *loop)
{
    return !loop || row->loop[loop->range.var] == bind_adjacent(side);
}

/* Transforms of reals have no codelet for arbitrary strides: if columns are not adjacent they run
 * one at a time. A real matrix acts on re and im alike, so that interleaved numbers are twice as
 * many columns of reals. */
static bool try_reals(bind_choice *ch, bool down)
{
    if (ch->in.format == SPL_INTER && ch->out.format == SPL_INTER) {
        ch->parts = true;
        ch->in.format = ch->out.format = SPL_REAL;
    }
    if (!down) {
        ch->cols = NULL;
        ch->isa = CORE_ISA_SCALAR;
    }
    return try_position(ch, SPL_POS_C, SPL_TW_NONE);
}

/* Have rows one stride on both sides; are rows, or columns, of a side adjacent? */
typedef struct adjacency {
    bool rows_linear, rows_in, rows_out, columns_in, columns_out;
} adjacency;

static bool choose_without_factors(bind_choice *ch, const adjacency *is)
{
    const bool down = is->rows_linear && is->columns_in && is->columns_out;

    if (is->rows_linear && is->rows_in && is->rows_out && try_adjacent(ch)) {
        lengthen_columns(ch);
        return true;
    }
    if ((is->rows_linear && bind_try_strided(ch))
        || (down && try_position(ch, SPL_POS_C, SPL_TW_NONE))
        || (is->rows_linear && is->columns_in && is->rows_out
            && try_position(ch, SPL_POS_A, SPL_TW_NONE))
        || (is->rows_linear && is->rows_in && is->columns_out
            && try_position(ch, SPL_POS_R, SPL_TW_NONE)))
        return true;
    if (is->rows_linear && bind_is_real_kind(bind_codelet_kind(ch->stage->stmt)))
        return try_reals(ch, down);
    return try_position(ch, SPL_POS_G, SPL_TW_NONE);
}

static bool choose_with_factors(bind_choice *ch, const adjacency *is)
{
    const bool down = is->rows_linear && is->columns_in && is->columns_out;
    const bool across = is->rows_linear && is->columns_in && is->rows_out;

    if (down
        && (try_broadcast(ch, SPL_POS_B) || try_factored(ch) || try_factored_shared(ch, SPL_POS_C)
            || try_position(ch, SPL_POS_C, SPL_TW_VECTOR)))
        return true;
    if (across && (try_broadcast(ch, SPL_POS_A) || try_factored_shared(ch, SPL_POS_A)))
        return true;
    if (across && try_position(ch, SPL_POS_A, SPL_TW_VECTOR)
        && first_row_one(ch, bind_vector_form(ch)))
        return true;
    return try_position(ch, SPL_POS_G, SPL_TW_VECTOR);
}

/* Chooses the codelet of a transform; re and im have the same step from column to column. */
static bool choose_codelet(bind_choice *ch)
{
    const adjacency is = {.rows_linear = ch->in.at.row_linear && ch->out.at.row_linear,
                          .rows_in = ch->in.at.row == bind_adjacent(&ch->in),
                          .rows_out = ch->out.at.row == bind_adjacent(&ch->out),
                          .columns_in = bind_is_adjacent(&ch->in, &ch->in.at, ch->cols),
                          .columns_out = bind_is_adjacent(&ch->out, &ch->out.at, ch->cols)};

    if (ch->in.format == SPL_MIRROR || ch->out.format == SPL_MIRROR)
        return false;
    return (ch->has_tw ? choose_with_factors : choose_without_factors)(ch, &is);
}

/* Single elements without a factor become a MOVE, unless whole vectors are adjacent on both sides.
 * The loop with the shortest stride on the input becomes its columns, the one with the shortest on
 * the output its rows. */
static bool choose_move(bind_choice *ch)
{
    if (!ch->cols || !bind_is_move(ch))
        return false;
    if (bind_is_adjacent(&ch->in, &ch->in.at, ch->cols)
        && bind_is_adjacent(&ch->out, &ch->out.at, ch->cols) && ch->cols->range.n >= ch->lanes
        && try_position(ch, SPL_POS_C, SPL_TW_NONE))
        return false;
    ch->cols = bind_nearest_loop(ch, &ch->in.at, NULL);
    ch->outer = ch->cols ? bind_nearest_loop(ch, &ch->out.at, ch->cols) : NULL;
    if (ch->outer && !bind_moves_by_rows(ch, ch->outer)) {
        const prog_stmt *outer = ch->outer;
        const bool other = bind_moves_by_rows(ch, ch->cols); /* columns may be mirrored */
        ch->outer = other ? ch->cols : NULL;
        ch->cols = other ? outer : ch->cols;
    }
    return ch->cols != NULL;
}

/* The variant of the codelet that weighs its input, if the input has a hook. T replaces D, whose
 * bits it has. It needs one weight for re and im, so not a hook with a weight for each. */
static const spl_codelet *find_weighed(const bind_choice *ch)
{
    const prog_hook *hook = ch->tape->body->sides.hook[0];
    spl_key key = ch->op->codelet->key;

    if (ch->op->in != 0 || !hook)
        return NULL;
    key.position = key.position == SPL_POS_D ? SPL_POS_T : key.position;
    if (key.position == SPL_POS_T && key.in == SPL_INTER && hook->scalars == 1)
        return NULL;
    key.weighed = true;
    return bind_codelet_find(ch->tape->target, &key);
}

static sluice_status fill_kernel(bind_choice *ch, bool *taken, sluice_diag *why)
{
    bind_narrow_vectors(ch);
    const sluice_status status = bind_fill(ch, taken, why);

    if (status == SLUICE_OK) {
        bind_choose_memory(ch);
        bind_fill_scale(ch);
        ch->op->codelet_weighed = find_weighed(ch);
    }
    return status;
}

/* A matrix of reals, whose codelets take no offsets of rows: it runs on adjacent columns. */
static bool try_evaluated_reals(bind_choice *ch)
{
    const prog_stmt *k = ch->stage->stmt;

    if (!bind_is_real_kind(bind_codelet_kind(k)) || bind_codelet_inputs(k) != k->n
        || bind_codelet_outputs(k) != k->n)
        return false;
    ch->op->columns = ch->tape->buf[k->in].format == SPL_REAL && k->fin->n == k->n ? 1 : 2;
    ch->in.format = ch->out.format = SPL_REAL;
    return try_position(ch, SPL_POS_C, SPL_TW_NONE);
}

/* Evaluates every address; a scalar codelet computes the transform. The code that runs the op
 * exchanges re and im for the inverse. */
static sluice_status choose_evaluation(bind_choice *ch, sluice_diag *why)
{
    const prog_stmt *k = ch->stage->stmt;
    bind_op *op = ch->op;

    ch->isa = CORE_ISA_SCALAR;
    const bool real =
        ch->tape->buf[k->in].format == SPL_REAL || ch->tape->buf[k->out].format == SPL_REAL;
    const bool moves = prog_is_dft(k) && k->n == 1 && real;
    const bool computes = k->kernel == SPL_TRANSFORM && !moves;
    if (prog_is_dft(k) && real && !moves)
        op->columns = 2;
    const bool found = computes
                           ? try_position(ch, SPL_POS_G, k->ntwiddles ? SPL_TW_VECTOR : SPL_TW_NONE)
                                 || try_evaluated_reals(ch)
                           : bind_try_pairs_alone(ch);
    if (computes && !found)
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                         "there is no codelet for %s_%lld (see sluice-gen --list)",
                         prog_kernel_word(k), (long long)k->n);
    if (!bind_factors_open(k, op->diagonal))
        return core_fail_memory(why);
    op->codelet = found ? op->codelet : NULL;
    op->swap = false;
    return SLUICE_OK;
}

sluice_status bind_select(bind_tape *p, const prog_stage *stage, bind_op *op, bool *taken,
                          sluice_diag *why)
{
    const prog_stmt *k = stage->stmt;
    bind_choice ch = {.tape = p,
                      .stage = stage,
                      .op = op,
                      .in = {.format = p->buf[k->in].format},
                      .out = {.format = p->buf[k->out].format}};

    *op = (bind_op){.op = BIND_EVAL, .stmt = k, .in = k->in, .out = k->out};
    for (int i = 0; i < stage->count; i++)
        taken[i] = false;
    bind_read_factors(&ch);
    const bool conjugate = k->kernel == SPL_RETYPE && k->kind == SPL_RETYPE_CONJ && k->n == 1;
    const bool pair = bind_moves_pair(&ch);
    const bool read = pair
                      || ((k->kernel == SPL_TRANSFORM || conjugate || bind_has_own_factors(k))
                          && bind_read_side(&ch, k->in, k->fin, &ch.in)
                          && bind_read_side(&ch, k->out, k->fout, &ch.out));
    bind_choose_columns(&ch);
    sluice_status status = bind_choose_isa(&ch, why);
    if (status != SLUICE_OK)
        return status;
    const bool linear = read && has_strides(&ch, ch.cols) && bind_read_twiddles(&ch);
    if (linear && k->kernel != SPL_PAIR && choose_move(&ch))
        return bind_fill_move(&ch, taken, why);
    if (linear && !conjugate && !pair
        && (k->kernel == SPL_PAIR ? bind_choose_pairs : choose_codelet)(&ch))
        return fill_kernel(&ch, taken, why);
    if (bind_is_move(&ch)) {
        bool filled;
        status = bind_fill_offsets(&ch, taken, &filled, why);
        if (filled || status != SLUICE_OK)
            return status;
    }
    return choose_evaluation(&ch, why);
}
