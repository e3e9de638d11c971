// SPDX-License-Identifier: BSD-3-Clause
/* Binds a program to codelets: each stage becomes an op (bind_select.c) inside the loops that its
 * codelet does not take over. The ops form a flat tape. */
#include <string.h>

#include "core/mem.h"
#include "core/number.h"
#include "core/status.h"
#include "spl/bind/bind_choice.h"
#include "spl/bind/bind_factors.h"

typedef struct binder {
    bind_tape *p;
    int depth;                          /* loops open around the statement */
    const prog_stmt *open[IX_MAX_VARS]; /* outermost first */
    size_t loop[IX_MAX_VARS];           /* their ops */
    sluice_diag *why;
} binder;

/* The tape has at most as many ops as the program has statements. */
static bind_op *append_op(bind_tape *p)
{
    return &p->op[p->nops++];
}

static size_t open_loop(bind_tape *p, const prog_stmt *s)
{
    bind_op *op = append_op(p);

    *op = (bind_op){.op = BIND_LOOP,
                    .par = s->range.kind == SPL_PAR,
                    .has_par = s->has_par,
                    .var = s->range.var,
                    .range = bind_range_of(&s->range)};
    return p->nops - 1;
}

/* The base of a side: addresses of re and im, `at` scalars after the buffer's first element. In a
 * buffer of reals im is `im` scalars after re. */
static void find_base(const bind_tape *p, int buffer, ptrdiff_t at, ptrdiff_t im, bind_base *out)
{
    static const bind_arena arena[][2] = {
        [PROG_IN] = {BIND_ARENA_IN, BIND_ARENA_IN_IM},
        [PROG_OUT] = {BIND_ARENA_OUT, BIND_ARENA_OUT_IM},
        [PROG_SHARED] = {BIND_ARENA_SHARED, BIND_ARENA_SHARED},
        [PROG_LOCAL] = {BIND_ARENA_LOCAL, BIND_ARENA_LOCAL},
    };
    const bind_buf *b = &p->buf[buffer];
    const bool apart = b->format == SPL_SPLIT && b->space <= PROG_OUT; /* two arrays */
    const ptrdiff_t scalar = (ptrdiff_t)p->scalar, re = (ptrdiff_t)b->offset + at * scalar;

    out[0] = (bind_base){arena[b->space][0], re};
    const ptrdiff_t apart_by = b->format == SPL_REAL ? im : b->im;
    out[1] = (bind_base){arena[b->space][apart], apart ? re : re + apart_by * scalar};
}

/* The codelet of the shortest vectors that can hold the columns that are left over: they fill its
 * vector, or the vector may start early. NULL: there is none. */
static const spl_codelet *last_codelet(const bind_op *op)
{
    const int64_t n = op->cols.n, rest = n % op->tail.lanes;
    const spl_codelet *found = op->tail.may_start_early ? op->codelet : NULL;

    for (int i = 0; i < BIND_WIDTHS && op->shorter[i]; i++) {
        const int lanes = op->shorter[i]->key.lanes;
        if (lanes == rest || (op->tail.may_start_early && lanes > rest))
            found = op->shorter[i];
    }
    return found;
}

/* How far the start of the last vector of columns is from the first column. */
static bind_step last_vector(const bind_op *op)
{
    const bind_tail *t = &op->tail;
    const int64_t left = op->cols.n - op->last_codelet->key.lanes,
                  blocks = (op->cols.n + t->lanes - 1) / t->lanes;

    return (bind_step){.in = (ptrdiff_t)left * op->call.ics,
                       .out = (ptrdiff_t)left * op->call.ocs,
                       .tw = t->tw == SPL_TW_VECTOR ? (ptrdiff_t)(blocks * (int64_t)t->block) : 0};
}

