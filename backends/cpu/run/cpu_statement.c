// SPDX-License-Identifier: BSD-3-Clause
/* Executes one op of a tape in the current iteration of its enclosing loops. */
#include "backends/cpu/run/cpu_statement.h"

#include "backends/cpu/run/cpu_weighed.h"

void cpu_statement_call(const cpu_program *p, const bind_op *op, char *const *base,
                        const int64_t *var, spl_call *call)
{
    const bind_step at = cpu_cursor_steps(op, var);
    const ptrdiff_t scalar = (ptrdiff_t)p->tape.scalar;

    *call = op->call;
    call->in_re = cpu_cursor_point(base, &op->base[0], at.in * scalar);
    call->in_im = cpu_cursor_point(base, &op->base[1], bind_im_step(op, &at, false) * scalar);
    call->out_re = cpu_cursor_point(base, &op->base[2], at.out * scalar);
    call->out_im = cpu_cursor_point(base, &op->base[3], bind_im_step(op, &at, true) * scalar);
    if (op->call.tw)
        call->tw = (const char *)op->call.tw + at.tw * scalar;
    call->is = op->call.is + at.is;
    call->os = op->call.os + at.os;
}

cpu_prefetch cpu_statement_prefetch(const cpu_program *p, const bind_op *op, const spl_call *call,
                                    char *const *base, const int64_t *var, int64_t lo)
{
    cpu_prefetch ahead = {.columns = op->prefetch_columns,
                          .bytes = op->prefetch_bytes,
                          .step = op->prefetch_step,
                          .to_l2 = op->prefetch_op > 0};

    if (op->prefetch_op) {
        spl_call next;
        cpu_statement_call(p, &p->tape.op[op->prefetch_op], base, var, &next);
        ahead.next = (const char *)next.in_re + op->prefetch_offset;
        if (op->prefetch_apart)
            ahead.next_im = (const char *)next.in_im + op->prefetch_offset;
    } else {
        ahead.next = (const char *)call->in_re
                     + (ptrdiff_t)(lo + BIND_PREFETCH_DISTANCE * (int64_t)op->prefetch_columns)
                           * call->ics * (ptrdiff_t)p->tape.scalar;
    }
    return ahead;
}

/* Changes the call in place and back, because a copy would wait for the fields just stored.
 * op->last has no strides of rows, so `back` undoes all of `there`. */
static void run_last_vector(const bind_op *op, spl_call *call, ptrdiff_t scalar)
{
    const cpu_call_step there = cpu_call_step_of(op, &op->last, scalar),
                        back = cpu_call_step_of(op, &op->last, -scalar);
    const size_t columns = call->set_columns;

    cpu_call_advance(call, &there);
    call->set_columns = (size_t)op->last_codelet->key.lanes;
    op->last_codelet->run(call, op->last_first, op->last_count);
    call->set_columns = columns;
    cpu_call_advance(call, &back);
}

static void run_fixed(const bind_op *op, spl_call *call, ptrdiff_t scalar)
{
    if (op->prefetch_next_set)
        cpu_prefetch_sets(&op->tail, call, op->fixed_count, op->next_iteration_bytes,
                          op->prefetch_to_l2);
    else
        op->codelet->run(call, 0, op->fixed_count);
    if (op->last_count)
        run_last_vector(op, call, scalar);
}

spl_codelet_fn *cpu_statement_codelet(const bind_op *op, const spl_call *call, bool several)
{
    const bool lines = op->codelet_nt && !(several && op->nt_needs_one_member)
                       && (uintptr_t)call->out_re % BIND_LINE == 0;

    return (lines ? op->codelet_nt : op->codelet)->run;
}

static cpu_scale_fn *scaler(const cpu_program *p)
{
    return cpu_scale[p->tape.target->isa][p->tape.precision];
}

