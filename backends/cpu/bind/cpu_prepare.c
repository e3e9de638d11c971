// SPDX-License-Identifier: BSD-3-Clause
/* Binds a program to codelets: walks its statements, hands each nest of loops around a kernel to
 * cpu_select, and writes what is left as a flat tape. */
#include <string.h>

#include "backends/cpu/cpu_backend.h"
#include "core/mem.h"
#include "core/status.h"

typedef struct walk {
    cpu_program *p;
    int depth;                          /* loops open around the statement */
    const prog_stmt *open[IX_MAX_VARS]; /* outermost first */
    size_t loop[IX_MAX_VARS];           /* their ops */
    sluice_diag *why;
} walk;

cpu_range cpu_range_of(const spl_range *r)
{
    return (cpu_range){.n = r->n,
                       .share_var = r->share_var,
                       .shares = r->shares,
                       .grain = r->grain > 0 ? r->grain : 1};
}

/* The tape has at most as many ops as the program has statements. */
static cpu_op *append(cpu_program *p)
{
    return &p->op[p->nops++];
}

static size_t open_loop(cpu_program *p, const prog_stmt *s)
{
    cpu_op *op = append(p);

    *op = (cpu_op){.op = CPU_LOOP,
                   .par = s->range.kind == SPL_PAR,
                   .has_par = s->has_par,
                   .var = s->range.var,
                   .range = cpu_range_of(&s->range)};
    return p->nops - 1;
}

/* The nest that begins at statement `at`, where every body is one statement down to a kernel. */
static bool find_nest(const prog *body, size_t at, cpu_nest *nest)
{
    size_t i = at;

    nest->count = 0;
    for (; body->stmt[i].op == PROG_LOOP; i++) {
        nest->loop[nest->count++] = &body->stmt[i];
        if (body->stmt[i + 1].op == PROG_LOOP && body->stmt[i + 1].end != body->stmt[i].end)
            return false;
    }
    nest->kern = &body->stmt[i];
    if (nest->kern->op != PROG_KERN)
        return false;
    return nest->count == 0 || body->stmt[at].end == i + 1;
}

/* Where a side begins: re and im, `at` scalars beyond a buffer's first element. */
static void find_begin(const cpu_program *p, int buffer, ptrdiff_t at, cpu_begin *out)
{
    static const cpu_arena arena[][2] = {
        [PROG_IN] = {CPU_ARENA_IN, CPU_ARENA_IN_IM},
        [PROG_OUT] = {CPU_ARENA_OUT, CPU_ARENA_OUT_IM},
        [PROG_SHARED] = {CPU_ARENA_SHARED, CPU_ARENA_SHARED},
        [PROG_LOCAL] = {CPU_ARENA_LOCAL, CPU_ARENA_LOCAL},
    };
    const cpu_buf *b = &p->buf[buffer];
    const bool apart = b->format == SPL_SPLIT && b->space <= PROG_OUT; /* two arrays */
    const ptrdiff_t scalar = (ptrdiff_t)p->scalar, re = (ptrdiff_t)b->offset + at * scalar;

    out[0] = (cpu_begin){arena[b->space][0], re};
    out[1] = (cpu_begin){arena[b->space][apart], apart ? re : re + b->im * scalar};
}

/* Where the op begins, and whether it is the same one call whatever the loops around it do. */
static void settle(const cpu_program *p, cpu_op *op)
{
    const bool rows = op->codelet && op->codelet->key.tw == SPL_TW_BROADCAST;

    find_begin(p, op->in, op->in_at, op->begin);
    find_begin(p, op->out, op->out_at, op->begin + 2);
    for (int i = 0; i < 4 && op->swap; i += 2) {
        const cpu_begin re = op->begin[i];
        op->begin[i] = op->begin[i + 1];
        op->begin[i + 1] = re;
    }
    if (op->op != CPU_KERN || op->codelet_nt || op->ahead || op->cols.share_var >= 0
        || op->rows.share_var >= 0)
        return;
    if (op->cols.n % op->codelet->key.lanes != 0)
        return;
    op->call.lanes = (size_t)op->cols.n;
    op->steady = (size_t)(rows ? op->rows.n : op->cols.n);
}

static void release_op(const cpu_program *p, cpu_op *op)
{
    cpu_table_put(p->owner->tables, op->table);
    cpu_table_put(p->owner->tables, op->grid);
    core_free(op->offsets);
    core_free(op->place[0]);
    core_free(op->place[1]);
    for (int i = 0; i < PROG_MAX_TWIDDLES; i++)
        spl_diagonal_close(op->diagonal[i]);
}

static sluice_status overlap(walk *w, cpu_op *op)
{
    if (cpu_overlap(w->p, op, w->depth, w->open, w->loop))
        return SLUICE_OK;
    release_op(w->p, op);
    return core_fail(w->why, SLUICE_E_UNSUPPORTED, 0,
                     "more than %d digits of loops around one kernel", CPU_MAX_STEPS);
}

