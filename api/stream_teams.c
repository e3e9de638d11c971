// SPDX-License-Identifier: BSD-3-Clause
#include "api/stream_teams.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>

#include "core/fork.h"
#include "core/mem.h"
#include "core/status.h"
#include "sched/plan/plan_rate.h"

/* In a static deal a round has at most MAX_RATE blocks of one team, and MAX_SCALE of the
 * slowest. */
enum { MAX_RATE = 64, MAX_SCALE = 8 };
/* Limit of the slots beyond those in flight, as each of them takes memory. */
enum { MAX_AHEAD = 128 };
/* Slots outside of teams: one that is filled, one that is read. Slots take 1/CACHE_SHARE of L3. */
enum { OUTSIDE = 2, CACHE_SHARE = 2 };

/* ---------------------------------------------------------------- calls ----------------- */

static sluice_status compute_block(void *user, int team, sluice_slot *slot)
{
    const stream_kind *kind = user;
    (void)team;
    return sched_plan_run_block(kind->plan, kind->item, slot, 0, kind->workers);
}

static sluice_status begin_block(void *user, int team, sluice_slot *slot, bool may_wait,
                                 backend_ticket **ticket)
{
    const stream_kind *kind = user;
    return sched_plan_begin_block(kind->plan, slot, 0, team - kind->first, may_wait, ticket);
}

static sluice_status finish_block(void *user, int team, sluice_slot *slot, backend_ticket *ticket,
                                  backend_legs *seconds)
{
    const stream_kind *kind = user;
    (void)slot;
    return sched_plan_finish_block(kind->plan, team - kind->first, ticket, seconds);
}

static bool team_is_alive(void *user, int team)
{
    const stream_kind *kind = user;
    const sluice_machine *m = kind->plan->machine;
    return m->table->team->is_alive(m->backend, team - kind->first);
}

/* Uses all idle workers, since the device's thread has nothing else to do. */
static sluice_status compute_on_fallback(void *user, int team, sluice_slot *slot)
{
    const stream_kind *kind = user;
    (void)team;
    return sched_plan_run_block(kind->fallback->plan, kind->fallback->item, slot, 0, 0);
}

/* Explains the failure of a block of any team. */
static void explain_block(void *user, const sluice_slot *slot, sluice_diag *why)
{
    const stream_kind *kind = user;
    const sluice_arrays arrays = {
        .in = slot->in, .in_im = slot->in_im, .out = slot->out, .out_im = slot->out_im};
    (void)sched_plan_explain(kind->plan, slot->status, &arrays, NULL, slot->count, why);
}

/* ---------------------------------------------------------------- teams ----------------- */

static int team_count(const sluice_plan *plan)
{
    const int units = plan->machine->units, cap = plan->problem.workers;
    if (plan->problem.mode == SLUICE_LATENCY || units < 1 || core_forked(plan->machine->mark))
        return 1;
    return cap > 0 && cap < units ? cap : units;
}

/* The number of blocks that a team has in flight; 0: its units compute one at a time while its
 * thread waits. */
static int team_depth(const sluice_plan *plan)
{
    const sluice_machine *m = plan->machine;
    return plan->runs_blocks ? m->table->team->depth(m->backend) : 0;
}

static stream_team team_of(stream_kind *kind, int number)
{
    const sluice_machine *machine = kind->plan->machine;
    const backend_team *team = machine->table->team;
    return (stream_team){.compute = compute_block,
                         .depth = team_depth(kind->plan),
                         .begin = begin_block,
                         .is_done = team->is_done,
                         .finish = finish_block,
                         .is_alive = team->is_alive != NULL ? team_is_alive : NULL,
                         .fallback = kind->fallback->plan != NULL ? compute_on_fallback : NULL,
                         .explain = explain_block,
                         .user = kind,
                         .threads = team,
                         .owner = machine->backend,
                         .unit = machine->first_unit + number};
}

static int count_plans(const sluice_plan *list)
{
    int count = 0;
    for (const sluice_plan *q = list; q != NULL; q = q->next)
        count++;
    return count;
}

/* Lists the kinds of units of a plan; in a forked child, which has no workers, only the first. */
static sluice_status open_kinds(stream_teams *t, const sluice_plan *plan,
                                const sched_fallback *fallback, sluice_diag *why)
{
    const bool latency = plan->problem.mode == SLUICE_LATENCY;
    const bool forked = core_forked(plan->machine->mark);
    sluice_status status = SLUICE_OK;
    t->kind = core_calloc((size_t)count_plans(plan), sizeof *t->kind);
    if (t->kind == NULL)
        return core_fail_memory(why);
    for (const sluice_plan *q = plan; q != NULL && status == SLUICE_OK; q = q->next) {
        if (forked ? q != plan : q->leaves_streams)
            continue;
        stream_kind *kind = &t->kind[t->kinds++];
        *kind = (stream_kind){.plan = q,
                              .fallback = fallback,
                              .workers = latency ? q->problem.workers : 1,
                              .first = t->count,
                              .teams = team_count(q)};
        t->count += kind->teams;
        if (team_depth(q) == 0) /* else begin computes short blocks */
            status = sched_plan_item(&kind->item, q, why);
    }
    return status;
}

/* ---------------------------------------------------------------- rates ----------------- */

