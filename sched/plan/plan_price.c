// SPDX-License-Identifier: BSD-3-Clause
/* The choice among the planner's candidates by their prices. The search orders them by closed forms
 * of single stages (sched/planner/stage_price.c); here they are lowered and bound, without tables,
 * and priced as whole programs (spl/price), of long transforms all. Costs that were measured on
 * this machine (sluice tune) decide; modelled ones where candidates differ by more than they err.
 * Prices are those of one part, so that the choice is the same for any number of them. */
#include "sched/plan/plan_price.h"

#include <math.h>

#include "core/status.h"
#include "sched/plan/frame.h"
#include "sched/planner/groups.h"
#include "sched/problem/problem.h"

/* So many points of a program pay for pricing one more candidate, which takes about as long as 2^14
 * points take to compute: a few executions do by modelled costs, some hundred by those that were
 * measured. Of short transforms the first one is taken. */
static const size_t points_modelled = (size_t)1 << 14, points_measured = (size_t)1 << 9;
/* By so much modelled prices of two candidates of one problem err. */
static const double modelled_error = 0.05;

/* Seconds of a candidate, in a context of its own: what is made of it is not kept. */
static sluice_status price_tree(const sluice_plan *plan, const sched_target *target,
                                const sched_tree *tree, double *seconds, sluice_diag *why)
{
    const backend_team *team = plan->machine->table->team;
    sched_target t = *target;
    sched_lowered made;
    backend_program *program = NULL;
    backend_cost cost;

    t.ctx = spl_ctx_open();
    t.parts = 1;
    if (!t.ctx)
        return core_fail_memory(why);
    const spl *formula =
        sched_framed(t.ctx, &plan->core, sched_formula(&t, &plan->core, tree), plan->scale);
    sluice_diag reason;
    sluice_status status = spl_ctx_status(t.ctx, &reason);
    if (status == SLUICE_OK)
        status = sched_lower(t.ctx, plan, formula, &made, &reason);
    if (status == SLUICE_OK)
        status = team->sketch(plan->machine->backend, plan->costs, made.body, plan->mode,
                              plan->core.precision, &program, &reason);
    if (status == SLUICE_OK && team->estimate(program, &cost) != SLUICE_OK)
        status = core_fail_memory(&reason);
    team->release(program);
    spl_ctx_close(t.ctx);
    *seconds = status == SLUICE_OK ? cost.seconds : HUGE_VAL;
    if (status != SLUICE_E_MEMORY) /* what does not bind is not chosen */
        return SLUICE_OK;
    if (why)
        *why = reason;
    return status;
}

/* Candidates that are priced; 0: the search's choice stands. */
static int count_priced(const sluice_plan *plan, const sched_target *t, const sched_list *all)
{
    const size_t points = sched_problem_points(&plan->core) * sched_problem_batch(&plan->core);
    const size_t most = points / (plan->costs ? points_measured : points_modelled) + 1;

    if (!plan->machine->table->team->sketch || plan->mode != BACKEND_FUSED || plan->reproducible
        || sched_has_groups(t)) /* priced by the search itself */
        return 0;
    return most < (size_t)all->count ? (int)most : all->count;
}

sluice_status sched_price_candidates(const sluice_plan *plan, const sched_target *t,
                                     sched_list *all, core_text *comments, sluice_diag *why)
{
    const int count = count_priced(plan, t, all);
    const double margin = plan->costs ? 0 : modelled_error;
    double first = 0, least = 0;
    int cheapest = 0;

    for (int i = 0; i < count && count > 1; i++) {
        double seconds;
        const sluice_status status = price_tree(plan, t, all->tree[i], &seconds, why);
        if (status != SLUICE_OK)
            return status;
        first = i == 0 ? seconds : first;
        if (i > 0 && seconds >= least)
            continue;
        least = i == 0 ? (1 - margin) * seconds : seconds;
        cheapest = i;
    }
    if (cheapest > 0)
        core_text_printf(comments,
                         "# candidate %d of %d that are priced as programs: %.2f of the first\n",
                         cheapest + 1, count, least / first);
    const sched_tree *tree = all->tree[cheapest];
    for (int i = cheapest; i > 0; i--)
        all->tree[i] = all->tree[i - 1];
    all->tree[0] = tree;
    return SLUICE_OK;
}