/* The longest runs that begin at multiples of their length, over which both addresses step evenly. */
static int64_t even_run(const prog_stmt *s)
{
    int64_t a = ix_even(s->fin), b = ix_even(s->fout);

    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static sluice_status emit_zero(walk *w, const prog_stmt *s)
{
    cpu_op op = {.op = CPU_ZERO, .stmt = s, .in = s->in, .out = s->out, .run = ix_run(s->fout)};

    const sluice_status status = overlap(w, &op);
    if (status != SLUICE_OK)
        return status;
    settle(w->p, &op);
    *append(w->p) = op;
    return SLUICE_OK;
}

static sluice_status emit_transfer(walk *w, const prog_stmt *s)
{
    cpu_nest nest = {.kern = s, .outer_count = w->depth};
    cpu_op op;

    memcpy(nest.outer, w->open, (size_t)w->depth * sizeof w->open[0]);
    sluice_status status = cpu_select_transfer(w->p, &nest, &op, w->why);
    if (status == SLUICE_OK)
        status = overlap(w, &op);
    if (status != SLUICE_OK)
        return status;
    settle(w->p, &op);
    *append(w->p) = op;
    return SLUICE_OK;
}

static sluice_status emit_nest(walk *w, cpu_nest *nest)
{
    size_t opened[IX_MAX_VARS];
    bool taken[IX_MAX_VARS];
    cpu_op op;
    int count = 0;

    nest->outer_count = w->depth;
    memcpy(nest->outer, w->open, (size_t)w->depth * sizeof w->open[0]);
    sluice_status status = cpu_select(w->p, nest, &op, taken, w->why);
    if (status != SLUICE_OK) {
        release_op(w->p, &op);
        return status;
    }
    status = overlap(w, &op);
    if (status != SLUICE_OK)
        return status;
    for (int i = 0; i < nest->count; i++)
        if (!taken[i])
            opened[count++] = open_loop(w->p, nest->loop[i]);
    op.stmt = nest->kern;
    if (op.op == CPU_EVAL && nest->kern->ntwiddles == 0)
        op.run = even_run(nest->kern);
    settle(w->p, &op);
    *append(w->p) = op;
    for (int i = 0; i < count; i++)
        w->p->op[opened[i]].end = w->p->nops;
    return SLUICE_OK;
}

static sluice_status emit_range(walk *w, size_t from, size_t to)
{
    const prog *body = w->p->body;
    sluice_status status = SLUICE_OK;

    for (size_t i = from; i < to && status == SLUICE_OK;) {
        const prog_stmt *s = &body->stmt[i];
        cpu_nest nest;
        if (s->op == PROG_SYNC) {
            *append(w->p) = (cpu_op){.op = CPU_SYNC};
            w->p->syncs = true;
            i++;
        } else if (s->op == PROG_ZERO) {
            status = emit_zero(w, s);
            i++;
        } else if (s->op == PROG_COPY) {
            status = emit_transfer(w, s);
            i++;
        } else if (find_nest(body, i, &nest)) {
            status = emit_nest(w, &nest);
            i = s->op == PROG_LOOP ? s->end : i + 1;
        } else {
            const size_t loop = open_loop(w->p, s);
            w->p->op[loop].dma.drains = cpu_overlap_ends(w->p, s);
            w->loop[w->depth] = loop;
            w->open[w->depth++] = s;
            status = emit_range(w, i + 1, s->end);
            w->depth--;
            w->p->op[loop].end = w->p->nops;
            i = s->end;
        }
    }
    return status;
}

/* Intermediate buffers hold what the codelets compute in: split where every VEC loop is split. */
static spl_format inner_format(const prog *body)
{
    bool split = false;

    for (size_t i = 0; i < body->nstmts; i++) {
        const prog_stmt *s = &body->stmt[i];
        if (s->op != PROG_LOOP || s->range.kind != SPL_VEC)
            continue;
        if (s->range.format == SPL_INTER)
            return SPL_INTER;
        split = true;
    }
    return split ? SPL_SPLIT : SPL_INTER;
}

static sluice_status bind_buffers(cpu_program *p, sluice_diag *why)
{
    const prog *body = p->body;
    const spl_format inner = inner_format(body);
    const spl_format in = body->sides.in_layout == SLUICE_SPLIT ? SPL_SPLIT : SPL_INTER;
    const spl_format out = body->sides.out_layout == SLUICE_SPLIT ? SPL_SPLIT : SPL_INTER;

    if (body->nbufs > CPU_MAX_BUFS)
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "more than %d buffers", CPU_MAX_BUFS);
    p->nbufs = body->nbufs;
    for (int i = 0; i < body->nbufs; i++) {
        const prog_buf *b = &body->buf[i];
        const spl_format f = b->space == PROG_IN ? in : b->space == PROG_OUT ? out : inner;
        p->buf[i] = (cpu_buf){.space = b->space,
                              .format = f,
                              .offset = (size_t)b->offset * 2 * p->scalar,
                              .im = f == SPL_INTER ? 1 : (ptrdiff_t)b->elems};
    }
    return SLUICE_OK;
}

