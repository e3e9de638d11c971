// SPDX-License-Identifier: BSD-3-Clause
/* Running a tape: all members walk it together; statements outside PAR loops are member 0's. */
#include <stdatomic.h>
#include <stdint.h>

#include "backends/cpu/cpu_backend.h"
#include "core/log.h"

/* Work up to here lies on the caller's stack. */
enum { STACK_BYTES = 16 * 1024 };

typedef struct team {
    const cpu_program *p;
    const sluice_arrays *arrays;
    char *work;
    cpu_barrier *barrier; /* NULL: one member */
    /* Who gets which part: number of the PAR loop, counted from 1, in the upper half, its next
     * iteration in the lower. Parts are independent and SYNC orders their memory, so relaxed. */
    _Alignas(64) atomic_uint_least64_t deal;
} team;

typedef struct run {
    const cpu_program *p;
    team *team;
    cpu_barrier *barrier;
    int member, members;
    uint64_t par_loops; /* begun so far */
    bool in_par;
    cpu_place place[CPU_MAX_BUFS];
    int64_t var[IX_MAX_VARS];
} run;

static cpu_place place_of(const cpu_program *p, int buffer, const sluice_arrays *a, char *shared,
                          char *local)
{
    const cpu_buf *b = &p->buf[buffer];
    const bool split = b->format == SPL_SPLIT;
    cpu_place place = {.unit = split ? 1 : 2};

    switch (b->space) {
    case PROG_IN:
        place.re = (char *)(uintptr_t)a->in;
        place.im = split ? (char *)(uintptr_t)a->in_im : place.re + p->scalar;
        return place;
    case PROG_OUT:
        place.re = a->out;
        place.im = split ? a->out_im : place.re + p->scalar;
        return place;
    case PROG_SHARED: place.re = shared + b->offset; break;
    case PROG_LOCAL: place.re = local + b->offset; break;
    }
    place.im = place.re + b->im * (ptrdiff_t)p->scalar;
    return place;
}

static void range_now(const cpu_range *r, const int64_t *var, int64_t *lo, int64_t *hi)
{
    *lo = 0;
    *hi = r->n;
    if (r->share_var >= 0)
        spl_share(r->n, r->shares, r->grain, var[r->share_var], lo, hi);
}

static void run_kernel(const cpu_program *p, const cpu_op *op, const cpu_place *place,
                       const int64_t *var)
{
    spl_call call = op->call;
    ptrdiff_t in = op->in_at, out = op->out_at, tw = 0;
    int64_t lo, hi, first, last;

    for (int i = 0; i < op->nsteps; i++) {
        const cpu_step *s = &op->step[i];
        const ptrdiff_t v = (ptrdiff_t)(s->ext ? var[s->var] / s->div % s->ext : var[s->var]);
        in += s->in * v;
        out += s->out * v;
        tw += s->tw * v;
    }
    const cpu_place *from = &place[op->in], *to = &place[op->out];
    const ptrdiff_t scalar = (ptrdiff_t)p->scalar;
    call.in_re = (op->swap ? from->im : from->re) + in * scalar;
    call.in_im = (op->swap ? from->re : from->im) + in * scalar;
    call.out_re = (op->swap ? to->im : to->re) + out * scalar;
    call.out_im = (op->swap ? to->re : to->im) + out * scalar;
    if (call.tw)
        call.tw = (const char *)call.tw + tw * scalar;
    range_now(&op->cols, var, &lo, &hi);
    range_now(&op->rows, var, &first, &last);
    const bool lines = op->codelet_nt && ((uintptr_t)call.out_re & 63) == 0;
    cpu_columns(op, (lines ? op->codelet_nt : op->codelet)->run, &call, (size_t)lo, (size_t)hi,
                (size_t)first, (size_t)(last - first), p->scalar);
}

/* Stores past the caches are ordered before what other threads are told of them. */
static void fence(const cpu_program *p)
{
#if SLUICE_HAVE_X86
    if (p->streams_out)
        __builtin_ia32_sfence();
#else
    (void)p;
#endif
}

static void run_ops(run *r, size_t from, size_t to);

/* The next part of the PAR loop under way that nobody has, or -1. A member that is ahead begins the
 * next loop's count only when all of this one's parts are taken, so to see that is to be done. */
static int64_t next_part(run *r, int64_t parts)
{
    uint64_t seen = atomic_load_explicit(&r->team->deal, memory_order_relaxed);

    for (;;) {
        const uint64_t loop = seen >> 32, begun = loop == r->par_loops ? seen & UINT32_MAX : 0;
        if (loop > r->par_loops || (int64_t)begun >= parts)
            return -1;
        if (atomic_compare_exchange_weak_explicit(&r->team->deal, &seen,
                                                  r->par_loops << 32 | (begun + 1),
                                                  memory_order_relaxed, memory_order_relaxed))
            return (int64_t)begun;
    }
}

