// SPDX-License-Identifier: BSD-3-Clause
/* Executes a tape. cpu_run_any starts a team, or runs a list of calls itself; each member goes
 * through all ops (run_ops), claims iterations of PAR loops, and passes an op with its current loop
 * variables to cpu_statement. There a kernel's addresses become a call of its codelet: for whole
 * vectors and for columns left over in cpu_columns (cpu_tail.c), or, in loops with constant steps,
 * in cpu_steps.c. Statements outside PAR loops are executed by member 0. */
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

#include "backends/cpu/run/cpu_statement.h"
#include "core/clock.h"
#include "core/log.h"

/* Scratch up to STACK_BYTES is on the caller's stack. Members beyond MAX_SHARES have no share of
 * their own and start with another member's. */
enum { STACK_BYTES = 16 * 1024, MAX_SHARES = 32 };

/* Work counter of a share. Upper half: number of the current PAR loop, from 1; lower half: parts of
 * it already claimed. Relaxed, since parts are independent and SYNC orders their memory
 * accesses. */
typedef struct share_counter {
    _Alignas(64) atomic_uint_least64_t claimed;
} share_counter;

typedef struct team {
    const cpu_program *p;
    const sluice_arrays *arrays;
    char *work;
    cpu_barrier *barrier; /* NULL: one member */
    int shares;
    share_counter share_counter[MAX_SHARES];
    atomic_int status; /* first failure of the user's functions */
    cpu_hooked hooked;
} team;

typedef struct run {
    cpu_cursor at;
    team *team;
    cpu_barrier *barrier;
    int member, members;
    uint64_t par_loops; /* PAR loops begun so far */
    bool in_par;
} run;

static void set_bases(char **base, const cpu_program *p, const sluice_arrays *a, char *work,
                      int member)
{
    base[BIND_ARENA_IN] = (char *)(uintptr_t)a->in;
    base[BIND_ARENA_IN_IM] = (char *)(uintptr_t)a->in_im;
    base[BIND_ARENA_OUT] = a->out;
    base[BIND_ARENA_OUT_IM] = a->out_im;
    base[BIND_ARENA_SHARED] = work;
    base[BIND_ARENA_LOCAL] = p->tape.local_bytes == 0 ? work
                                                      : work + p->tape.shared_bytes
                                                            + (size_t)member * p->tape.local_bytes;
}

static void set_hooked_bases(cpu_cursor *at, const cpu_hooked *h)
{
    at->hooked = h;
    for (int side = 0; side < 2; side++)
        if (h->hook[side])
            at->base[side ? BIND_ARENA_OUT : BIND_ARENA_IN] =
                at->base[side ? BIND_ARENA_OUT_IM : BIND_ARENA_IN_IM] = h->base[side];
}

static bool has_hooks(const cpu_program *p)
{
    return p->base.takes_hook[0] || p->base.takes_hook[1];
}

static void open_hooks(team *t)
{
    atomic_init(&t->status, SLUICE_OK);
    t->hooked.status = &t->status;
    if (has_hooks(t->p))
        cpu_hooks_open(&t->hooked, &t->p->tape, t->p->base.takes_hook, t->arrays);
}

/* Orders non-temporal stores before later stores that other threads wait for. */
static void fence_stores(const cpu_program *p)
{
#if SLUICE_HAVE_X86
    if (p->tape.has_nt_stores)
        __builtin_ia32_sfence();
#else
    (void)p;
#endif
}

static void run_ops(run *r, size_t from, size_t to);

/* The next unclaimed part of a share of the current PAR loop, or -1. A counter of a later PAR loop
 * also means that none is left: a faster member starts that loop only after all parts of this one
 * are claimed. */
static int64_t claim_part(run *r, int share, int64_t parts)
{
    atomic_uint_least64_t *claimed = &r->team->share_counter[share].claimed;
    uint64_t seen = atomic_load_explicit(claimed, memory_order_relaxed);
    int64_t lo, hi;

    spl_share(parts, r->team->shares, 1, share, &lo, &hi);
    for (;;) {
        const uint64_t loop = seen >> 32, begun = loop == r->par_loops ? seen & UINT32_MAX : 0;
        if (loop > r->par_loops || (int64_t)begun >= hi - lo)
            return -1;
        if (atomic_compare_exchange_weak_explicit(claimed, &seen, r->par_loops << 32 | (begun + 1),
                                                  memory_order_relaxed, memory_order_relaxed))
            return lo + (int64_t)begun;
    }
}

