// SPDX-License-Identifier: BSD-3-Clause
/* Running a tape: all members walk it together; statements outside PAR loops are member 0's. */
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "backends/cpu/run/cpu_walk.h"
#include "core/log.h"

/* Work up to here lies on the caller's stack; teams beyond DEALS members share where they begin. */
enum { STACK_BYTES = 16 * 1024, DEALS = 32 };

/* How far a share of the parts has been taken: number of the PAR loop, counted from 1, in the upper
 * half, how many of its parts in the lower. Parts are independent and SYNC orders their memory, so
 * relaxed. */
typedef struct deal {
    _Alignas(64) atomic_uint_least64_t taken;
} deal;

typedef struct team {
    const cpu_program *p;
    const sluice_arrays *arrays;
    char *work;
    cpu_barrier *barrier; /* NULL: one member */
    int deals;
    deal deal[DEALS];
} team;

typedef struct run {
    cpu_walk at;
    team *team;
    cpu_barrier *barrier;
    int member, members;
    uint64_t par_loops; /* begun so far */
    bool in_par;
} run;

static void set_bases(char **base, const cpu_program *p, const sluice_arrays *a, char *work,
                      int member)
{
    base[CPU_ARENA_IN] = (char *)(uintptr_t)a->in;
    base[CPU_ARENA_IN_IM] = (char *)(uintptr_t)a->in_im;
    base[CPU_ARENA_OUT] = a->out;
    base[CPU_ARENA_OUT_IM] = a->out_im;
    base[CPU_ARENA_SHARED] = work;
    base[CPU_ARENA_LOCAL] = work + p->shared_bytes + (size_t)member * p->local_bytes;
}

/* The call of an op's codelet where the loops around it stand. */
static spl_call call_now(const cpu_program *p, const cpu_op *op, char *const *base,
                         const int64_t *var)
{
    spl_call call = op->call;
    const cpu_step at = cpu_walk_steps(op, var);
    const ptrdiff_t scalar = (ptrdiff_t)p->scalar;

    call.in_re = cpu_walk_point(base, &op->begin[0], at.in * scalar);
    call.in_im = cpu_walk_point(base, &op->begin[1], at.in * scalar);
    call.out_re = cpu_walk_point(base, &op->begin[2], at.out * scalar);
    call.out_im = cpu_walk_point(base, &op->begin[3], at.out * scalar);
    if (call.tw)
        call.tw = (const char *)call.tw + at.tw * scalar;
    return call;
}

/* What is to be fetched while an op runs from column lo on. */
static cpu_ahead ahead_of(const cpu_program *p, const cpu_op *op, const spl_call *call,
                          char *const *base, const int64_t *var, int64_t lo)
{
    cpu_ahead ahead = {.columns = op->ahead, .bytes = op->ahead_bytes, .time = op->next > 0};

    if (op->next)
        ahead.next = (const char *)call_now(p, &p->op[op->next], base, var).in_re + op->next_bytes;
    else
        ahead.next = (const char *)call->in_re
                     + (ptrdiff_t)(lo + CPU_AHEAD_CALLS * (int64_t)op->ahead) * call->ics
                           * (ptrdiff_t)p->scalar;
    return ahead;
}

static void run_steady(const cpu_op *op, const spl_call *call)
{
    if (op->sets)
        cpu_fetch_sets(&op->tail, call, op->steady, op->turn, op->far);
    else
        op->codelet->run(call, 0, op->steady);
}

static void run_kernel(const cpu_program *p, const cpu_op *op, char *const *base,
                       const int64_t *var)
{
    const spl_call call = call_now(p, op, base, var);
    int64_t lo, hi, first, last;

    if (op->steady && !op->ahead) {
        run_steady(op, &call);
        return;
    }
    cpu_walk_range(&op->cols, var, &lo, &hi);
    cpu_walk_range(&op->rows, var, &first, &last);
    const bool lines = op->codelet_nt && ((uintptr_t)call.out_re & 63) == 0;
    spl_codelet_fn *const run = (lines ? op->codelet_nt : op->codelet)->run;
    if (op->ahead)
        cpu_fetch_columns(&op->tail, run, &call, ahead_of(p, op, &call, base, var, lo), (size_t)lo,
                          (size_t)hi);
    else
        cpu_columns(&op->tail, run, &call, (size_t)lo, (size_t)hi, (size_t)first,
                    (size_t)(last - first));
}

