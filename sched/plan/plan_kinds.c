// SPDX-License-Identifier: BSD-3-Clause
#include "sched/plan/plan_kinds.h"

#include <stdio.h>

#include "core/mem.h"
#include "sched/plan/plan_rate.h"
#include "sched/planner/formula.h"
#include "sched/problem/problem.h"

/* A kind with a smaller share is left out: it would not save the cost of its threads and transfers.
 * Slightly below 1/8, so that shares of 1:7 do not depend on rounding. */
static const double min_share = 0.124;
/* Shares are multiples of this many transforms, which fill vectors, unless that exceeds the
 * COARSEST-th part of the batch. */
enum { GRAIN = 16, COARSEST = 32 };

sched_unit_kinds *sched_kinds_open(const sluice_machine *machine)
{
    int count = 0;

    for (const sluice_machine *m = machine; m; m = m->next)
        count++;
    sched_unit_kinds *k = core_calloc(1, sizeof *k + (size_t)count * sizeof k->kind[0]);
    for (const sluice_machine *m = machine; m && k; m = m->next)
        k->kind[k->count++] = (sched_unit_kind){.table = m->table, .units = m->units};
    return k;
}

/* ---- the shares of kinds ---- */

/* Seconds of one transform of the slowest batch dimension on one unit. */
static double seconds_each(const sluice_plan *plan)
{
    const double each = (plan->rate.seconds - plan->rate.latency) / (double)sched_plan_count(plan);

    return each > 1e-15 ? each : 1e-15;
}

/* Transforms per second. */
static double speed_of(const sluice_plan *plan)
{
    return sched_rate_units(plan) / seconds_each(plan);
}

static bool takes_part(const sched_unit_kind *k)
{
    return k->plan && !k->why[0];
}

/* The seconds after which all kinds that take part are done, if they are done at the same time. */
static double time_together(const sched_unit_kinds *k)
{
    double work = 0, speed = 0;

    for (int i = 0; i < k->count; i++) {
        const sluice_plan *plan = k->kind[i].plan;
        if (!takes_part(&k->kind[i]))
            continue;
        work += plan->rate.latency * speed_of(plan);
        speed += speed_of(plan);
    }
    for (int i = 0; i < k->count; i++)
        if (k->kind[i].plan)
            return (work + (double)sched_plan_count(k->kind[i].plan)) / speed;
    return 0;
}

/* The transforms that a plan completes in this time. */
static double share_until(const sluice_plan *plan, double time)
{
    const double share = (time - plan->rate.latency) * speed_of(plan);

    return share > 0 ? share : 0;
}

/* The kind with the smallest share among those that take part. */
static sched_unit_kind *smallest_share(sched_unit_kinds *k, double *share)
{
    const double time = time_together(k);
    sched_unit_kind *smallest = NULL;

    for (int i = 0; i < k->count; i++) {
        if (!takes_part(&k->kind[i]))
            continue;
        const double s = share_until(k->kind[i].plan, time);
        if (!smallest || s < *share) {
            smallest = &k->kind[i];
            *share = s;
        }
    }
    return smallest;
}

static void leave_slow_kinds(sched_unit_kinds *k)
{
    double share = 0;

    for (;;) {
        sched_unit_kind *slow = smallest_share(k, &share);
        const size_t n = slow ? sched_plan_count(slow->plan) : 0;
        if (!slow || share >= min_share * (double)n)
            return;
        snprintf(slow->why, sizeof slow->why,
                 "its share would be %.3g of %zu transforms, ways there and back included: less "
                 "than an eighth",
                 share, n);
    }
}

static sched_unit_kind *fastest_kind(sched_unit_kinds *k,
                                     double (*seconds)(const sluice_plan *plan))
{
    sched_unit_kind *fastest = NULL;

    for (int i = 0; i < k->count; i++)
        if (takes_part(&k->kind[i])
            && (!fastest || seconds(k->kind[i].plan) < seconds(fastest->plan)))
            fastest = &k->kind[i];
    return fastest;
}

/* ---- which kinds may take part ---- */

/* Seconds of a whole execution by one kind. If no batch can be shared, one unit of a kind with a
 * depth computes it. */