/* Shared scratch, then each member's own, all a multiple of 64 bytes plus a line against
 * sharing. */
static sluice_status size_scratch(cpu_program *p, sluice_diag *why)
{
    const size_t line = 64, element = 2 * p->scalar;
    size_t locals;

    if (!core_mul((size_t)p->body->shared_elems, element, &p->shared_bytes)
        || !core_mul((size_t)p->body->local_elems, element, &p->local_bytes))
        return core_fail_memory(why);
    p->shared_bytes = (p->shared_bytes + line - 1) / line * line;
    p->local_bytes = (p->local_bytes + line - 1) / line * line;
    if (p->local_bytes)
        p->local_bytes += line;
    if (!core_mul(p->local_bytes, (size_t)p->members, &locals)
        || !core_add(locals, p->shared_bytes, &p->work_bytes))
        return core_fail_memory(why);
    return SLUICE_OK;
}

static sluice_status reserve_scratch(cpu_program *p, sluice_diag *why)
{
    const cpu_state *owner = p->owner;
    const bool small = p->work_bytes <= owner->local_store * (size_t)owner->units;

    p->scratch = small ? owner->small : owner->large;
    const sluice_status status =
        p->work_bytes ? cpu_scratch_grow(p->scratch, p->work_bytes, why) : SLUICE_OK;
    if (status == SLUICE_E_MEMORY)
        return core_fail(why, status, 0, "no memory for scratch of %s",
                         core_bytes((double)p->work_bytes).text);
    return status;
}

static sluice_status build(cpu_program *p, sluice_diag *why)
{
    walk w = {.p = p, .why = why};

    sluice_status status = bind_buffers(p, why);
    if (status != SLUICE_OK)
        return status;
    p->op = core_calloc(p->body->nstmts ? p->body->nstmts : 1, sizeof *p->op);
    if (!p->op)
        return core_fail_memory(why);
    status = size_scratch(p, why);
    if (status == SLUICE_OK) /* before tables, which may take long to make */
        status = reserve_scratch(p, why);
    return status == SLUICE_OK ? emit_range(&w, 0, p->body->nstmts) : status;
}

/* How far one turn of loop `var` moves an op's addresses; false where that is not the same for all. */
static bool even_step(const cpu_op *op, int var, cpu_step *out)
{
    *out = (cpu_step){.var = var};
    for (int i = 0; i < op->nsteps; i++) {
        const cpu_step *s = &op->step[i];
        if (s->var != var)
            continue;
        if (s->ext != 0)
            return false;
        out->in += s->in;
        out->out += s->out;
        out->tw += s->tw;
    }
    return true;
}

/* Finds the loops around one steady kernel whose addresses move evenly. */
static void find_strips(cpu_program *p)
{
    for (size_t i = 0; i + 1 < p->nops; i++) {
        cpu_op *loop = &p->op[i];
        const cpu_op *op = loop + 1;
        loop->strip = loop->op == CPU_LOOP && loop->end == i + 2 && op->op == CPU_KERN && op->steady
                      && even_step(op, loop->var, &loop->step[0]);
    }
}

/* Is the body of a loop kernels one after the other, the first of which reads an interleaved input
 * that outgrows the caches, and the last of which runs over columns of a buffer? */
static bool is_batch(const cpu_program *p, size_t loop)
{
    const cpu_op *l = &p->op[loop], *first = l + 1, *last = &p->op[l->end - 1];

    if (l->op != CPU_LOOP || l->end < loop + 3)
        return false;
    for (const cpu_op *op = first; op <= last; op++)
        if (op->op != CPU_KERN)
            return false;
    const prog_buf *b = &p->body->buf[first->in];
    return b->space == PROG_IN && p->buf[first->in].format == SPL_INTER && last->in != first->in
           && last->codelet->key.position == SPL_POS_C && last->codelet->key.tw == SPL_TW_NONE
           && (size_t)b->elems * 2 * p->scalar > CPU_FAR_STORES * p->owner->local_store;
}

/* The last kernel of a batch fetches what the first one reads in the next turn, piece by piece: 4096
 * times 1024 points in double precision took 12.8 ms without and 10.4 with it (in place 9.8 and
 * 6.8), 2048 times 2048 14.7 and 11.9; rows of 4096x4096, which lie apart, 67 and 62 in single
 * precision. Transforms beyond the first level lose by it, and those beyond a half where the last
 * kernel is one of three, whose share of the work is small, and the next input follows. */
