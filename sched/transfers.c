// SPDX-License-Identifier: BSD-3-Clause
/* Soft DMA (Spiral for the Cell, section 3): a block is got while the one before is computed and the
 * one before that is put. Here a unit option: kernels address the user's arrays themselves (fused), or
 * blocks are copied to and from buffers in the local store, by the worker or by a helper.
 *
 * Streams are added to the planner's formula, innermost of what is dealt:
 *     {A}_{vec,tile,spe}  ->  {A}_{vec,tile,local(S),spe}      b1 and b2 of a batch, LP and a4 of a stage
 *     {A}                 ->  {A}_{local(S)}                   a2 of what fits whole
 * and rule local derives s. What stays in the stores (a1) is not streamed. */
#include "sched/transfers.h"

#include <string.h>

#include "core/clock.h"
#include "sched/measure.h"
#include "sched/problem.h"
#include "sched/stockham.h"
#include "spl/rewrite.h"

/* ---- what streams ---- */

/* x with local(bytes) inside its spe, outside all else. */
static const spl *with_local(sched_target *t, const spl *x)
{
    const spl_tag local = {.kind = SPL_TAG_LOCAL, .a = {(int64_t)t->unit.local_store, 0}};
    spl_tag tags[SPL_MAX_TAGS];
    int count = 0;

    if (x->op != SPL_TAG)
        return spl_tagged(t->ctx, x, 1, &local);
    if (x->ntags == SPL_MAX_TAGS)
        return x;
    for (int i = 0; i < x->ntags; i++) {
        if (x->tag[i].kind == SPL_TAG_SPE && count == i)
            tags[count++] = local;
        tags[count++] = x->tag[i];
    }
    if (count == x->ntags)
        tags[count++] = local;
    return spl_tagged(t->ctx, spl_untagged(x), count, tags);
}

static int64_t parts_of(const spl *x)
{
    for (int i = 0; i < x->ntags; i++)
        if (x->tag[i].kind == SPL_TAG_SPE)
            return x->tag[i].a[0];
    return 1;
}

/* Shares that differ are got a row or column at a time, which a codelet's vectors do without. */
static bool is_even(const spl *x)
{
    const spl_view v = spl_look(x);
    const int64_t p = parts_of(x), n = v.a > 1 && (v.a >= p || v.b == 1) ? v.a : v.b;

    return n % p == 0 || (n == v.a && !spl_view_leaf(&v));
}

/* x with stream(s), or NULL where it does not stream as a whole. */
static const spl *streamed_whole(sched_target *t, const spl *x)
{
    const spl_params element = {{sched_element_bytes(t)}};
    const spl_view v = spl_look(x);
    const spl *local = with_local(t, x);

    if (!local || spl_has_tag(x, SPL_TAG_STREAM) || !spl_tag_local.guard(local, &element, NULL))
        return NULL;
    if (v.what == SPL_IS_PRODUCT
        && (spl_inside(x, SPL_TAG_SPE)
            || x->rows > (int64_t)t->unit.local_store / element.v[0] / 6))
        return NULL;
    if (v.what == SPL_IS_KRON && !is_even(x))
        return NULL;
    return spl_derive_streams(t->ctx, local, element.v[0]);
}

static const spl *streamed(sched_target *t, const spl *x);

/* A codelet by itself streams where it is all there is. */
static const spl *each(spl_ctx *ctx, const spl *kid, const void *arg)
{
    (void)ctx;
    return spl_look(kid).what == SPL_IS_LEAF ? kid : streamed((sched_target *)(uintptr_t)arg, kid);
}

/* x, its factors or what they consist of, as large as it streams. */
static const spl *streamed(sched_target *t, const spl *x)
{
    if (!x || spl_is_mono(x))
        return x;
    const spl *whole = streamed_whole(t, x);
    return whole ? whole : spl_map(t->ctx, x, each, t);
}

/* a1: input, output and what lies between stay in the stores of several units. */
static bool stays(const sched_target *t, const sluice_problem *p)
{
    const double bytes = (double)sched_problem_points(p) * (double)sched_element_bytes(t);

    return sched_problem_batch(p) * (size_t)t->batch_like == 1 && t->parts > 1
           && 3 * bytes <= (double)t->parts * (double)t->unit.local_store;
}