/* Each member claims the iterations of its own share first, whose data from earlier loops and
 * executions its caches may still hold, and then helps with the other shares. */
static void run_par_loop(run *r, const bind_op *op, size_t body)
{
    const int shares = r->team->shares;

    r->in_par = true;
    r->par_loops++;
    for (int i = 0; i < shares; i++) {
        const int share = (r->member + i) % shares;
        for (int64_t k; (k = claim_part(r, share, op->range.n)) >= 0;) {
            r->at.var[op->var] = k;
            run_ops(r, body, op->end);
        }
    }
    r->in_par = false;
}

static void run_loop(run *r, const bind_op *op, size_t body)
{
    int64_t lo, hi;

    spl_range_bounds(&op->range, r->at.var, &lo, &hi);
    if (op->has_constant_steps) {
        for (size_t i = body; r->at.dma && i < op->end; i++) /* there are no inner loops */
            cpu_transfer_await(&r->at, &r->at.p->tape.op[i]);
        cpu_steps(&r->at, op, lo, hi);
        return;
    }
    for (int64_t v = lo; v < hi; v++) {
        r->at.var[op->var] = v;
        run_ops(r, body, op->end);
    }
}

static void run_sync(run *r)
{
    if (r->at.dma) /* other parts read what the puts write */
        cpu_transfer_sync(&r->at);
    fence_stores(r->at.p);
    if (r->barrier)
        cpu_barrier_wait(r->barrier, r->members);
}

static void run_ops(run *r, size_t from, size_t to)
{
    for (size_t i = from, next; i < to; i = next) {
        const bind_op *op = &r->at.p->tape.op[i];
        const bool is_executed = r->in_par || r->member == 0;
        next = bind_next_op(&r->at.p->tape, i);
        if (r->at.dma && op->op != BIND_LOOP)
            cpu_transfer_await(&r->at, op);
        if (op->op == BIND_SYNC) {
            run_sync(r);
        } else if (op->op != BIND_LOOP) {
            if (is_executed)
                cpu_statement(&r->at, op);
        } else {
            if (op->par && r->members > 1)
                run_par_loop(r, op, i + 1);
            else if (is_executed || op->has_par)
                run_loop(r, op, i + 1);
            if (r->at.dma && op->async.waits_for_puts)
                cpu_transfer_await(&r->at, op);
        }
    }
}

static void begin_run(run *r, team *t, int member, int members)
{
    r->at.p = t->p;
    r->team = t;
    r->par_loops = 0;
    r->barrier = members > 1 ? t->barrier : NULL;
    r->member = member;
    r->members = members;
    r->in_par = false;
    r->at.dma = NULL;
    r->at.outstanding = NULL;
    r->at.hooked = NULL;
    r->at.several = members > 1;
    set_bases(r->at.base, t->p, t->arrays, t->work, member);
    if (has_hooks(t->p))
        set_hooked_bases(&r->at, &t->hooked);
}

static void execute_tape(team *t, int member, int members, cpu_dma *dma,
                         cpu_outstanding *outstanding)
{
    run r;

    begin_run(&r, t, member, members);
    r.at.dma = dma;
    r.at.outstanding = outstanding;
    run_ops(&r, 0, t->p->tape.nops);
    fence_stores(t->p);
}

/* Executes the tape with a helper, if one is idle. */
static void execute_with_helper(team *t, int member, int members)
{
    cpu_dma *dma = cpu_dma_lease(t->p->owner->helpers, member);
    cpu_outstanding outstanding;

    memset(&outstanding, 0, sizeof outstanding);
    execute_tape(t, member, members, dma, &outstanding);
    cpu_dma_release(dma);
}

static void run_member(void *arg, int member, int members)
{
    team *t = arg;

    if (t->p->tape.has_async)
        execute_with_helper(t, member, members);
    else
        execute_tape(t, member, members, NULL, NULL);
}

static sluice_status run_team(const cpu_program *p, const sluice_arrays *arrays, char *work,
                              int want)
{
    team t;
    cpu_barrier barrier;

    t.p = p;
    t.arrays = arrays;
    t.work = work;
    t.shares = want < MAX_SHARES ? want : MAX_SHARES;
    for (int i = 0; i < t.shares; i++)
        atomic_init(&t.share_counter[i].claimed, 0);
    open_hooks(&t);
    if (want <= 1) {
        run_member(&t, 0, 1);
        return (sluice_status)atomic_load(&t.status);
    }
    t.barrier = &barrier;
    cpu_barrier_open(&barrier);
    p->owner->pool_table->run(p->owner->pool, want, p->tape.syncs, run_member, &t);
    cpu_barrier_close(&barrier);
    return (sluice_status)atomic_load(&t.status);
}

