// SPDX-License-Identifier: BSD-3-Clause
/* Nests of loops with constant steps: the call of each kernel is set up once, and then only its
 * addresses advance, as do those of the blocks that the outermost loop moves in slices. */
#include "backends/cpu/run/cpu_prefetch.h"
#include "backends/cpu/run/cpu_scale.h"
#include "backends/cpu/run/cpu_statement.h"
#include "spl/bind/bind_slices.h"

/* A kernel of a nest. `fixed`: it is one call for whole vectors of columns, and a last one for a
 * vector that starts early or is shorter. Not fixed: its columns are run in any other way, because
 * the codelet depends on addresses, it prefetches in pieces, or results are scaled in pieces. */
typedef struct stepped {
    const bind_op *op;
    const cpu_program *p;
    bool fixed, several;
    spl_codelet_fn *run, *last_run; /* NULL: not fixed, or sets are prefetched; no last call */
    size_t count, last_first, last_count;
    size_t scaled; /* adjacent scalars of a call's results that are scaled; 0: none */
    cpu_scale_fn *scale;
    spl_call call, last;
    cpu_prefetch ahead; /* moves as the input of the kernel `reader` places further on does */
    int reader;
    cpu_slices *slices;       /* of the nest */
    spl_codelet_fn *straight; /* stores the block that the nest would copy; NULL: none */
} stepped;

/* A kernel, or a loop: its body is the parts up to `end`, its kernels move by step[step] on. */
typedef struct part {
    bool loop;
    int64_t times;
    int end, kernel, kernels, step;
} part;

/* The loops of a nest have at most BIND_MAX_NEST_STEPS steps together, so at most as many loops. */
typedef struct nest {
    stepped kernel[BIND_MAX_STEPPED];
    cpu_call_step step[BIND_MAX_NEST_STEPS];
    part part[BIND_MAX_NEST_STEPS + BIND_MAX_STEPPED];
    int kernels, steps, parts;
    cpu_slices slices; /* of the outermost loop */
} nest;

/* A block that a loop moves in slices: its source and destination, and how far these move after
 * even and after odd iterations. */
typedef struct moved_block {
    const char *from;
    char *to;
    ptrdiff_t from_by[2], to_by[2];
} moved_block;

/* Is the op always the same call, with at most one prefetch before it? `scaled` of its results are
 * scaled in one run. */
static bool is_fixed(const bind_op *op, size_t scaled)
{
    const bool pieces = op->prefetch_columns && op->prefetch_columns < (size_t)op->cols.n;

    return op->fixed_count && !pieces && (!op->scaling.rows || scaled > 0);
}

/* The number of kernels from an op to its reader; negative if the reader comes first. */
static int kernels_to(const bind_op *op, const bind_op *reader)
{
    const bool before = reader < op;
    const bind_op *const end = before ? op : reader;
    int count = 0;

    for (const bind_op *k = before ? reader : op; k < end; k++)
        count += k->op == BIND_KERN;
    return before ? -count : count;
}

static void open_kernel(const cpu_cursor *at, const bind_op *op, cpu_slices *slices, stepped *k)
{
    const size_t scaled = op->scaling.rows ? cpu_scaled_scalars(op) : 0;
    const bool fixed = is_fixed(op, scaled);

    k->op = op;
    k->fixed = fixed;
    k->p = at->p;
    k->several = at->several;
    k->slices = slices;
    k->straight = NULL;
    k->run = op->prefetch_next_set || !fixed ? NULL : op->codelet->run;
    k->count = op->fixed_count;
    k->scaled = fixed ? scaled : 0;
    k->scale = cpu_scale[at->p->tape.target->isa][at->p->tape.precision];
    k->last_run = fixed && op->last_count ? op->last_codelet->run : NULL;
    k->reader = op->prefetch_op ? kernels_to(op, &at->p->tape.op[op->prefetch_op]) : 0;
    cpu_statement_call(at->p, op, at->base, at->var, &k->call);
    k->ahead.bytes = 0;
    if (op->prefetch_columns)
        k->ahead = cpu_statement_prefetch(at->p, op, &k->call, at->base, at->var, 0);
    if (!k->last_run)
        return;
    const cpu_call_step by = cpu_call_step_of(op, &op->last, (ptrdiff_t)at->p->tape.scalar);
    k->last_first = op->last_first;
    k->last_count = op->last_count;
    cpu_statement_call(at->p, op, at->base, at->var, &k->last);
    cpu_call_advance(&k->last, &by);
    k->last.set_columns = (size_t)op->last_codelet->key.lanes;
}