static double seconds_alone(const sluice_plan *plan)
{
    const int units = plan->runs_blocks ? 1 : sched_rate_units(plan);

    return plan->rate.latency + (plan->rate.seconds - plan->rate.latency) / units;
}

/* Do outputs of different transforms interleave in memory? Units write their whole share at
 * once. */
static bool outputs_interleave(const sluice_problem *problem)
{
    const ptrdiff_t stride = sched_problem_dim(problem, 0).out_stride;
    sluice_problem one = *problem;
    size_t before, after;

    one.batch[0].n = 1;
    sched_problem_bytes(&one, 1, &before, &after);
    return (size_t)(stride < 0 ? -stride : stride) * sched_side_step(&one, 1) < before + after;
}

/* Why an execution cannot be shared; NULL: it can. */
static const char *reason_against_sharing(const sluice_plan *plan)
{
    const sluice_problem *p = &plan->problem;

    if (p->mode == SLUICE_LATENCY || p->batch_rank == 0 || p->batch[0].n < 2)
        return "one transform is not shared";
    if (!plan->tree || !plan->candidates->natural)
        return "its formula computes the whole batch at once";
    return outputs_interleave(p) ? "outputs lie between each other" : NULL;
}

static const char *first_reason_against(const sched_unit_kinds *k)
{
    for (int i = 0; i < k->count; i++) {
        const char *why = takes_part(&k->kind[i]) ? reason_against_sharing(k->kind[i].plan) : NULL;
        if (why)
            return why;
    }
    return NULL;
}

/* Leaves out all kinds but one, because of `reason`. */
static void leave_others(sched_unit_kinds *k, const sched_unit_kind *one, const char *reason)
{
    for (int i = 0; i < k->count; i++)
        if (&k->kind[i] != one && takes_part(&k->kind[i]))
            snprintf(k->kind[i].why, sizeof k->kind[i].why, "%s, and %s is faster", reason,
                     one->table->name);
}

/* Kinds without a depth run on the calling thread, so only the fastest of them takes part. */
static void leave_slower_runners(sched_unit_kinds *k)
{
    sched_unit_kind *fastest = NULL;

    for (int i = 0; i < k->count; i++) {
        sched_unit_kind *one = &k->kind[i];
        if (!takes_part(one) || one->plan->runs_blocks)
            continue;
        sched_unit_kind *slower = one;
        if (!fastest || seconds_alone(one->plan) < seconds_alone(fastest->plan)) {
            slower = fastest;
            fastest = one;
        }
        if (slower)
            snprintf(slower->why, sizeof slower->why,
                     "it would compute on the calling thread, where %s is faster",
                     fastest->table->name);
    }
}

/* ---- dealing ---- */

static void deal_batch(sched_unit_kinds *k)
{
    const double time = time_together(k);
    sched_unit_kind *largest = NULL;
    size_t left = 0;

    for (int i = 0; i < k->count; i++) {
        sched_unit_kind *one = &k->kind[i];
        if (!takes_part(one))
            continue;
        const size_t n = sched_plan_count(one->plan);
        const size_t grain = n / COARSEST >= GRAIN ? GRAIN : n / COARSEST >= 1 ? n / COARSEST : 1;
        left = largest ? left : n;
        one->count = (size_t)(share_until(one->plan, time) / (double)grain + 0.5) * grain;
        one->count = one->count < left ? one->count : left;
        left -= one->count;
        largest = !largest || one->count > largest->count ? one : largest;
    }
    if (largest)
        largest->count += left;
}

/* Streams use the kinds whose blocks complete often enough. */
static void choose_streams(sched_unit_kinds *k)
{
    double all = 0;

    for (int i = 0; i < k->count; i++)
        if (k->kind[i].plan)
            all += k->kind[i].units / k->kind[i].plan->rate.pace;
    for (int i = 0; i < k->count; i++)
        if (k->kind[i].plan)
            k->kind[i].plan->leaves_streams =
                k->kind[i].units / k->kind[i].plan->rate.pace < min_share * all;
}

void sched_kinds_deal(sched_unit_kinds *k)
{
    choose_streams(k);
    leave_slower_runners(k);
    const char *why = first_reason_against(k);
    k->shared = !why;
    if (why)
        leave_others(k, fastest_kind(k, seconds_alone), why);
    else
        leave_slow_kinds(k);
    deal_batch(k);
}