/* Makes the op one call for all columns; two if the columns left over are one vector. */
static void fix_calls(bind_op *op, bool sets)
{
    const int64_t lanes = op->tail.lanes, n = op->cols.n;
    const int64_t whole = op->tail.repeats && n >= lanes ? n : n / lanes * lanes;
    const bool apart = op->tail.pairs || op->mirrored[0] || op->mirrored[1];
    const spl_codelet *last = last_codelet(op);

    if (whole < n
        && (!whole || !last || apart || op->tail.tw == SPL_TW_FACTORED_SHARED
            || op->prefetch_next_set))
        return;
    op->call.set_columns = (size_t)whole;
    op->fixed_count = (size_t)(sets ? op->outer.n : whole);
    if (whole == n)
        return;
    op->last_codelet = last;
    op->last_count = (size_t)(sets ? op->outer.n : last->key.lanes);
    if (op->tail.tw == SPL_TW_FACTORED)
        op->last_first = (size_t)(n - lanes);
    else
        op->last = last_vector(op);
}

/* If the op is the same single call in all iterations of its loops, fixes its counts. */
static void fix_one_call(bind_op *op)
{
    if (op->op == BIND_KERN && !op->codelet_nt && !op->prefetch_columns && !op->slice_columns
        && op->cols.share_var < 0 && op->outer.share_var < 0)
        fix_calls(op, op->codelet && bind_runs_sets(&op->codelet->key));
}

void bind_stay_in_place(bind_op *op)
{
    op->tail.may_start_early = false;
    op->codelet_nt = NULL;
    op->fixed_count = op->last_count = 0;
    fix_one_call(op);
}

/* Sets what the op's addresses are relative to. */
static void resolve_bases(const bind_tape *p, bind_op *op)
{
    find_base(p, op->in, op->in_offset, op->in_im, op->base);
    find_base(p, op->out, op->out_offset, op->out_im, op->base + 2);
    for (int i = 0; i < 4 && op->swap; i += 2) {
        const bind_base re = op->base[i];
        op->base[i] = op->base[i + 1];
        op->base[i + 1] = re;
    }
    fix_one_call(op);
}

static void release_op(const bind_tape *p, bind_op *op)
{
    bind_table_put(p->target->tables, op->table);
    bind_table_put(p->target->tables, op->shared_table);
    core_free(op->offsets);
    core_free(op->slices);
    core_free(op->element_offsets[0]);
    core_free(op->element_offsets[1]);
    bind_factors_close(op->diagonal);
}

static sluice_status add_overlap(binder *w, bind_op *op)
{
    if (bind_overlap(w->p, op, w->depth, w->open, w->loop))
        return SLUICE_OK;
    release_op(w->p, op);
    return core_fail(w->why, SLUICE_E_UNSUPPORTED, 0,
                     "more than %d digits of loops around one kernel", BIND_MAX_STEPS);
}

/* For copies with evaluated addresses: the longest runs, beginning at multiples of their length,
 * over which both addresses have one stride. */
static void set_run(bind_op *op)
{
    const prog_stmt *s = op->stmt;

    if (op->op == BIND_EVAL && s->ntwiddles == 0 && s->fin->n == s->fout->n)
        op->run = core_gcd(ix_even(s->fin), ix_even(s->fout));
}

/* Appends an op that lacks only its transfer dependences and its base addresses. */
static sluice_status add_op(binder *w, bind_op *op)
{
    const sluice_status status = add_overlap(w, op);
    if (status != SLUICE_OK)
        return status;
    resolve_bases(w->p, op);
    *append_op(w->p) = *op;
    return SLUICE_OK;
}

static sluice_status bind_zero(binder *w, const prog_stmt *s)
{
    bind_op op = {.op = BIND_ZERO, .stmt = s, .in = s->in, .out = s->out, .run = ix_run(s->fout)};

    return add_op(w, &op);
}

static sluice_status bind_transfer(binder *w, const prog_stmt *s)
{
    prog_stage stage = {.stmt = s, .outer_count = w->depth};
    bind_op op;

    memcpy(stage.outer, w->open, (size_t)w->depth * sizeof w->open[0]);
    const sluice_status status = bind_select_transfer(w->p, &stage, &op, w->why);
    set_run(&op);
    return status == SLUICE_OK ? add_op(w, &op) : status;
}