static void fetch_next(cpu_program *p)
{
    const size_t l1 = core_topology_core(p->owner->topology, 0)->l1;

    for (size_t i = 0; i < p->nops; i++) {
        const cpu_op *loop = &p->op[i];
        cpu_step turn;
        if (!is_batch(p, i) || !even_step(loop + 1, loop->var, &turn) || turn.in <= 0)
            continue;
        const size_t bytes = (size_t)(loop[1].codelet->key.n * loop[1].cols.n) * 2 * p->scalar;
        const size_t next = (size_t)turn.in * p->scalar;
        if (bytes > (next != bytes || loop->end == i + 3 ? l1 : l1 / 2))
            continue;
        cpu_op *last = &p->op[loop->end - 1];
        const size_t lanes = (size_t)last->codelet->key.lanes, columns = (size_t)last->cols.n;
        const size_t pieces = bytes / (2 * CPU_AHEAD_BYTES) + 1;
        last->ahead = lanes * (columns / lanes / pieces + 1);
        last->ahead_bytes = bytes * last->ahead / columns;
        last->next = i + 1;
        last->next_bytes = next;
    }
}

static bool is_list(const cpu_program *p)
{
    for (size_t i = 0; i < p->nops; i++)
        if (p->op[i].op != CPU_KERN && p->op[i].op != CPU_ZERO)
            return false;
    return true;
}

/* One call of one codelet on the user's arrays, nothing to add or to look up but which of the four
 * is which. */
static bool is_direct(const cpu_program *p)
{
    const cpu_op *op = &p->op[0];

    if (p->nops != 1 || !op->steady || op->in_at || op->out_at || op->in != 0 || op->out != 1)
        return false;
    const spl_key *key = &op->codelet->key;
    return key->tw != SPL_TW_BROADCAST && key->tw != SPL_TW_GRID
           && key->position != SPL_POS_G; /* they read more of a call */
}

/* Elements next to each other that stay so, in order, on the user's interleaved arrays. */
static bool is_copy(const cpu_program *p)
{
    static const int64_t none[IX_MAX_VARS];
    const cpu_op *op = &p->op[0];
    const prog_stmt *s = op->stmt;

    return p->nops == 1 && op->op == CPU_EVAL && s->op == PROG_KERN && op->run == s->n
           && op->in == 0 && op->out == 1 && p->buf[0].format == SPL_INTER
           && p->buf[1].format == SPL_INTER && ix_eval(s->fin, 0, none) == 0
           && ix_eval(s->fout, 0, none) == 0
           && (s->n == 1 || (ix_eval(s->fin, 1, none) == 1 && ix_eval(s->fout, 1, none) == 1));
}

static bool is_interleaved(const spl_key *key)
{
    return key->in == SPL_INTER && key->out == SPL_INTER;
}

/* How it runs: by its tape, or by one indirect call. */
static void choose_run(cpu_program *p)
{
    const bool direct = is_direct(p);

    if (is_copy(p)) {
        p->op[0].steady = (size_t)p->op[0].run * 2 * p->scalar;
        p->base.run = cpu_run_copy_arrays;
        p->base.run_pair = cpu_run_copy;
        return;
    }
    p->base.run = direct ? cpu_run_arrays : cpu_run_any;
    p->base.run_pair = direct && is_interleaved(&p->op[0].codelet->key) ? cpu_run_direct : NULL;
}

sluice_status cpu_prepare(backend *b, const double *costs, const prog *body, backend_way way,
                          sluice_precision precision, backend_program **out, sluice_diag *why)
{
    cpu_program *p = core_calloc(1, sizeof *p);
    cpu_state *owner = (cpu_state *)b;

    if (!p)
        return core_fail_memory(why);
    p->owner = owner;
    p->costs = costs;
    p->body = body;
    p->precision = precision;
    p->way = way;
    p->scalar = precision == SLUICE_F32 ? sizeof(float) : sizeof(double);
    p->members = body->parts < owner->units ? (int)body->parts : owner->units;
    const sluice_status status = build(p, why);
    if (status != SLUICE_OK) {
        cpu_release(&p->base);
        return status;
    }
    find_strips(p);
    fetch_next(p);
    p->is_list = is_list(p);
    choose_run(p);
    p->base.table = &cpu_backend;
    p->base.owner = b;
    *out = &p->base;
    return SLUICE_OK;
}

void cpu_release(backend_program *program)
{
    cpu_program *p = (cpu_program *)program;

    if (!p)
        return;
    for (size_t i = 0; i < p->nops; i++)
        release_op(p, &p->op[i]);
    core_free(p->op);
    core_free(p);
}
