// SPDX-License-Identifier: BSD-3-Clause
/* Prices a bound program on a unit: describes each op of its tape as a price_binding. */
#include "spl/price/tape.h"

#include <stdlib.h>

#include "core/mem.h"
#include "spl/bind/bind_slices.h"

const double price_nominal_hz = 3e9;

double price_iterations(const spl_range *r)
{
    return (double)r->n / (double)(r->share_var < 0 ? 1 : r->shares);
}

double price_evaluations(const bind_op *op)
{
    return (double)op->stmt->n / (double)(op->run > 1 ? op->run : 1);
}

static price_table table_of(const bind_op *op)
{
    static const price_table kinds[] = {[SPL_TW_NONE] = PRICE_TABLE_NONE,
                                        [SPL_TW_VECTOR] = PRICE_TABLE_ELEMENTS,
                                        [SPL_TW_BROADCAST] = PRICE_TABLE_ROWS,
                                        [SPL_TW_FACTORED] = PRICE_TABLE_FACTORS,
                                        [SPL_TW_FACTORED_SHARED] = PRICE_TABLE_ROWS};

    return op->table ? kinds[op->codelet->key.tw] : PRICE_TABLE_NONE;
}

/* Finds the enclosing loops that the codelet of a statement runs itself: those not on the tape. */
static void find_codelet_loops(const bind_tape *tape, const bind_op *op, uint32_t open,
                               price_binding *b)
{
    const prog_stmt *first = tape->body->stmt;

    for (const prog_stmt *s = first; s < op->stmt; s++) {
        const int v = s->range.var;
        if (s->op != PROG_LOOP || first + s->end <= op->stmt || open >> v & 1)
            continue;
        const bool sets = op->before ? s->range.kind == SPL_VEC
                                     : bind_runs_sets(&op->codelet->key) && s->range.kind != SPL_VEC
                                           && s->range.n == op->outer.n && b->sets_var < 0;
        if (sets)
            b->sets_var = v;
        else
            b->columns_var = v;
    }
}

/* Do columns left over go through buffers on both sides? Not if shorter vectors hold them, or if
 * their vector is computed before the others. */
static bool pads(const bind_op *op)
{
    int64_t rest = op->cols.n % op->codelet->key.lanes;

    for (int i = 0; i < BIND_WIDTHS && op->shorter[i]; i++)
        rest %= op->shorter[i]->key.lanes;
    return !op->tail.may_start_early && (rest > 0 || !op->shorter[0])
           && !bind_goes_first(&op->tail, (size_t)op->cols.n);
}

/* The innermost loop around an op; NULL: none. */
static const bind_op *loop_around(const bind_tape *tape, const bind_op *op)
{
    const size_t at = (size_t)(op - tape->op);
    size_t i = at;

    while (i > 0 && (tape->op[i - 1].op != BIND_LOOP || tape->op[i - 1].end <= at))
        i--;
    return i > 0 ? &tape->op[i - 1] : NULL;
}

/* Does a call read what another call stored in the same iteration of the innermost loop, and is it
 * the first that does? Later ones find it there. */
static bool reads_call_before(const bind_tape *tape, const bind_op *op)
{
    const bind_op *loop = loop_around(tape, op);
    size_t i = (size_t)(op - tape->op);
    const size_t first = loop ? (size_t)(loop - tape->op) + 1 : 0;

    for (; i > first; i--) {
        const bind_op *before = &tape->op[i - 1];
        if (before->op == BIND_LOOP || loop_around(tape, before) != loop)
            continue;
        if (before->out == op->in || before->in == op->in)
            return before->op == BIND_KERN && before->out == op->in;
    }
    return false;
}

static void bind_kernel(const bind_tape *tape, const price_unit *unit, const bind_op *op,
                        uint32_t open, price_binding *b)
{
    find_codelet_loops(tape, op, open, b);
    b->lanes = op->codelet->key.lanes;
    b->step = unit->step_cycles(unit->owner, tape->costs, op->codelet) / price_nominal_hz;
    if (op->var == IX_INDEX) { /* columns of the op are rows of the kernel */
        b->step *= (double)(op->cols.n + b->lanes - 1) / (double)b->lanes;
        b->lanes = 1;
    }
    b->table = table_of(op);
    b->table_bytes = (double)bind_tables_bytes(op);
    b->non_temporal = op->codelet_nt != NULL;
    b->ahead_in_l2 = op->prefetch_to_l2;
    b->scaling = price_scaling(tape, unit, op);
    b->padded_sets = pads(op) ? (int64_t)bind_padded_sets(&op->tail) : 0;
    b->whole = op->codelet->key.position == SPL_POS_W;
    b->waits = op->codelet->key.position == SPL_POS_S ? PRICE_WAITS_NOT
               : reads_call_before(tape, op)          ? PRICE_WAITS_EACH
                                                      : PRICE_WAITS_FIRST;
    b->transforms = b->whole || op->codelet->key.position == SPL_POS_D;
}

