// SPDX-License-Identifier: BSD-3-Clause
#include "sched/plan/shares.h"

#include <stdatomic.h>

#include "core/mem.h"
#include "core/status.h"
#include "sched/plan/plan_kinds.h"
#include "sched/problem/problem.h"

enum { MAX_SHARES = 64 };

typedef struct share {
    const sluice_plan *plan; /* the plan of its kind, for the whole batch */
    /* plan that the caller and its workers run; NULL: `unit` begins the share */
    const sluice_plan *own;
    int unit;
    size_t first, count;
} share;

struct sched_shares {
    backend_program base; /* first */
    const sluice_plan *plan;
    /* made for the caller's share; NULL: the plan of its kind has that many transforms */
    sluice_plan *part;
    atomic_bool warned; /* about a share that the fallback computed */
    int count;
    share share[];
};

/* A share in execution. */
typedef struct started {
    sluice_slot slot;
    backend_ticket *ticket;
    sluice_status status;
    bool has_input; /* the input is still as the caller passed it */
} started;

/* ---- executing ---- */

static void begin_share(const share *share, const sluice_arrays *arrays, started *out)
{
    const sluice_arrays a = sched_plan_arrays_at(share->plan, arrays, share->first);

    *out = (started){.slot = {.in = (void *)(uintptr_t)a.in,
                              .in_im = (void *)(uintptr_t)a.in_im,
                              .out = a.out,
                              .out_im = a.out_im,
                              .count = share->count},
                     .has_input = true};
    if (share->own)
        return;
    out->status = SLUICE_E_DEVICE; /* in a forked child, devices belong to the parent */
    if (!core_forked(share->plan->machine->mark))
        out->status = sched_plan_begin_block(share->plan, &out->slot, share->first, share->unit,
                                             true, &out->ticket);
}

static void run_share(const share *share, started *s, void *work, int workers)
{
    const sluice_arrays a = {
        .in = s->slot.in, .in_im = s->slot.in_im, .out = s->slot.out, .out_im = s->slot.out_im};

    s->status = sched_plan_run(share->own, &a, work, workers, share->first);
    s->has_input = a.in != a.out;
}

static void finish_share(const share *share, started *s)
{
    backend_legs seconds;

    if (share->own || s->status != SLUICE_OK)
        return;
    s->status = sched_plan_finish_block(share->plan, share->unit, s->ticket, &seconds);
    s->has_input = s->slot.in != s->slot.out;
}

/* Logs one line for all executions of the plan. */
static void warn_once(sched_shares *s, const share *share)
{
    const backend_table *failed = share->plan->machine->table;

    if (!atomic_exchange(&s->warned, true))
        core_log_line(&s->plan->machine->log, CORE_LOG_EXEC,
                      "%s failed: its share, transforms %zu to %zu, computed by %s", failed->name,
                      share->first, share->first + share->count - 1,
                      s->plan->fallback.plan->machine->table->name);
}

/* Recomputes a failed share by the fallback, if its input still exists. */
static void repair_share(sched_shares *s, const share *share, started *b)
{
    const sched_fallback *f = &s->plan->fallback;

    if ((b->status != SLUICE_E_DEVICE && b->status != SLUICE_E_MEMORY) || !f->plan || !b->has_input)
        return;
    warn_once(s, share);
    b->status = sched_plan_run_block(f->plan, f->item, &b->slot, share->first, 0);
}

static sluice_status run_shares(const backend_program *program, const sluice_arrays *arrays,
                                void *work, int workers)
{
    sched_shares *s = (sched_shares *)(uintptr_t)program; /* only `warned` changes */
    started started[MAX_SHARES];
    sluice_status status = SLUICE_OK;

    for (int i = 0; i < s->count; i++)
        begin_share(&s->share[i], arrays, &started[i]);
    for (int i = 0; i < s->count; i++)
        if (s->share[i].own)
            run_share(&s->share[i], &started[i], work, workers);
    for (int i = 0; i < s->count; i++)
        finish_share(&s->share[i], &started[i]);
    for (int i = 0; i < s->count; i++) {
        repair_share(s, &s->share[i], &started[i]);
        if (status == SLUICE_OK)
            status = started[i].status;
    }
    return status;
}