/* Runs all columns, including those that do not fill a vector. */
static void run_any(stepped *k)
{
    const bind_op *op = k->op;
    spl_codelet_fn *const run =
        k->straight ? k->straight : cpu_statement_codelet(op, &k->call, k->several);
    const size_t columns = (size_t)op->cols.n, set_columns = k->call.set_columns;

    if (op->slice_columns)
        cpu_statement_slices(k->p, op, run, &k->call, k->slices);
    else if (op->scaling.rows)
        cpu_statement_scaled(k->p, op, run, &k->call, (const size_t[2]){0, columns},
                             (const size_t[2]){0, (size_t)op->outer.n});
    else if (op->prefetch_columns)
        cpu_prefetch_columns(&op->tail, run, &k->call, k->ahead, 0, columns);
    else
        cpu_columns(&op->tail, run, &k->call, 0, columns, 0, (size_t)op->outer.n);
    k->call.set_columns = set_columns;
}

static void run_kernel(stepped *k)
{
    if (k->run) {
        if (k->ahead.bytes)
            cpu_prefetch_ahead(&k->ahead);
        k->run(&k->call, 0, k->count);
        if (k->scaled)
            cpu_scale_run(k->scale, k->call.out_re, k->call.out_re, k->scaled, k->op->scaling.by);
    } else if (!k->fixed)
        run_any(k);
    else
        cpu_prefetch_sets(&k->op->tail, &k->call, k->count, k->op->next_iteration_bytes,
                          k->op->prefetch_to_l2);
    if (k->last_run)
        k->last_run(&k->last, k->last_first, k->last_count);
}

/* Adds a loop, its kernels and inner loops to the nest, and how far its iterations move them. */
static void add_loop(nest *n, cpu_cursor *at, const bind_op *loop, int64_t times)
{
    const bind_tape *tape = &at->p->tape;
    const bind_op *const end = &tape->op[loop->end];
    part *x = &n->part[n->parts++];

    *x = (part){.loop = true, .times = times, .kernel = n->kernels, .step = n->steps};
    for (const bind_op *op = loop + 1; op < end; op++)
        n->steps += op->op == BIND_KERN;
    for (const bind_op *op = loop + 1; op < end; op++)
        if (op->op == BIND_LOOP) {
            at->var[op->var] = 0;
            add_loop(n, at, op, op->range.n);
            op = &tape->op[op->end] - 1;
        } else {
            n->part[n->parts++] = (part){.kernel = n->kernels};
            open_kernel(at, op, &n->slices, &n->kernel[n->kernels++]);
        }
    x->end = n->parts;
    x->kernels = n->kernels - x->kernel;
    for (int k = 0; k < x->kernels; k++)
        n->step[x->step + k] =
            cpu_call_step_of(n->kernel[x->kernel + k].op, &loop->step[k], (ptrdiff_t)tape->scalar);
}

static void move_kernel(stepped *k, const cpu_call_step *by)
{
    cpu_call_advance(&k->call, by);
    if (k->last_run)
        cpu_call_advance(&k->last, by);
    if (!k->op->prefetch_columns)
        return;
    k->ahead.next += by[k->reader].in_re;
    if (k->op->prefetch_apart)
        k->ahead.next_im += by[k->reader].in_im;
}

/* Runs a loop whose body is only kernels. */
static void run_kernels(nest *n, const part *loop)
{
    const cpu_call_step *by = &n->step[loop->step];
    stepped *const kernel = &n->kernel[loop->kernel];

    for (int64_t v = 0; v < loop->times; v++)
        for (int k = 0; k < loop->kernels; k++) {
            run_kernel(&kernel[k]);
            move_kernel(&kernel[k], &by[k]);
        }
}

static void run_nest_loop(nest *n, int at);

/* Runs one iteration of a loop. */
static void run_iteration(nest *n, int at)
{
    for (int i = at + 1; i < n->part[at].end; i = n->part[i].loop ? n->part[i].end : i + 1)
        if (n->part[i].loop)
            run_nest_loop(n, i);
        else
            run_kernel(&n->kernel[n->part[i].kernel]);
}

static void run_nest_loop(nest *n, int at)
{
    const part *loop = &n->part[at];

    if (loop->end - at - 1 == loop->kernels) {
        run_kernels(n, loop);
        return;
    }
    for (int64_t v = 0; v < loop->times; v++) {
        run_iteration(n, at);
        for (int k = 0; k < loop->kernels; k++)
            move_kernel(&n->kernel[loop->kernel + k], &n->step[loop->step + k]);
    }
}

/* ---- blocks in slices ---- */

