// SPDX-License-Identifier: BSD-3-Clause
/* Makes one formula a plan: formula -> Sigma-SPL -> program -> bound to the units. */
#include <stdio.h>

#include "core/mem.h"
#include "core/status.h"
#include "sched/machine/costs.h"
#include "sched/plan/hooks.h"
#include "sched/plan/plan.h"
#include "sched/plan/plan_kinds.h"
#include "sched/plan/plan_passes.h"
#include "sched/plan/reproducible.h"
#include "sched/plan/shares.h"
#include "sched/problem/problem.h"
#include "spl/formula/formats.h"

enum { SMALLEST_PART = 16 }; /* divisor of the largest blocks that fit */

static bool has_copies(const prog *p)
{
    for (size_t i = 0; i < p->nstmts; i++)
        if (p->stmt[i].op == PROG_COPY)
            return true;
    return false;
}

/* Does a formula contain loops, gathers or scatters? */
static bool contains_loops(const spl *x)
{
    if (x->op >= SPL_PERM)
        return true;
    for (int i = 0; i < x->nkids; i++)
        if (contains_loops(x->kid[i]))
            return true;
    return false;
}

/* A program stores where a sum would add, so loops of the user's own must write every output
 * exactly once. Programs too large for the checker are trusted. */
static sluice_status check_loops(const sluice_plan *plan, sluice_diag *why)
{
    if (!contains_loops(plan->formula))
        return SLUICE_OK;
    const sluice_status status = prog_check(plan->body, 0, 0, why);
    return status == SLUICE_E_UNSUPPORTED ? SLUICE_OK : status;
}

/* has_text: the formula was read as text, or is that of a plan in blocks. */
static sluice_status lower_plan(sluice_plan *plan, bool has_text, sluice_diag *why)
{
    sched_lowered made = {.body = NULL};
    sluice_status status = sched_lower(plan->ctx, plan, plan->formula, &made, why);

    plan->sigma = made.sigma;
    plan->merged = made.merged;
    plan->body = made.body;
    if (status == SLUICE_OK && plan->mode != BACKEND_FUSED && plan->mode != BACKEND_BLOCKS
        && has_copies(plan->body))
        status = prog_fits(plan->body, plan->machine->unit0.local_store,
                           PROG_PLACE_SCALARS * sched_scalar_bytes(&plan->problem), why);
    return status == SLUICE_OK && has_text ? check_loops(plan, why) : status;
}

static sluice_status write_line(sluice_plan *plan, sluice_diag *why)
{
    core_text line = {0};

    if (plan->has_problem) {
        sched_problem_print(&plan->problem, &line);
        core_text_printf(&line, " := ");
    }
    spl_print(plan->formula, &line);
    if (line.failed) {
        core_text_free(&line);
        return core_fail_memory(why);
    }
    plan->line = line.data;
    return SLUICE_OK;
}

static size_t max_bytes(const size_t side[2])
{
    return side[0] > side[1] ? side[0] : side[1];
}

/* Sets what an execution checks its pointers against. In place one array serves both sides. */
static void set_limits(sluice_plan *plan)
{
    const sluice_problem *p = &plan->problem;
    const size_t scalar = sched_plan_min_scalar(plan);

    plan->misaligned_mask[0] = plan->misaligned_mask[1] = scalar - 1;
    for (int side = 0; side < 2; side++) {
        const bool split = sched_side_split(p, side);
        if (plan->hooked) {
            plan->bytes_before[side] = plan->hooked->before[side];
            plan->bytes_from[side] = plan->hooked->from[side];
        } else {
            sched_problem_bytes(p, side, &plan->bytes_before[side], &plan->bytes_from[side]);
        }
        plan->split[side] = split;
        plan->im_absent_mask[side] = split ? 0 : UINTPTR_MAX;
        if (split)
            plan->misaligned_mask[0] = UINTPTR_MAX;
    }
    plan->in_place = p->in_place;
    for (int side = 0; side < 2 && p->in_place; side++) {
        plan->bytes_before[side] = max_bytes(plan->bytes_before);
        plan->bytes_from[side] = max_bytes(plan->bytes_from);
    }
    plan->overlap_offset = p->in_place ? 0 : plan->bytes_before[0] + plan->bytes_from[1] - 1;
    plan->overlap_span =
        p->in_place ? 1 : plan->overlap_offset + plan->bytes_before[1] + plan->bytes_from[0];
    plan->workers = p->workers;
}