static void run_move(const run *r, const cpu_op *op)
{
    const spl_call call = call_now(r->at.p, op, r->at.base, r->at.var);
    int64_t lo, hi;

    cpu_walk_range(&op->cols, r->at.var, &lo, &hi);
    cpu_move(r->at.p, op, &call, lo, hi);
}

/* A loop around one steady kernel: its addresses are worked out once. */
static void run_strip(run *r, const cpu_op *loop, const cpu_op *op, int64_t lo, int64_t hi)
{
    const ptrdiff_t scalar = (ptrdiff_t)r->at.p->scalar;
    const ptrdiff_t in = loop->step[0].in * scalar, out = loop->step[0].out * scalar,
                    tw = loop->step[0].tw * scalar;

    r->at.var[loop->var] = lo;
    spl_call call = call_now(r->at.p, op, r->at.base, r->at.var);
    for (int64_t v = lo; v < hi; v++) {
        run_steady(op, &call);
        call.in_re = (const char *)call.in_re + in;
        call.in_im = (const char *)call.in_im + in;
        call.out_re = (char *)call.out_re + out;
        call.out_im = (char *)call.out_im + out;
        if (call.tw)
            call.tw = (const char *)call.tw + tw;
    }
}

/* Stores past the caches are ordered before what other threads are told of them. */
static void fence(const cpu_program *p)
{
#if SLUICE_HAVE_X86
    if (p->streams)
        __builtin_ia32_sfence();
#else
    (void)p;
#endif
}

static void run_ops(run *r, size_t from, size_t to);

/* The next part of share `share` of the PAR loop under way that nobody has, or -1. A member that is
 * ahead begins the next loop's count only when all of this one's parts are taken, so to see that is
 * to be done. */
static int64_t next_of(run *r, int share, int64_t parts)
{
    atomic_uint_least64_t *taken = &r->team->deal[share].taken;
    uint64_t seen = atomic_load_explicit(taken, memory_order_relaxed);
    int64_t lo, hi;

    spl_share(parts, r->team->deals, 1, share, &lo, &hi);
    for (;;) {
        const uint64_t loop = seen >> 32, begun = loop == r->par_loops ? seen & UINT32_MAX : 0;
        if (loop > r->par_loops || (int64_t)begun >= hi - lo)
            return -1;
        if (atomic_compare_exchange_weak_explicit(taken, &seen, r->par_loops << 32 | (begun + 1),
                                                  memory_order_relaxed, memory_order_relaxed))
            return lo + (int64_t)begun;
    }
}

/* Members begin with the share that was theirs in the loop and the execution before, whose data
 * their caches may still hold, and help with the other shares afterwards. */
static void run_parts(run *r, const cpu_op *op, size_t body)
{
    const int deals = r->team->deals;

    r->in_par = true;
    r->par_loops++;
    for (int i = 0; i < deals; i++) {
        const int share = (r->member + i) % deals;
        for (int64_t k; (k = next_of(r, share, op->range.n)) >= 0;) {
            r->at.var[op->var] = k;
            run_ops(r, body, op->end);
        }
    }
    r->in_par = false;
}

static cpu_place place_now(const cpu_program *p, const cpu_op *op, char *const *base,
                           const int64_t *var, bool out)
{
    const cpu_step at = cpu_walk_steps(op, var);

    return cpu_walk_place(p, op, base, (out ? at.out : at.in) * (ptrdiff_t)p->scalar, out);
}