static void run_parts(run *r, const cpu_op *op, size_t body)
{
    r->in_par = true;
    r->par_loops++;
    for (int64_t k = 0; k < op->range.n; k++) {
        const int64_t part = r->members > 1 ? next_part(r, op->range.n) : k;
        if (part < 0)
            break;
        r->var[op->var] = part;
        run_ops(r, body, op->end);
    }
    r->in_par = false;
}

static void run_loop(run *r, const cpu_op *op, size_t body)
{
    int64_t lo, hi;

    range_now(&op->range, r->var, &lo, &hi);
    for (int64_t v = lo; v < hi; v++) {
        r->var[op->var] = v;
        run_ops(r, body, op->end);
    }
}

static void run_ops(run *r, size_t from, size_t to)
{
    for (size_t i = from; i < to;) {
        const cpu_op *op = &r->p->op[i];
        const bool mine = r->in_par || r->member == 0;
        switch (op->op) {
        case CPU_LOOP:
            if (op->par)
                run_parts(r, op, i + 1);
            else if (mine || op->has_par)
                run_loop(r, op, i + 1);
            i = op->end;
            continue;
        case CPU_KERN:
            if (mine)
                run_kernel(r->p, op, r->place, r->var);
            break;
        case CPU_EVAL:
            if (mine)
                cpu_eval(r->p, op->stmt, r->var, r->place[op->in], r->place[op->out]);
            break;
        case CPU_SYNC:
            fence(r->p);
            if (r->barrier)
                cpu_barrier_wait(r->barrier, r->members);
            break;
        }
        i++;
    }
}

static void run_member(void *arg, int member, int members)
{
    team *t = arg;
    const cpu_program *p = t->p;
    run r;

    r.p = p;
    r.team = t;
    r.par_loops = 0;
    r.barrier = members > 1 ? t->barrier : NULL;
    r.member = member;
    r.members = members;
    r.in_par = false;
    char *local = t->work + p->shared_bytes + (size_t)member * p->local_bytes;
    for (int i = 0; i < p->nbufs; i++)
        r.place[i] = place_of(p, i, t->arrays, t->work, local);
    run_ops(&r, 0, p->nops);
    fence(p);
}

static void run_team(team *t, int want)
{
    const cpu_state *owner = t->p->owner;
    cpu_barrier barrier;

    if (want <= 1) {
        run_member(t, 0, 1);
        return;
    }
    t->barrier = &barrier;
    cpu_barrier_open(&barrier);
    owner->pool_table->run(owner->pool, want, t->p->syncs, run_member, t);
    cpu_barrier_close(&barrier);
}

static void run_on_stack(team *t, int want)
{
    _Alignas(64) char work[STACK_BYTES];

    t->work = work;
    run_team(t, want);
}

sluice_status cpu_run_any(const backend_program *program, const sluice_arrays *arrays, void *work,
                          int workers)
{
    const cpu_program *p = (const cpu_program *)program;
    const int want = workers > 0 && workers < p->members ? workers : p->members;
    team t = {.p = p, .arrays = arrays, .work = work};

    atomic_init(&t.deal, 0);

    if (work || p->work_bytes == 0) {
        run_team(&t, want);
    } else if (p->work_bytes <= STACK_BYTES) {
        run_on_stack(&t, want);
    } else {
        t.work = cpu_scratch_take(p->scratch);
        if (!t.work)
            return SLUICE_E_MEMORY;
        run_team(&t, want);
        cpu_scratch_give(p->scratch, t.work);
    }
    core_log_line(p->owner->log, CORE_LOG_EXEC, "cpu,members=%d,work=%zu", want, p->work_bytes);
    return SLUICE_OK;
}

sluice_status cpu_run_one(const backend_program *program, const sluice_arrays *arrays, void *work,
                          int workers)
{
    const cpu_program *p = (const cpu_program *)program;
    const cpu_op *op = &p->op[0];
    cpu_place place[2];

    (void)work;
    (void)workers;
    if (p->direct) {
        spl_call call = op->call;
        call.in_re = op->swap ? arrays->in_im : arrays->in;
        call.in_im = op->swap ? arrays->in : arrays->in_im;
        call.out_re = op->swap ? arrays->out_im : arrays->out;
        call.out_im = op->swap ? arrays->out : arrays->out_im;
        op->codelet->run(&call, 0, (size_t)op->cols.n);
        return SLUICE_OK;
    }
    place[0] = place_of(p, 0, arrays, NULL, NULL);
    place[1] = place_of(p, 1, arrays, NULL, NULL);
    run_kernel(p, op, place, NULL);
    fence(p);
    return SLUICE_OK;
}