/* Seconds from block to block for one team of the kind. */
static double pace_of(const stream_kind *kind)
{
    const sluice_plan *plan = kind->plan;
    const bool together = plan->problem.mode == SLUICE_LATENCY && !plan->runs_blocks;
    if (plan->rate.pace <= 0) /* made from a formula: there is no other kind */
        return 1;
    return together ? plan->rate.pace / sched_rate_units(plan) : plan->rate.pace;
}

static double slowest_pace(const stream_teams *t)
{
    double slowest = 0;
    for (int k = 0; k < t->kinds; k++)
        slowest = pace_of(&t->kind[k]) > slowest ? pace_of(&t->kind[k]) : slowest;
    return slowest;
}

/* Blocks of a team for each `scale` blocks of the slowest team. */
static int scaled_rate(const stream_teams *t, int k, int scale)
{
    const double rate = scale * slowest_pace(t) / pace_of(&t->kind[k]);
    return rate < MAX_RATE ? (int)(rate + 0.5) : MAX_RATE;
}

/* The largest relative error of all rates with a scale. */
static double scale_error(const stream_teams *t, int scale)
{
    double error = 0;
    for (int k = 0; k < t->kinds; k++) {
        const double exact = scale * slowest_pace(t) / pace_of(&t->kind[k]);
        const double e = fabs(scaled_rate(t, k, scale) / exact - 1);
        error = e > error ? e : error;
    }
    return error;
}

/* The smallest scale that is good enough: rounds are short, and few blocks wait for others. */
static int best_scale(const stream_teams *t)
{
    static const double good_enough = 0.03;
    int best = 1;
    for (int scale = 1; scale <= MAX_SCALE && scale_error(t, best) > good_enough; scale++)
        if (scale_error(t, scale) < scale_error(t, best))
            best = scale;
    return best;
}

/* The slots that keep all teams busy: as many as are in flight, one that the producer fills, one
 * that the consumer reads, and, as blocks are returned in order, those that the other teams do
 * while the slowest does as many as its depth. */
static int busy_slots(const stream_teams *t)
{
    double ahead = 0, wait = 0;
    int slots = OUTSIDE;
    for (int k = 0; k < t->kinds; k++) {
        const int depth = team_depth(t->kind[k].plan) > 0 ? team_depth(t->kind[k].plan) : 1;
        slots += t->kind[k].teams * depth;
        wait = depth * pace_of(&t->kind[k]) > wait ? depth * pace_of(&t->kind[k]) : wait;
    }
    for (int k = 0; k < t->kinds && t->kinds > 1; k++)
        ahead += t->kind[k].teams * wait / pace_of(&t->kind[k]);
    return slots + (int)(ahead < MAX_AHEAD ? ceil(ahead) : MAX_AHEAD);
}

/* The slots that the host's last cache holds, which other programs use too. Slots are used in turn,
 * so with more of them every slot would come from memory. At least one per team, plus those
 * outside. */
static int cached_slots(const stream_teams *t, size_t bytes)
{
    size_t cache = SIZE_MAX;
    for (int k = 0; k < t->kinds; k++) {
        const sluice_unit_info *unit = &t->kind[k].plan->machine->unit0;
        if (unit->l3 == 0)
            return INT_MAX;
        cache = unit->l3 < cache ? unit->l3 : cache;
    }
    const size_t slots = cache / CACHE_SHARE / bytes, least = (size_t)t->count + OUTSIDE;
    return slots < least ? (int)least : slots < INT_MAX ? (int)slots : INT_MAX;
}

static size_t slot_bytes(const sluice_plan *plan)
{
    sched_block b;
    sched_plan_block(plan, &b);
    return b.in_bytes + b.in_im_bytes + b.out_bytes + b.out_im_bytes;
}

static int count_slots(const stream_teams *t, const sluice_plan *plan)
{
    const int busy = busy_slots(t), cached = cached_slots(t, slot_bytes(plan));
    return busy < cached ? busy : cached;
}

static sluice_status fill_teams(stream_teams *t, const sluice_plan *plan, sluice_diag *why)
{
    const int scale = best_scale(t);
    t->team = core_calloc((size_t)t->count, sizeof *t->team);
    t->rate = core_calloc((size_t)t->count, sizeof *t->rate);
    if (t->team == NULL || t->rate == NULL)
        return core_fail_memory(why);
    for (int k = 0; k < t->kinds; k++)
        for (int i = 0; i < t->kind[k].teams; i++) {
            t->team[t->kind[k].first + i] = team_of(&t->kind[k], i);
            t->rate[t->kind[k].first + i] = scaled_rate(t, k, scale);
        }
    t->slots = count_slots(t, plan);
    return SLUICE_OK;
}

sluice_status stream_teams_open(stream_teams *out, const sluice_plan *plan,
                                const sched_fallback *fallback, sluice_diag *why)
{
    *out = (stream_teams){.kinds = 0};
    const sluice_status status = open_kinds(out, plan, fallback, why);
    return status == SLUICE_OK ? fill_teams(out, plan, why) : status;
}

void stream_teams_close(stream_teams *t)
{
    for (int k = 0; k < t->kinds; k++)
        sched_plan_destroy(t->kind[k].item);
    core_free(t->kind);
    core_free(t->team);
    core_free(t->rate);
}