static void run_loop(run *r, const cpu_op *op, size_t body)
{
    int64_t lo, hi;

    cpu_walk_range(&op->range, r->at.var, &lo, &hi);
    if (op->strip) {
        if (r->at.dma)
            cpu_transfer_await(&r->at, &r->at.p->op[body]);
        run_strip(r, op, &r->at.p->op[body], lo, hi);
        return;
    }
    for (int64_t v = lo; v < hi; v++) {
        r->at.var[op->var] = v;
        run_ops(r, body, op->end);
    }
}

static void run_ops(run *r, size_t from, size_t to)
{
    for (size_t i = from; i < to;) {
        const cpu_op *op = &r->at.p->op[i];
        const bool mine = r->in_par || r->member == 0;
        if (r->at.dma && op->op != CPU_LOOP)
            cpu_transfer_await(&r->at, op);
        switch (op->op) {
        case CPU_LOOP:
            if (op->par && r->members > 1)
                run_parts(r, op, i + 1);
            else if (mine || op->has_par)
                run_loop(r, op, i + 1);
            if (r->at.dma && op->dma.drains)
                cpu_transfer_await(&r->at, op);
            i = op->end;
            continue;
        case CPU_KERN:
            if (mine)
                run_kernel(r->at.p, op, r->at.base, r->at.var);
            break;
        case CPU_EVAL:
            if (mine)
                cpu_eval(r->at.p, op, r->at.var,
                         place_now(r->at.p, op, r->at.base, r->at.var, false),
                         place_now(r->at.p, op, r->at.base, r->at.var, true));
            break;
        case CPU_MOVE:
            if (mine)
                run_move(r, op);
            break;
        case CPU_ZERO:
            if (mine)
                cpu_zero(r->at.p, op, r->at.var,
                         place_now(r->at.p, op, r->at.base, r->at.var, true));
            break;
        case CPU_COPY:
            if (mine)
                cpu_transfer(&r->at, op);
            break;
        case CPU_SYNC:
            /* parts read what others put */
            if (r->at.dma)
                cpu_transfer_sync(&r->at);
            fence(r->at.p);
            if (r->barrier)
                cpu_barrier_wait(r->barrier, r->members);
            break;
        }
        i++;
    }
}

static void walk(team *t, int member, int members, cpu_dma *dma, cpu_under_way *under_way)
{
    run r;

    r.at.p = t->p;
    r.team = t;
    r.par_loops = 0;
    r.barrier = members > 1 ? t->barrier : NULL;
    r.member = member;
    r.members = members;
    r.in_par = false;
    r.at.dma = dma;
    r.at.under_way = under_way;
    set_bases(r.at.base, t->p, t->arrays, t->work, member);
    run_ops(&r, 0, t->p->nops);
    fence(t->p);
}

/* With a helper, if one is idle. */
static void walk_helped(team *t, int member, int members)
{
    cpu_dma *dma = cpu_dma_lease(t->p->owner->helpers, member);
    cpu_under_way under_way;

    memset(&under_way, 0, sizeof under_way);
    walk(t, member, members, dma, &under_way);
    cpu_dma_release(dma);
}

static void run_member(void *arg, int member, int members)
{
    team *t = arg;

    if (t->p->helped)
        walk_helped(t, member, members);
    else
        walk(t, member, members, NULL, NULL);
}

static void run_team(const cpu_program *p, const sluice_arrays *arrays, char *work, int want)
{
    team t;
    cpu_barrier barrier;

    t.p = p;
    t.arrays = arrays;
    t.work = work;
    t.deals = want < DEALS ? want : DEALS;
    for (int i = 0; i < t.deals; i++)
        atomic_init(&t.deal[i].taken, 0);
    if (want <= 1) {
        run_member(&t, 0, 1);
        return;
    }
    t.barrier = &barrier;
    cpu_barrier_open(&barrier);
    p->owner->pool_table->run(p->owner->pool, want, p->syncs, run_member, &t);
    cpu_barrier_close(&barrier);
}