static sluice_status bind_stage(binder *w, prog_stage *stage)
{
    size_t opened[IX_MAX_VARS];
    bool taken[IX_MAX_VARS];
    bind_op op;
    int count = 0;

    stage->outer_count = w->depth;
    memcpy(stage->outer, w->open, (size_t)w->depth * sizeof w->open[0]);
    sluice_status status = bind_select(w->p, stage, &op, taken, w->why);
    if (status != SLUICE_OK) {
        release_op(w->p, &op);
        return status;
    }
    status = add_overlap(w, &op);
    if (status != SLUICE_OK)
        return status;
    for (int i = 0; i < stage->count; i++)
        if (!taken[i])
            opened[count++] = open_loop(w->p, stage->loop[i]);
    op.stmt = stage->stmt;
    set_run(&op);
    resolve_bases(w->p, &op);
    *append_op(w->p) = op;
    for (int i = 0; i < count; i++)
        w->p->op[opened[i]].end = w->p->nops;
    return SLUICE_OK;
}

static sluice_status bind_statements(binder *w, size_t from, size_t to);

static sluice_status bind_loop(binder *w, const prog_stmt *s)
{
    const size_t loop = open_loop(w->p, s), first = (size_t)(s - w->p->body->stmt) + 1;

    w->p->op[loop].async.waits_for_puts = bind_overlap_ends(w->p, s);
    w->loop[w->depth] = loop;
    w->open[w->depth++] = s;
    const sluice_status status = bind_statements(w, first, s->end);
    w->depth--;
    w->p->op[loop].end = w->p->nops;
    return status;
}

/* Does a codelet compute the planes of this loop one after the other? */
static bool is_loop_of_planes(binder *w, const prog_stmt *s, bind_op *op)
{
    const prog_stmt *all = w->p->body->stmt;
    const size_t first = (size_t)(s - all) + 1, end = first < s->end ? all[first].end : s->end;

    if (end >= s->end || all[end].end != s->end)
        return false;
    w->open[w->depth] = s;
    return bind_plane(w->p, first, s->end, w->depth + 1, w->open, s, op);
}

static sluice_status bind_statement(binder *w, size_t at)
{
    const prog *body = w->p->body;
    const prog_stmt *s = &body->stmt[at];
    prog_stage stage;

    if (s->op == PROG_SYNC) {
        *append_op(w->p) = (bind_op){.op = BIND_SYNC};
        w->p->syncs = true;
        return SLUICE_OK;
    }
    if (s->op == PROG_ZERO)
        return bind_zero(w, s);
    if (s->op == PROG_COPY)
        return bind_transfer(w, s);
    bind_op planes;
    if (prog_stage_at(body, at, &stage) && stage.stmt->op == PROG_KERN)
        return bind_stage(w, &stage);
    return is_loop_of_planes(w, s, &planes) ? add_op(w, &planes) : bind_loop(w, s);
}

static sluice_status bind_statements(binder *w, size_t from, size_t to)
{
    const prog_stmt *all = w->p->body->stmt;
    sluice_status status = SLUICE_OK;
    bind_op plane;

    for (size_t i = from; i < to && status == SLUICE_OK; i = all[i].end)
        if (bind_plane(w->p, i, to, w->depth, w->open, NULL, &plane)) {
            status = add_op(w, &plane);
            i = all[i].end;
        } else {
            status = bind_statement(w, i);
        }
    return status;
}

/* Intermediate buffers have the format that codelets compute in: split if every VEC loop is
 * split. */
static spl_format inner_format(const prog *body)
{
    bool split = false;

    for (size_t i = 0; i < body->nstmts; i++) {
        const prog_stmt *s = &body->stmt[i];
        if (s->op != PROG_LOOP || s->range.kind != SPL_VEC)
            continue;
        if (s->range.format == SPL_INTER)
            return SPL_INTER;
        split = split || s->range.format == SPL_SPLIT;
    }
    return split ? SPL_SPLIT : SPL_INTER;
}