size_t cpu_scaled_scalars(const bind_op *op)
{
    bool even = !op->last_count && !op->codelet_nt && op->tail.tw != SPL_TW_BROADCAST
                && op->scaling.rows == op->tail.outputs && op->fixed_count <= op->scaling.piece;

    for (int i = 0; i < op->nsteps && even; i++)
        even = op->step[i].os == 0;
    return even ? cpu_adjacent_results(&op->tail, &op->call, op->tail.outputs, op->fixed_count) : 0;
}

void cpu_statement_scaled(const cpu_program *p, const bind_op *op, spl_codelet_fn *run,
                          spl_call *call, const size_t columns[2], const size_t sets[2])
{
    const size_t lo = columns[0], hi = columns[1];

    if (run != op->codelet->run)
        cpu_scaled_lines(&op->tail, &op->scaling, scaler(p), run, call, lo, hi);
    else
        cpu_scaled_columns(&op->tail, &op->scaling, scaler(p), run, call, lo, hi, sets[0],
                           sets[1] - sets[0]);
}

void cpu_statement_slices(const cpu_program *p, const bind_op *op, spl_codelet_fn *run,
                          spl_call *call, cpu_slices *slices)
{
    const size_t columns = (size_t)op->cols.n, sets = (size_t)op->outer.n;

    cpu_slice_columns(&op->tail, run, call, op->slice_columns, 0, columns, 0, sets, slices);
    if (op->scaling.rows)
        cpu_scale_results(&op->tail, &op->scaling, scaler(p), call, 0, columns, 0, sets);
}

/* Is the op one call of all its columns, with nothing to do before or after it? */
static bool is_one_call(const bind_op *op)
{
    return op->fixed_count && !op->prefetch_columns && !op->scaling.rows;
}

bool cpu_statement_alone(const cpu_program *p, const bind_op *op, char *const *base)
{
    if (!is_one_call(op))
        return false;
    spl_call call = op->call;
    call.in_re = cpu_cursor_point(base, &op->base[0], 0);
    call.in_im = cpu_cursor_point(base, &op->base[1], 0);
    call.out_re = cpu_cursor_point(base, &op->base[2], 0);
    call.out_im = cpu_cursor_point(base, &op->base[3], 0);
    run_fixed(op, &call, (ptrdiff_t)p->tape.scalar);
    return true;
}

void cpu_statement_kernel(const cpu_program *p, const bind_op *op, char *const *base,
                          const int64_t *var, bool several)
{
    spl_call call;
    int64_t lo, hi, first, last;

    cpu_statement_call(p, op, base, var, &call);
    if (is_one_call(op)) {
        run_fixed(op, &call, (ptrdiff_t)p->tape.scalar);
        return;
    }
    spl_range_bounds(&op->cols, var, &lo, &hi);
    spl_range_bounds(&op->outer, var, &first, &last);
    spl_codelet_fn *const run = cpu_statement_codelet(op, &call, several);
    if (op->scaling.rows)
        cpu_statement_scaled(p, op, run, &call, (const size_t[2]){(size_t)lo, (size_t)hi},
                             (const size_t[2]){(size_t)first, (size_t)last});
    else if (op->prefetch_columns)
        cpu_prefetch_columns(&op->tail, run, &call,
                             cpu_statement_prefetch(p, op, &call, base, var, lo), (size_t)lo,
                             (size_t)hi);
    else
        cpu_columns(&op->tail, run, &call, (size_t)lo, (size_t)hi, (size_t)first,
                    (size_t)(last - first));
}

/* Runs the kernel as without hooks, by the codelet that weighs its input. */
static void run_weighed(const cpu_cursor *at, const bind_op *op, spl_call *call,
                        const size_t columns[2], const size_t sets[2])
{
    const size_t lo = columns[0], hi = columns[1], first = sets[0], count = sets[1] - sets[0];
    spl_codelet_fn *const run = op->codelet_weighed->run;
    bind_tail tail = op->tail;

    tail.run = run;
    memset(tail.shorter, 0, sizeof tail.shorter); /* these do not weigh */
    if (op->scaling.rows)
        cpu_scaled_columns(&tail, &op->scaling, scaler(at->p), run, call, lo, hi, first, count);
    else if (op->prefetch_columns)
        cpu_prefetch_columns(
            &tail, run, call,
            cpu_statement_prefetch(at->p, op, call, at->base, at->var, (int64_t)lo), lo, hi);
    else
        cpu_columns(&tail, run, call, lo, hi, first, count);
}