/* Two stages that are one codelet: the second gets all its time, in steps of a row each. */
static void bind_plane_stages(const bind_tape *tape, const bind_op *op, price_binding *binding)
{
    const prog_stmt *all = tape->body->stmt;
    price_binding *b = &binding[op->stmt - all];

    b->step /= op->codelet->key.n;
    binding[op->before - all] = *b;
    binding[op->before - all].sets_var = op->before[-1].range.var;
    binding[op->before - all].step = 0;
    binding[op->before - all].scaling = 0;
}

/* Marks the statements of loop `at`, whose slices have this number, and the data that they move. */
static void mark_moved(const bind_tape *tape, size_t at, int slices, price_binding *binding)
{
    const bind_slices *s = tape->op[at].slices;

    for (size_t k = at + 1; k < tape->op[at].end; k++) {
        const bind_op *op = &tape->op[k];
        if (op->op != BIND_KERN)
            continue;
        const prog_stmt *reader = op->before ? op->before : op->stmt;
        price_binding *b = &binding[op->stmt - tape->body->stmt];
        b->slices = binding[reader - tape->body->stmt].slices = slices;
        binding[reader - tape->body->stmt].gets = s->get_bytes && op->in == s->get.in;
        b->puts = s->put_bytes && op->out == s->buffer;
        b->non_temporal = b->non_temporal || b->puts;
    }
}

/* Numbers the loops that move data in slices, and marks their statements. */
static int bind_loop_slices(const bind_tape *tape, price_binding *binding, price_slices *slices)
{
    double times[BIND_MAX_STEPS + 1] = {1};
    size_t end[BIND_MAX_STEPS + 1];
    int count = 0, depth = 0;

    for (size_t i = 0; i < tape->nops; i++) {
        const bind_op *op = &tape->op[i];
        while (depth > 0 && i >= end[depth])
            depth--;
        if (op->op != BIND_LOOP)
            continue;
        end[++depth] = op->end;
        times[depth] = times[depth - 1] * price_iterations(&op->range);
        const bind_slices *s = op->slices;
        if (!s || count == PRICE_MAX_SLICES)
            continue;
        slices[count++] =
            (price_slices){.calls = times[depth] * (double)s->calls,
                           .get_burst = (double)s->get_slice,
                           .put_burst = (double)s->put_slice,
                           .iteration_bytes = (double)bind_slices_iteration_bytes(tape, i, s)
                                              - (double)s->distance * (double)s->get_bytes};
        mark_moved(tape, i, count, binding);
    }
    return count;
}

/* Marks kernels whose input other kernels prefetch into L2. */
static void bind_prefetches(const bind_tape *tape, price_binding *binding)
{
    for (size_t i = 0; i < tape->nops; i++) {
        const bind_op *op = &tape->op[i];
        if (op->op != BIND_KERN || op->prefetch_op == 0)
            continue;
        price_binding *reader = &binding[tape->op[op->prefetch_op].stmt - tape->body->stmt];
        reader->ahead_in_l2 = true;
    }
}

/* Do elements `one` apart become rows of such elements? Unless they are `wide`, one side may also
 * have them at every second place. */
static bool transposes(ptrdiff_t in, ptrdiff_t out, ptrdiff_t one, bool wide)
{
    const int64_t from = llabs(in), to = llabs(out);

    return (from == one && (to == one || (to == 2 * one && !wide)))
           || (from == 2 * one && to == one && !wide);
}

/* How the rows of a move become columns, or columns rows. */
typedef enum turned { NOT_TURNED, TURNED, TURNED_AND_ZIPPED } turned;

static bool is_wide(const bind_tape *tape, const bind_op *op)
{
    return (op->moved == BIND_MOVED_RE ? 1 : 2) * tape->scalar > sizeof(double);
}

static turned turned_of(const bind_tape *tape, const bind_op *op)
{
    const spl_call *c = &op->call;
    const ptrdiff_t one = op->moved == BIND_MOVED_WHOLE ? 2 : 1;
    const bool whole = op->moved == BIND_MOVED_WHOLE || op->moved == BIND_MOVED_RE;
    const bool wide = is_wide(tape, op);

    if (bind_permutation_bytes(op) || (c->ics == one && c->ocs == one))
        return NOT_TURNED;
    if (whole
        && (transposes(c->ics, c->oouter, one, wide) || transposes(c->iouter, c->ocs, one, wide)))
        return TURNED;
    return op->moved == BIND_MOVED_PARTS
                   && ((c->ics == 1 && c->oouter == 2) || (c->ocs == 1 && c->iouter == 2))
               ? TURNED_AND_ZIPPED
               : NOT_TURNED;
}