static sluice_status bind_buffers(bind_tape *p, sluice_diag *why)
{
    const prog *body = p->body;
    const spl_format inner = inner_format(body);
    const spl_format in = body->sides.in_layout == SLUICE_SPLIT ? SPL_SPLIT : SPL_INTER;
    const spl_format out = body->sides.out_layout == SLUICE_SPLIT ? SPL_SPLIT : SPL_INTER;

    if (body->nbufs > BIND_MAX_BUFS)
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "more than %d buffers", BIND_MAX_BUFS);
    p->nbufs = body->nbufs;
    for (int i = 0; i < body->nbufs; i++) {
        const prog_buf *b = &body->buf[i];
        const spl_format side = b->space == PROG_IN ? in : b->space == PROG_OUT ? out : inner;
        const spl_format f = b->type == SPL_TYPE_REAL ? SPL_REAL : side;
        p->buf[i] = (bind_buf){.space = b->space,
                               .format = f,
                               .offset = (size_t)b->offset * PROG_PLACE_SCALARS * p->scalar,
                               .im = f == SPL_INTER ? 1 : (ptrdiff_t)b->elems};
    }
    return SLUICE_OK;
}

/* Sizes of shared scratch and of each member's own, rounded up to lines; a member's scratch has a
 * line more, against false sharing. */
static sluice_status size_scratch(bind_tape *p, sluice_diag *why)
{
    const size_t line = BIND_LINE, place = PROG_PLACE_SCALARS * p->scalar;
    size_t locals;

    if (!core_mul((size_t)p->body->shared_elems, place, &p->shared_bytes)
        || !core_mul((size_t)p->body->local_elems, place, &p->local_bytes))
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

static bool is_list(const bind_tape *p)
{
    for (size_t i = 0; i < p->nops; i++)
        if (p->op[i].op != BIND_KERN && p->op[i].op != BIND_MOVE && p->op[i].op != BIND_ZERO)
            return false;
    return true;
}

/* Refuses kernels that can have no codelet; transforms, pairs and moves can. */
static sluice_status check_kernels(const prog *body, const char *who, sluice_diag *why)
{
    for (size_t i = 0; i < body->nstmts; i++) {
        const prog_stmt *s = &body->stmt[i];
        if (s->op == PROG_KERN && s->kernel != SPL_I && s->kernel != SPL_PAIR
            && s->kernel != SPL_RETYPE && s->kernel != SPL_TRANSFORM)
            return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "%s has no codelet for %s(%lld)", who,
                             prog_kernel_word(s), (long long)s->n);
    }
    return SLUICE_OK;
}

sluice_status bind_open(bind_tape *p, const bind_target *target, const double *costs,
                        const prog *body, sluice_precision precision, bool may_overlap,
                        sluice_diag *why)
{
    *p = (bind_tape){.target = target,
                     .costs = costs,
                     .body = body,
                     .precision = precision,
                     .scalar = precision == SLUICE_F32 ? sizeof(float) : sizeof(double),
                     .members = body->parts < target->units ? (int)body->parts : target->units,
                     .may_overlap = may_overlap};
    sluice_status status = check_kernels(body, target->name, why);
    if (status == SLUICE_OK)
        status = bind_buffers(p, why);
    return status == SLUICE_OK ? size_scratch(p, why) : status;
}

sluice_status bind_program(bind_tape *p, sluice_diag *why)
{
    binder w = {.p = p, .why = why};

    p->op = core_calloc(p->body->nstmts ? p->body->nstmts : 1, sizeof *p->op);
    if (!p->op)
        return core_fail_memory(why);
    const sluice_status status = bind_statements(&w, 0, p->body->nstmts);
    if (status != SLUICE_OK)
        return status;
    bind_prefetch_batches(p);
    bind_constant_steps(p);
    p->is_list = is_list(p);
    return SLUICE_OK;
}

void bind_release(bind_tape *p)
{
    for (size_t i = 0; i < p->nops; i++)
        release_op(p, &p->op[i]);
    core_free(p->op);
}