/* Kernels, moves and zeros without loops are executed by the caller, without a team. */
static void run_list(const cpu_program *p, const sluice_arrays *arrays, char *work)
{
    static const int64_t no_loops[IX_MAX_VARS];
    char *base[BIND_ARENAS];

    set_bases(base, p, arrays, work, 0);
    for (size_t i = 0; i < p->tape.nops; i++) {
        const bind_op *op = &p->tape.op[i];
        if (op->op == BIND_KERN) {
            if (!cpu_statement_alone(p, op, base))
                cpu_statement_kernel(p, op, base, no_loops, false);
        } else if (op->op == BIND_MOVE)
            cpu_statement_move(p, op, base, no_loops);
        else
            cpu_statement_zero(p, op, base, no_loops);
    }
    fence_stores(p);
}

/* The same with hooks. */
static sluice_status run_hooked_list(const cpu_program *p, const sluice_arrays *arrays, char *work)
{
    atomic_int status;
    cpu_hooked hooked = {.status = &status};
    cpu_cursor at = {.p = p};

    atomic_init(&status, SLUICE_OK);
    cpu_hooks_open(&hooked, &p->tape, p->base.takes_hook, arrays);
    set_bases(at.base, p, arrays, work, 0);
    set_hooked_bases(&at, &hooked);
    for (size_t i = 0; i < p->tape.nops; i++)
        cpu_statement(&at, &p->tape.op[i]);
    fence_stores(p);
    return (sluice_status)atomic_load(&status);
}

static sluice_status run_with_work(const cpu_program *p, const sluice_arrays *arrays, char *work,
                                   int want)
{
    if (!p->tape.is_list)
        return run_team(p, arrays, work, want);
    if (has_hooks(p) && !p->has_weights)
        return run_hooked_list(p, arrays, work);
    run_list(p, arrays, work);
    return SLUICE_OK;
}

static sluice_status run_on_stack(const cpu_program *p, const sluice_arrays *arrays, int want)
{
    _Alignas(64) char work[STACK_BYTES];

    return run_with_work(p, arrays, work, want);
}

sluice_status cpu_run_any(const backend_program *program, const sluice_arrays *arrays, void *work,
                          int workers)
{
    const cpu_program *p = (const cpu_program *)program;
    const int most = p->alone ? 1 : p->tape.members;
    const int want = workers > 0 && workers < most ? workers : most;
    sluice_status status;
    bool waited = false;

    if (work || p->tape.work_bytes == 0) {
        status = run_with_work(p, arrays, work, want);
    } else if (p->tape.work_bytes <= STACK_BYTES) {
        status = run_on_stack(p, arrays, want);
    } else {
        work = cpu_scratch_acquire(p->scratch, p->tape.work_bytes, &waited);
        if (!work)
            return SLUICE_E_MEMORY;
        status = run_with_work(p, arrays, work, want);
        cpu_scratch_release(p->scratch, work);
    }
    if (p->owner->log->channels & CORE_LOG_EXEC && p->tape.nops > 1)
        core_log_line(p->owner->log, CORE_LOG_EXEC, "cpu,members=%d,work=%zu%s", want,
                      p->tape.work_bytes, waited ? ",waited" : "");
    return status;
}

sluice_status cpu_run_timed(const backend_program *program, const sluice_arrays *arrays,
                            double *seconds)
{
    const cpu_program *p = (const cpu_program *)program;
    bool waited = false;
    char *work =
        p->tape.work_bytes ? cpu_scratch_acquire(p->scratch, p->tape.work_bytes, &waited) : NULL;
    team t = {.p = p, .arrays = arrays, .work = work};
    run r;

    if (p->tape.work_bytes && !work)
        return SLUICE_E_MEMORY;
    open_hooks(&t);
    begin_run(&r, &t, 0, 1);
    for (size_t i = 0, next; i < p->tape.nops; i = next) {
        const double start = core_seconds();
        size_t first = i;
        next = bind_next_op(&p->tape, i);
        run_ops(&r, i, next);
        if (next == p->tape.nops)
            fence_stores(p);
        while (p->tape.op[first].op == BIND_LOOP)
            first++;
        if (p->tape.op[first].op != BIND_SYNC)
            seconds[p->tape.op[first].stmt - p->tape.body->stmt] += core_seconds() - start;
    }
    if (work)
        cpu_scratch_release(p->scratch, work);
    return SLUICE_OK;
}