static void run_hooked(const cpu_cursor *at, const bind_op *op)
{
    spl_call call;
    int64_t lo, hi, first, last;
    int none = SLUICE_OK;

    cpu_statement_call(at->p, op, at->base, at->var, &call);
    spl_range_bounds(&op->cols, at->var, &lo, &hi);
    spl_range_bounds(&op->outer, at->var, &first, &last);
    spl_codelet_fn *const run =
        op->scaling.rows ? op->codelet->run : cpu_statement_codelet(op, &call, at->several);
    if (run == op->codelet->run
        && cpu_weigh_call(at->hooked, op, &call, (size_t)lo, (size_t)hi, (size_t)first,
                          (size_t)last)) {
        run_weighed(at, op, &call, (const size_t[]){(size_t)lo, (size_t)hi},
                    (const size_t[]){(size_t)first, (size_t)last});
        return;
    }
    lo += (int64_t)cpu_weighed_columns(at->hooked, op, run, &call, (size_t)lo, (size_t)hi,
                                       (size_t)first, (size_t)last);
    if (lo == hi)
        return;
    const sluice_status status = cpu_hooked_columns(at->hooked, op, &call, (size_t)lo, (size_t)hi,
                                                    (size_t)first, (size_t)last);
    if (status != SLUICE_OK)
        atomic_compare_exchange_strong(at->hooked->status, &none, (int)status);
}

void cpu_statement_move(const cpu_program *p, const bind_op *op, char *const *base,
                        const int64_t *var)
{
    spl_call call;
    int64_t columns[2], rows[2];

    cpu_statement_call(p, op, base, var, &call);
    spl_range_bounds(&op->cols, var, &columns[0], &columns[1]);
    spl_range_bounds(&op->outer, var, &rows[0], &rows[1]);
    (op->scales ? cpu_move_scaled : cpu_move)(p, op, &call, columns, rows);
}

static cpu_re_im current_side(const cpu_program *p, const bind_op *op, char *const *base,
                              const int64_t *var, bool out)
{
    const bind_step at = cpu_cursor_steps(op, var);

    return cpu_cursor_side(p, op, base, (out ? at.out : at.in) * (ptrdiff_t)p->tape.scalar, out);
}

void cpu_statement_zero(const cpu_program *p, const bind_op *op, char *const *base,
                        const int64_t *var)
{
    cpu_zero(&p->tape, op, var, current_side(p, op, base, var, true));
}

void cpu_statement(cpu_cursor *at, const bind_op *op)
{
    const cpu_program *p = at->p;
    char *const *base = at->base;
    const int64_t *var = at->var;

    if (at->hooked && atomic_load_explicit(at->hooked->status, memory_order_relaxed) != SLUICE_OK)
        return;
    if (at->hooked && cpu_hook_of(at->hooked, op)) {
        run_hooked(at, op);
        return;
    }
    switch (op->op) {
    case BIND_KERN: cpu_statement_kernel(p, op, base, var, at->several); break;
    case BIND_EVAL:
        cpu_eval(&p->tape, op, var, current_side(p, op, base, var, false),
                 current_side(p, op, base, var, true));
        break;
    case BIND_MOVE: cpu_statement_move(p, op, base, var); break;
    case BIND_ZERO: cpu_statement_zero(p, op, base, var); break;
    case BIND_COPY: cpu_transfer(at, op); break;
    case BIND_LOOP:
    case BIND_SYNC: break;
    }
}