/* Seconds of moving one element. */
static double moved_seconds(const bind_tape *tape, const bind_op *op)
{
    const spl_call *c = &op->call;
    const ptrdiff_t one = op->moved == BIND_MOVED_WHOLE ? 2 : 1;
    const double number = one == 2 ? price_moved_numbers : 1;
    const turned how = turned_of(tape, op);
    const bool wide = is_wide(tape, op);
    const double turn = wide ? price_transposed_wide : price_transposed;

    if (bind_permutation_bytes(op))
        return price_moved;
    if (c->ics == one && c->ocs == one)
        return number * price_moved_rows;
    return how == TURNED              ? turn
           : how == TURNED_AND_ZIPPED ? turn + (wide ? 0 : price_moved_rows)
                                      : number * price_moved_evenly;
}

/* Seconds of clearing elements, or runs of them, that are then loaded as vectors. */
static double zeroed_seconds(const bind_tape *tape, const bind_op *op)
{
    const bool elements = op->run == 1 && tape->buf[op->out].format == SPL_REAL;

    return price_stored
           + (elements ? price_evaluated + price_moved * (double)op->stmt->n
                       : price_evaluated * price_evaluations(op));
}

/* Additional seconds of a call that transposes: its first lines come one by one (measured). */
static const double turning = 30e-9;

/* Describes how each statement is executed. */
static void bind_stages(const bind_tape *tape, const price_unit *unit, price_binding *binding)
{
    uint32_t open[BIND_MAX_STEPS + 1] = {0}; /* variables of the tape's loops, by depth */
    size_t end[BIND_MAX_STEPS + 1];
    int depth = 0;

    for (size_t i = 0; i < tape->nops; i++) {
        const bind_op *op = &tape->op[i];
        while (depth > 0 && i >= end[depth])
            depth--;
        if (op->op == BIND_LOOP) {
            end[++depth] = op->end;
            open[depth] = open[depth - 1] | (op->of_columns ? 0 : UINT32_C(1) << op->var);
        }
        if (op->op == BIND_LOOP || op->op == BIND_SYNC)
            continue;
        price_binding *b = &binding[op->stmt - tape->body->stmt];
        *b = (price_binding){.runs = true, .columns_var = -1, .sets_var = -1, .lanes = 1};
        if (op->op == BIND_KERN) {
            bind_kernel(tape, unit, op, open[depth], b);
            if (op->before)
                bind_plane_stages(tape, op, binding);
        } else if (op->op == BIND_EVAL) {
            b->step = price_evaluated * price_evaluations(op);
        } else if (op->op == BIND_ZERO) {
            b->step = zeroed_seconds(tape, op);
        } else if (op->op == BIND_MOVE) {
            b->columns_var = op->var;
            b->sets_var = op->outer.n > 1 ? op->outer.var : -1;
            b->lanes = op->var < 0 ? 1 : op->cols.n;
            b->together = turned_of(tape, op) != NOT_TURNED;
            b->step = moved_seconds(tape, op) * (double)op->cols.n
                      + (price_stored + (b->together ? turning : 0)) / (double)op->outer.n;
        } else {
            b->non_temporal = op->op == BIND_COPY && op->packets.non_temporal;
        }
    }
    bind_prefetches(tape, binding);
}

bool price_fits(const bind_tape *tape, size_t bytes)
{
    const prog *body = tape->body;
    const size_t points = (size_t)(body->cols + (body->sides.in_place ? 0 : body->rows));

    return points * 2 * tape->scalar <= bytes;
}

sluice_status price_tape_stages(const bind_tape *tape, const price_unit *unit, price_stage **out)
{
    const size_t stmts = tape->body->nstmts;
    bool split[BIND_MAX_BUFS];
    price_slices slices[PRICE_MAX_SLICES];
    price_binding *binding = core_calloc(stmts + 1, sizeof *binding);
    price_stage *stage = core_calloc(stmts + 1, sizeof *stage);

    for (int i = 0; i < tape->nbufs; i++)
        split[i] = tape->buf[i].format == SPL_SPLIT;
    price_program priced = {.body = tape->body,
                            .binding = binding,
                            .slices = slices,
                            .split = split,
                            .l1 = unit->l1,
                            .l2 = unit->l2,
                            .scalar = tape->scalar};
    bool good = binding && stage;
    if (good) {
        bind_stages(tape, unit, binding);
        priced.nslices = bind_loop_slices(tape, binding, slices);
        good = price_of(stage, &priced, unit->figure);
    }
    core_free(binding);
    if (!good)
        core_free(stage);
    *out = good ? stage : NULL;
    return good ? SLUICE_OK : SLUICE_E_MEMORY;
}

sluice_status price_tape(const bind_tape *tape, const price_unit *unit, double *cpu, double *memory)
{
    price_stage *stage = NULL;
    const sluice_status status = price_tape_stages(tape, unit, &stage);

    *cpu = price_execution;
    *memory = 0;
    if (status != SLUICE_OK)
        return status;
    for (size_t i = 0; i < tape->body->nstmts; i++) {
        *cpu += stage[i].cpu;
        *memory += stage[i].memory;
    }
    core_free(stage);
    return SLUICE_OK;
}