/* A list of kernels and zeros needs no team and no tape. */
static void run_list(const cpu_program *p, const sluice_arrays *arrays, char *work)
{
    static const int64_t no_loops[IX_MAX_VARS];
    char *base[CPU_ARENAS];

    set_bases(base, p, arrays, work, 0);
    for (size_t i = 0; i < p->nops; i++) {
        const cpu_op *op = &p->op[i];
        if (op->op == CPU_KERN)
            run_kernel(p, op, base, no_loops);
        else
            cpu_zero(p, op, no_loops, place_now(p, op, base, no_loops, true));
    }
    fence(p);
}

static void run_in(const cpu_program *p, const sluice_arrays *arrays, char *work, int want)
{
    if (p->is_list)
        run_list(p, arrays, work);
    else
        run_team(p, arrays, work, want);
}

static void run_on_stack(const cpu_program *p, const sluice_arrays *arrays, int want)
{
    _Alignas(64) char work[STACK_BYTES];

    run_in(p, arrays, work, want);
}

sluice_status cpu_run_any(const backend_program *program, const sluice_arrays *arrays, void *work,
                          int workers)
{
    const cpu_program *p = (const cpu_program *)program;
    const int want = workers > 0 && workers < p->members ? workers : p->members;
    bool waited = false;

    if (work || p->work_bytes == 0) {
        run_in(p, arrays, work, want);
    } else if (p->work_bytes <= STACK_BYTES) {
        run_on_stack(p, arrays, want);
    } else {
        work = cpu_scratch_take(p->scratch, p->work_bytes, &waited);
        if (!work)
            return SLUICE_E_MEMORY;
        run_in(p, arrays, work, want);
        cpu_scratch_give(p->scratch, work);
    }
    if (p->owner->log->channels & CORE_LOG_EXEC && p->nops > 1)
        core_log_line(p->owner->log, CORE_LOG_EXEC, "cpu,members=%d,work=%zu%s", want,
                      p->work_bytes, waited ? ",waited" : "");
    return SLUICE_OK;
}

/* Only what such codelets read is filled in. */
static void fill_direct(spl_call *call, const cpu_op *op)
{
    call->tw = op->call.tw;
    call->is = op->call.is;
    call->os = op->call.os;
    call->ics = op->call.ics;
    call->ocs = op->call.ocs;
    call->inverse = op->call.inverse;
}

sluice_status cpu_run_direct(const backend_program *program, const void *in, void *out, int workers)
{
    const cpu_op *op = ((const cpu_program *)program)->op;
    spl_call call;

    (void)workers;
    call.in_re = in;
    call.out_re = out;
    fill_direct(&call, op);
    op->codelet->run(&call, 0, op->steady);
    return SLUICE_OK;
}

/* im of an interleaved side is not read. */
sluice_status cpu_run_arrays(const backend_program *program, const sluice_arrays *arrays,
                             void *work, int workers)
{
    const cpu_op *op = ((const cpu_program *)program)->op;
    const bool swap = op->swap;
    spl_call call;

    (void)work;
    (void)workers;
    call.in_re = swap ? arrays->in_im : arrays->in;
    call.in_im = swap ? arrays->in : arrays->in_im;
    call.out_re = swap ? arrays->out_im : arrays->out;
    call.out_im = swap ? arrays->out : arrays->out_im;
    fill_direct(&call, op);
    op->codelet->run(&call, 0, op->steady);
    return SLUICE_OK;
}

sluice_status cpu_run_copy(const backend_program *program, const void *in, void *out, int workers)
{
    (void)workers;
    memmove(out, in, ((const cpu_program *)program)->op->steady);
    return SLUICE_OK;
}

sluice_status cpu_run_copy_arrays(const backend_program *program, const sluice_arrays *arrays,
                                  void *work, int workers)
{
    (void)work;
    return cpu_run_copy(program, arrays->in, arrays->out, workers);
}