static cpu_call_step sum_of(const cpu_call_step *a, const cpu_call_step *b, ptrdiff_t sign)
{
    return (cpu_call_step){.in_re = a->in_re + sign * b->in_re,
                           .in_im = a->in_im + sign * b->in_im,
                           .out_re = a->out_re + sign * b->out_re,
                           .out_im = a->out_im + sign * b->out_im,
                           .tw = a->tw + sign * b->tw,
                           .is = a->is + sign * b->is,
                           .os = a->os + sign * b->os};
}

/* How far an op moves after even and after odd iterations: `steps` plus or minus the op's turns. */
static void alternate(const bind_op *op, const bind_op *loop, ptrdiff_t scalar,
                      const cpu_call_step *steps, cpu_call_step *even, cpu_call_step *odd)
{
    bind_step step, turn;

    (void)bind_alternating_steps(op, loop->var, &step, &turn);
    const cpu_call_step turns = cpu_call_step_of(op, &turn, scalar);
    *even = sum_of(steps, &turns, 1);
    *odd = sum_of(steps, &turns, -1);
}

static moved_block moved_block_of(const cpu_cursor *at, const bind_op *loop, const bind_op *op)
{
    const ptrdiff_t scalar = (ptrdiff_t)at->p->tape.scalar;
    bind_step step, turn;
    spl_call call;
    cpu_call_step by[2];

    (void)bind_alternating_steps(op, loop->var, &step, &turn);
    const cpu_call_step steps = cpu_call_step_of(op, &step, scalar);
    alternate(op, loop, scalar, &steps, &by[0], &by[1]);
    cpu_statement_call(at->p, op, at->base, at->var, &call);
    return (moved_block){(const char *)call.in_re,
                         (char *)call.out_re,
                         {by[0].in_re, by[1].in_re},
                         {by[0].out_re, by[1].out_re}};
}

static void move_block(moved_block *b, int odd)
{
    b->from += b->from_by[odd];
    b->to += b->to_by[odd];
}

/* Does each block begin at a cache line? */
static bool is_aligned(const moved_block *b)
{
    return (uintptr_t)b->to % CPU_LINE == 0 && b->to_by[0] % CPU_LINE == 0
           && b->to_by[1] % CPU_LINE == 0;
}

/* Lets the last kernel store its results directly to where they would be copied. */
static void store_straight(stepped *last, const bind_slices *s, const moved_block *put,
                           cpu_call_step *by[2])
{
    const ptrdiff_t there = put->to - (char *)(uintptr_t)put->from;

    last->straight = s->straight->run;
    cpu_call_advance(&last->call, &(cpu_call_step){.out_re = there, .out_im = there});
    for (int odd = 0; odd < 2; odd++) {
        by[odd]->out_re += put->to_by[odd] - put->from_by[odd];
        by[odd]->out_im += put->to_by[odd] - put->from_by[odd];
    }
}

static void run_sliced(nest *n, const cpu_cursor *at, const bind_op *loop, int64_t lo, int64_t hi)
{
    const bind_slices *s = loop->slices;
    const int last = n->kernels - 1;
    moved_block get = moved_block_of(at, loop, &s->get), put = moved_block_of(at, loop, &s->put);
    const bool straight = s->straight && is_aligned(&put);
    cpu_call_step by[2][BIND_MAX_STEPPED];

    for (int k = 0; k <= last; k++)
        alternate(n->kernel[k].op, loop, (ptrdiff_t)at->p->tape.scalar,
                  &n->step[n->part[0].step + k], &by[0][k], &by[1][k]);
    if (straight)
        store_straight(&n->kernel[last], s, &put, (cpu_call_step *[2]){&by[0][last], &by[1][last]});
    n->slices = (cpu_slices){.get_slice = s->get_slice,
                             .put_slice = s->put_slice,
                             .lines = cpu_lines[at->p->tape.target->isa]};
    for (int64_t v = lo; v < hi; v++) {
        const int odd = (int)(v % 2);
        cpu_slices_get(&n->slices, get.from, s->get_bytes);
        run_iteration(n, 0);
        if (s->put_bytes && !straight)
            cpu_slices_put(&n->slices, put.to, put.from, s->put_bytes);
        move_block(&get, odd);
        move_block(&put, odd);
        for (int k = 0; k <= last; k++)
            move_kernel(&n->kernel[k], &by[odd][k]);
    }
    cpu_slices_end(&n->slices);
}

void cpu_steps(cpu_cursor *at, const bind_op *loop, int64_t lo, int64_t hi)
{
    nest n;

    if (lo >= hi)
        return;
    n.kernels = n.steps = n.parts = 0;
    at->var[loop->var] = lo;
    add_loop(&n, at, loop, hi - lo);
    if (loop->slices)
        run_sliced(&n, at, loop, lo, hi);
    else
        run_nest_loop(&n, 0);
}