/* Refuses a plan without transfers in a mode that has them; it must be made in mode FUSED. */
static sluice_status check_streams(const sluice_plan *plan, sluice_diag *why)
{
    if (plan->mode == BACKEND_FUSED || has_copies(plan->body)
        || !plan->machine->transfers.can[BACKEND_FUSED])
        return SLUICE_OK;
    return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "%s",
                     plan->no_stream_reason ? plan->no_stream_reason
                                            : "the formula streams nothing");
}

/* A plan without a problem takes its points from the formula. */
static sluice_status check_size(sluice_plan *plan, sluice_diag *why)
{
    const spl *x = plan->formula;

    if (!plan->has_problem && x->rows != x->cols)
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "the formula is %lld x %lld: the sides of a plan have as many points",
                         (long long)x->rows, (long long)x->cols);
    if (!plan->has_problem)
        plan->problem.dim[0].n = plan->packed.dim[0].n = (size_t)x->rows;
    return sched_problem_fits(&plan->problem, x, why);
}

/* Whether units must compute in blocks is known once their program has been prepared. */
static sluice_status prepare(const sluice_plan *plan, bool sketch, backend_program **out,
                             sluice_diag *why)
{
    const sluice_machine *m = plan->machine;
    const backend_team *team = m->table->team;
    const bool sketches = sketch && team->sketch && !m->transfers.compute_blocks;

    if (plan->mode == BACKEND_BLOCKS)
        return sched_passes_prepare(plan, out, why);
    return (sketches ? team->sketch : team->prepare)(m->backend, plan->costs, plan->body,
                                                     plan->mode, plan->problem.precision, out, why);
}

static sluice_status build_plan(sluice_plan *plan, const sched_plan_request *request,
                                sluice_diag *why)
{
    backend_program *program = NULL;

    plan->ctx = spl_ctx_open();
    if (!plan->ctx)
        return core_fail_memory(why);
    sluice_status status = sched_plan_choose(plan, request, why);
    if (status == SLUICE_OK)
        status = check_size(plan, why);
    if (status == SLUICE_OK)
        plan->hooked = sched_hooks_open(request->hooks, &plan->problem, &status, why);
    if (status == SLUICE_OK)
        status = lower_plan(plan, !plan->tree, why);
    if (status == SLUICE_OK)
        status = check_streams(plan, why);
    if (status == SLUICE_OK)
        status = sched_plan_check_memory(plan, why);
    if (status == SLUICE_OK)
        status = write_line(plan, why);
    if (status == SLUICE_OK)
        status = prepare(plan, request->sketch, &program, why);
    plan->program = plan->execution = program;
    plan->own = plan;
    if (status != SLUICE_OK)
        return status;
    plan->runs_blocks =
        plan->machine->gate && !sched_hooks_copy(plan) && plan->mode != BACKEND_BLOCKS;
    if (plan->hooked)
        sched_hooks_enter(plan);
    set_limits(plan);
    return SLUICE_OK;
}