const spl *sched_streams(sched_target *t, const sluice_problem *p, const spl *x)
{
    return stays(t, p) ? x : streamed(t, x);
}

const char *sched_streams_not(const sluice_plan *plan)
{
    sched_target t;

    sched_target_init(&t, plan->ctx, plan->machine, plan->problem.precision);
    if (stays(&t, &plan->problem))
        return "one transform stays in the local stores of its parts";
    return "no row or column fits the local store, or the shares of the parts differ";
}

/* ---- who is fastest ---- */

enum { ROUNDS = 2 };

/* Makes and times what `way` makes of it; *plan stays NULL where that is not this way. */
static sluice_status make(sluice_plan **plan, const sluice_plan *like, const sched_recipe *recipe,
                          backend_way way, sluice_diag *why)
{
    sched_recipe one = *recipe;

    one.way = way;
    if (like->variant >= 0)
        one = (sched_recipe){
            .way = way, .variant = like->variant, .batch_like = recipe->batch_like, .like = like};
    const sluice_status status = sched_plan_build(plan, like->machine, &like->problem, &one, why);
    return status;
}

/* Each in turn, so that what else the machine does meets them alike. */
static sluice_status time_all(sluice_plan *const *plan, double until, double *seconds,
                              sluice_diag *why)
{
    for (int round = 0; round < ROUNDS; round++)
        for (int way = 0; way < BACKEND_WAYS; way++) {
            double now = 0;
            if (!plan[way] || (round > 0 && until > 0 && core_seconds() >= until))
                continue;
            const sluice_status status = sched_measure(plan[way], until, &now, why);
            if (status != SLUICE_OK)
                return status;
            if (round == 0 || now < seconds[way])
                seconds[way] = now;
        }
    return SLUICE_OK;
}

sluice_status sched_transfers_measure(sluice_plan **best, const sched_recipe *recipe, double until,
                                      sluice_diag *why)
{
    const backend_transfers *t = &(*best)->machine->transfers;
    sluice_plan *plan[BACKEND_WAYS] = {[BACKEND_FUSED] = *best};
    sluice_status status = SLUICE_OK;
    backend_way fastest = BACKEND_FUSED;

    if (!t->measure)
        return SLUICE_OK;
    for (int way = BACKEND_WORKER; way < BACKEND_WAYS && status == SLUICE_OK; way++)
        if (t->can[way])
            status = make(&plan[way], *best, recipe, (backend_way)way, why);
    if (status == SLUICE_OK && plan[BACKEND_WORKER]->way == BACKEND_FUSED) {
        memcpy((*best)->fused, plan[BACKEND_WORKER]->fused, sizeof(*best)->fused);
    } else if (status == SLUICE_OK) {
        status = time_all(plan, until, (*best)->seconds, why);
        for (int way = BACKEND_WORKER; way < BACKEND_WAYS; way++)
            if (plan[way] && (*best)->seconds[way] < (*best)->seconds[fastest])
                fastest = (backend_way)way;
    }
    if (fastest != BACKEND_FUSED)
        memcpy(plan[fastest]->seconds, (*best)->seconds, sizeof(*best)->seconds);
    *best = plan[fastest];
    for (int way = 0; way < BACKEND_WAYS; way++)
        if (way != (int)fastest)
            sched_plan_destroy(plan[way]);
    return status;
}

void sched_transfers_print(const sluice_plan *plan, core_text *out)
{
    const backend_transfers *t = &plan->machine->transfers;

    if (!t->can[BACKEND_FUSED] || (t->way == BACKEND_FUSED && !t->measure))
        return;
    if (plan->fused[0]) {
        core_text_printf(out, "# transfers: fused into kernels: %s\n", plan->fused);
        return;
    }
    core_text_printf(out, "# transfers: %s", backend_way_names[plan->way]);
    for (int way = 0; way < BACKEND_WAYS && t->measure; way++)
        if (plan->seconds[way] > 0)
            core_text_printf(out, "%s %s %.3g s", way ? "," : ", of", backend_way_names[way],
                             plan->seconds[way]);
    if (t->measure && plan->seconds[BACKEND_FUSED] > 0 && plan->seconds[BACKEND_HELPER] <= 0)
        core_text_printf(out, ", helper not tried");
    if (t->helpers[0])
        core_text_printf(out, "; helpers: %s", t->helpers);
    core_text_printf(out, "\n");
}