/* ---- making ---- */

/* Distributes a kind's transforms to its units. */
static void add_units(sched_shares *s, const sched_unit_kind *k, int units, size_t first)
{
    const int room = MAX_SHARES - s->count;
    size_t left = k->count;

    for (int among = units < room ? units : room, unit = 0; left > 0; among--, unit++) {
        const size_t count = (left + (size_t)among - 1) / (size_t)among;
        s->share[s->count++] =
            (share){.plan = k->plan, .unit = unit, .first = first, .count = count};
        first += count;
        left -= count;
    }
}

/* The caller's share of the batch is a problem of its own, planned with the same choices. The plan
 * already holds its machine, so the share must not hold it again (plan_cache.c). */
static sluice_status add_caller(sched_shares *s, const sched_unit_kind *k, size_t first,
                                sluice_diag *why)
{
    const sched_plan_request request = {.mode = k->plan->mode,
                                        .tree = k->plan->tree,
                                        .batch_scale = 1,
                                        .costs_from = k->plan,
                                        .hooks_scale = k->plan->hooks_scale,
                                        .hooks = sched_plan_hooks(k->plan),
                                        .reproducible = k->plan->reproducible};
    share *own = &s->share[s->count++];
    sluice_problem p = k->plan->problem;

    *own = (share){.plan = k->plan, .own = k->plan, .first = first, .count = k->count};
    if (k->count == sched_plan_count(k->plan))
        return SLUICE_OK;
    p.batch[0].n = k->count;
    const sluice_status status = sched_plan_build(&s->part, k->plan->machine, &p, &request, why);
    if (status == SLUICE_OK) {
        sched_machine_release(k->plan->machine);
        own->own = s->part;
    }
    return status;
}

/* The caller's share comes first, so that there is room for it. */
static sluice_status fill_shares(sched_shares *s, const sched_unit_kinds *kinds, sluice_diag *why)
{
    sluice_status status = SLUICE_OK;

    for (int caller = 1; caller >= 0 && status == SLUICE_OK; caller--) {
        size_t first = 0;
        for (int i = 0; i < kinds->count && status == SLUICE_OK; i++) {
            const sched_unit_kind *k = &kinds->kind[i];
            const bool begins = k->count > 0 && k->plan->runs_blocks;
            if (caller && k->count > 0 && !begins)
                status = add_caller(s, k, first, why);
            else if (!caller && begins)
                add_units(s, k, kinds->shared ? k->units : 1, first);
            first += k->count;
        }
    }
    return status;
}

/* The plan of the only kind that takes part, if one call of its program is the whole execution;
 * else NULL. */
static const sluice_plan *only_plan(const sluice_plan *plan)
{
    const sched_unit_kind *only = NULL;

    for (int i = 0; i < plan->kinds->count; i++) {
        const sched_unit_kind *k = &plan->kinds->kind[i];
        if (k->count > 0 && only)
            return NULL;
        only = k->count > 0 ? k : only;
    }
    const bool one_unit = !only->plan->runs_blocks || only->units == 1 || !plan->kinds->shared;
    return one_unit && !plan->fallback.plan ? only->plan : NULL;
}

sluice_status sched_shares_open(sluice_plan *plan, sluice_diag *why)
{
    const sluice_plan *only = only_plan(plan);

    if (only) {
        plan->execution = only->execution;
        plan->own = only;
        return SLUICE_OK;
    }
    plan->shares = core_calloc(1, sizeof *plan->shares + MAX_SHARES * sizeof(share));
    if (!plan->shares)
        return core_fail_memory(why);
    plan->shares->base = (backend_program){.run = run_shares, .table = plan->machine->table};
    plan->shares->plan = plan;
    atomic_init(&plan->shares->warned, false);
    plan->execution = &plan->shares->base;
    const sluice_status status = fill_shares(plan->shares, plan->kinds, why);
    plan->own = plan->shares->share[0].own;
    return status;
}

void sched_shares_close(sched_shares *s)
{
    if (s && s->part)
        sched_plan_release(s->part);
    core_free(s);
}