static sluice_status build_in_mode(sluice_plan **out, sluice_machine *machine,
                                   const sluice_problem *problem, const sched_plan_request *request,
                                   backend_transfer_mode mode, sluice_diag *why)
{
    sluice_plan *plan = core_calloc(1, sizeof *plan);

    if (!plan)
        return core_fail_memory(why);
    atomic_init(&plan->refcount, 1);
    sched_machine_retain(machine);
    plan->machine = machine;
    plan->costs = request->costs_from ? request->costs_from->costs : sched_costs_now(machine);
    plan->problem = *problem;
    plan->packed = sched_hooks_core(problem, request->hooks);
    plan->mode = mode;
    plan->has_problem = problem->dim[0].n != 0;
    plan->hooks_scale = request->hooks_scale != 0 ? request->hooks_scale : 1;
    plan->result_scale = plan->has_problem ? plan->hooks_scale * sched_problem_factor(problem) : 1;
    plan->is_item = request->batch_scale > 1;
    plan->reproducible = request->reproducible;
    plan->format = plan->reproducible || mode == BACKEND_BLOCKS
                       ? SPL_INTER
                       : sched_plan_vectors(machine, &plan->packed,
                                            sched_problem_batch(problem) * request->batch_scale);
    const sluice_status status = build_plan(plan, request, why);
    if (status == SLUICE_OK)
        *out = plan;
    else
        sched_plan_destroy(plan);
    return status;
}

/* Is the streamed plan slow? If the blocks of a stream do not match the stages inside, addresses
 * are evaluated one by one, in many operations. */
static sluice_status compare_operations(const sluice_plan *streamed, const sluice_plan *fused,
                                        bool *slow)
{
    static const double max_ratio = 2;
    const backend_team *team = fused->machine->table->team;
    backend_cost cost[2];

    sluice_status status = team->estimate(streamed->program, &cost[0]);
    if (status == SLUICE_OK)
        status = team->estimate(fused->program, &cost[1]);
    *slow = status == SLUICE_OK && cost[0].operations > max_ratio * cost[1].operations;
    return status;
}

/* Replaces *plan, which may be NULL, by the fused plan. */
static void replace_by_fused(sluice_plan **plan, sluice_plan *fused, const char *reason)
{
    sched_plan_destroy(*plan);
    snprintf(fused->fused_reason, sizeof fused->fused_reason, "%s", reason);
    *plan = fused;
}

/* Makes the fused plan. It replaces *plan if that is NULL, for the reason `refusal`, or if that is
 * slow. */
static sluice_status compare_with_fused(sluice_plan **plan, sluice_machine *machine,
                                        const sluice_problem *problem,
                                        const sched_plan_request *request, const char *refusal,
                                        sluice_diag *why)
{
    sluice_plan *fused = NULL;
    bool slow = false;

    sluice_status status = build_in_mode(&fused, machine, problem, request, BACKEND_FUSED, why);
    if (status == SLUICE_OK && *plan && compare_operations(*plan, fused, &slow) != SLUICE_OK)
        status = core_fail_memory(why);
    if (status == SLUICE_OK && !*plan)
        replace_by_fused(plan, fused, refusal);
    else if (status == SLUICE_OK && slow)
        replace_by_fused(plan, fused, "blocks do not go with the stages inside");
    else
        sched_plan_destroy(fused);
    return status;
}

/* Tables grow with blocks, and those of all passes exist at the same time. If they do not fit,
 * smaller blocks may. The refusal reported is that of the largest blocks. */
static sluice_status build_smaller_blocks(sluice_plan **plan, sluice_machine *machine,
                                          const sluice_problem *problem,
                                          const sched_plan_request *request)
{
    sched_plan_request smaller = *request;
    sluice_status status = SLUICE_E_MEMORY;

    for (int part = 2; part <= SMALLEST_PART && status == SLUICE_E_MEMORY && !request->text;
         part *= 2) {
        sluice_diag why;
        smaller.block_part = part;
        status = build_in_mode(plan, machine, problem, &smaller, BACKEND_BLOCKS, &why);
    }
    return status;
}

/* Plans a problem that exceeds the units' memory through the host's. The refusal says why neither
 * way works, or what blocks would need. */
static sluice_status build_in_blocks(sluice_plan **plan, sluice_machine *machine,
                                     const sluice_problem *problem,
                                     const sched_plan_request *request, sluice_diag *refusal)
{
    const sluice_diag whole = *refusal;
    sluice_diag why = {.message = ""};
    sluice_status status = build_in_mode(plan, machine, problem, request, BACKEND_BLOCKS, &why);

    if (status == SLUICE_E_MEMORY)
        status = build_smaller_blocks(plan, machine, problem, request);
    if (status != SLUICE_OK)
        core_log_line(&machine->log, CORE_LOG_PLAN, "not in blocks: %s", why.message);
    if (status == SLUICE_E_UNSUPPORTED)
        return core_fail(refusal, SLUICE_E_MEMORY, 0, "%.128s; not in blocks: %.92s", whole.message,
                         why.message);
    if (status == SLUICE_E_MEMORY)
        return core_fail(refusal, status, 0, "in blocks: %s", why.message);
    *refusal = why;
    return status;
}

sluice_status sched_plan_build(sluice_plan **out, sluice_machine *machine,
                               const sluice_problem *problem, const sched_plan_request *request,
                               sluice_diag *why)
{
    const backend_transfers *t = &machine->transfers;
    const backend_transfer_mode wanted = request->reproducible ? BACKEND_FUSED : request->mode;
    const bool can = wanted == BACKEND_BLOCKS ? t->compute_blocks : t->can[wanted];
    const backend_transfer_mode mode = can ? wanted : t->mode;
    sluice_plan *plan = NULL;
    sluice_diag refusal = {.message = ""};

    if (request->reproducible
        && sched_reproducible_units(machine, problem->precision, why) != SLUICE_OK)
        return SLUICE_E_UNSUPPORTED;
    sluice_status status = build_in_mode(&plan, machine, problem, request, mode, &refusal);
    if (status == SLUICE_E_MEMORY && mode == BACKEND_FUSED && t->compute_blocks
        && !request->reproducible && !request->tree)
        status = build_in_blocks(&plan, machine, problem, request, &refusal);
    const bool has_text = request->text != NULL; /* streams of the text stay */
    if ((status != SLUICE_OK && status != SLUICE_E_UNSUPPORTED) || mode == BACKEND_FUSED
        || mode == BACKEND_BLOCKS || !t->can[BACKEND_FUSED] || (has_text && status == SLUICE_OK)) {
        if (status != SLUICE_OK && why)
            *why = refusal;
        *out = plan;
        return status;
    }
    status = compare_with_fused(&plan, machine, problem, request, refusal.message, why);
    if (status != SLUICE_OK) {
        sched_plan_destroy(plan);
        plan = NULL;
    }
    *out = plan;
    return status;
}

void sched_plan_retain(const sluice_plan *plan)
{
    sched_machine_retain(plan->machine);
    /* The only field of a plan that changes. */
    atomic_fetch_add_explicit(&((sluice_plan *)(uintptr_t)plan)->refcount, 1, memory_order_relaxed);
}

void sched_plan_release(const sluice_plan *held)
{
    sluice_plan *plan = (sluice_plan *)(uintptr_t)held;

    /* acq_rel: all other uses of the plan happened before it is freed. */
    if (atomic_fetch_sub_explicit(&plan->refcount, 1, memory_order_acq_rel) != 1)
        return;
    if (plan->program)
        plan->program->table->team->release((backend_program *)(uintptr_t)plan->program);
    sched_shares_close(plan->shares);
    core_free(plan->kinds);
    sched_fallback_close(&plan->fallback);
    sched_plan_destroy(plan->next);
    spl_ctx_close(plan->ctx);
    core_free(plan->line);
    core_free(plan->comments);
    sched_hooks_close(plan->hooked);
    core_free(plan);
}

void sched_plan_destroy(const sluice_plan *plan)
{
    if (!plan)
        return;
    sluice_machine *machine = plan->machine;
    sched_plan_release(plan);
    sched_machine_release(machine);
}
