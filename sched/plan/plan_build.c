// SPDX-License-Identifier: BSD-3-Clause
/* One formula made a plan: formula -> Sigma-SPL -> program -> bound to the units. */
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/status.h"
#include "sched/machine/costs.h"
#include "sched/plan/frame.h"
#include "sched/plan/hooks.h"
#include "sched/plan/plan.h"
#include "sched/plan/plan_kinds.h"
#include "sched/plan/reproducible.h"
#include "sched/plan/shares.h"
#include "sched/planner/formula.h"
#include "sched/problem/problem.h"
#include "spl/codelet/codelet.h"
#include "spl/rules/rule.h"
#include "spl/rules/scale.h"

/* Is the last axis of more than one point contiguous on both sides? */
static bool is_contiguous(const sluice_problem *p)
{
    int d = p->batch_rank + p->rank - 1;

    while (d > p->batch_rank && sched_problem_dim(p, d).n == 1)
        d--;
    const sluice_dim last = sched_problem_dim(p, d);
    return p->in_cyclic.parts == 0 && p->out_cyclic.parts == 0 && last.in_stride == 1
           && last.out_stride == 1;
}

/* Vectors hold interleaved numbers unless both sides are split; then no stage converts formats. A
 * short transform computed alone (one, or contiguous ones too long for codelets on several
 * transforms) is interleaved all the same: its stages of about sqrt(n) columns do not fill split
 * vectors, which have twice the lanes. */
static int vector_format(const sluice_machine *m, const sluice_problem *p, size_t batch)
{
    const size_t lanes =
        2 * (size_t)(p->precision == SLUICE_F32 ? m->unit0.lanes_f32 : m->unit0.lanes_f64);
    const size_t n = sched_problem_points(p);

    if (p->in_layout != SLUICE_SPLIT || p->out_layout != SLUICE_SPLIT || !sched_all_dft(p))
        return SPL_INTER;
    const bool alone = batch == 1 || (n > SCHED_MAX_RADIX && is_contiguous(p));
    return sched_problem_axes(p) < 2 && n < lanes * lanes && alone ? SPL_INTER : SPL_SPLIT;
}

static backend_use single_codelet_use(const sluice_problem *p)
{
    static const backend_use use[2][2] = {{BACKEND_SINGLE, BACKEND_SINGLE_SPLIT_OUT},
                                          {BACKEND_SINGLE_SPLIT_IN, BACKEND_SINGLE_SPLIT}};

    return use[p->in_layout == SLUICE_SPLIT][p->out_layout == SLUICE_SPLIT];
}

static void init_target(sched_target *t, const sluice_plan *plan, const sched_plan_request *request,
                        core_text *comments)
{
    sched_target_init(t, plan->ctx, plan->machine, plan->core.precision);
    t->costs = plan->costs;
    t->format = plan->format;
    if (t->format == SPL_SPLIT && t->unit.lanes_f32 > 1)
        t->vec_lanes = t->lanes *= 2;
    if (plan->reproducible)
        sched_target_make_alike(
            t, plan->machine->table->team->alike_lanes(plan->machine->backend, t->precision));
    t->latency = plan->core.mode == SLUICE_LATENCY || t->unit.groups > 0;
    t->type = sched_side_type(&plan->core, 1);
    t->contiguous = is_contiguous(&plan->core);
    t->use_as_single = single_codelet_use(&plan->core);
    t->same_layout = sched_side_split(&plan->core, 0) == sched_side_split(&plan->core, 1);
    t->in_place = plan->core.in_place;
    t->mode = plan->machine->transfers.can[BACKEND_FUSED] ? plan->mode : BACKEND_FUSED;
    t->batch_scale = (int64_t)request->batch_scale;
    t->comments = comments;
}

/* The formula of a text, completed. Sizes are checked first, as completing may take long. */
static sluice_status read_formula(sluice_plan *plan, const sched_plan_request *request,
                                  core_text *comments, sluice_diag *why)
{
    sched_target t;

    sluice_status status = spl_parse(plan->ctx, request->text, &plan->formula, why);
    if (status == SLUICE_OK && plan->has_problem)
        status = sched_problem_fits(&plan->core, plan->formula, why);
    if (status != SLUICE_OK)
        return status;
    init_target(&t, plan, request, comments);
    double scale;
    const spl *core = spl_unscaled(plan->ctx, plan->formula, &scale);
    if (!spl_complete(core))
        core = sched_complete(&t, core);
    plan->formula = spl_scaled(plan->ctx, core, scale * plan->factor);
    return spl_ctx_status(plan->ctx, why);
}

/* Is the formula of a text one of the planner's candidates? With any_units one that was chosen for
 * another number of units is adapted to this number. */
static void find_own_candidate(sluice_plan *plan, const sched_plan_request *request)
{
    sched_target t;

    init_target(&t, plan, request, NULL);
    t.allow_none = true;
    plan->candidates = sched_find_formulas(&t, &plan->core);
    const spl *core = sched_unframed(plan->ctx, &plan->core, plan->formula, plan->scale);
    if (plan->candidates && core)
        plan->tree = sched_match(&t, &plan->core, plan->candidates, core, request->any_units);
    if (plan->tree)
        plan->formula = sched_framed(plan->ctx, &plan->core,
                                     sched_formula(&t, &plan->core, plan->tree), plan->scale);
    plan->no_stream_reason = plan->tree ? t.no_stream_reason : NULL;
}

/* The planner's formula. */
static void choose_candidate(sluice_plan *plan, const sched_plan_request *request,
                             core_text *comments)
{
    sched_target t;

    init_target(&t, plan, request, NULL);
    plan->candidates = sched_find_formulas(&t, &plan->core);
    if (!plan->candidates)
        return;
    const sched_list *all = &plan->candidates->all;
    plan->tree = all->tree[0];
    for (int i = 1; request->tree && i < all->count; i++)
        if (sched_tree_equal(all->tree[i], request->tree))
            plan->tree = all->tree[i];
    plan->formula = sched_framed(plan->ctx, &plan->core, sched_formula(&t, &plan->core, plan->tree),
                                 plan->scale);
    plan->no_stream_reason = t.no_stream_reason;
    sched_explain_choice(plan->candidates, plan->tree, comments);
}

static sluice_status choose_formula(sluice_plan *plan, const sched_plan_request *request,
                                    sluice_diag *why)
{
    core_text comments = {0};
    sluice_status status = SLUICE_OK;

    if (request->text)
        status = read_formula(plan, request, &comments, why);
    else
        choose_candidate(plan, request, &comments);
    if (status == SLUICE_OK && request->text && plan->has_problem)
        find_own_candidate(plan, request);
    if (status == SLUICE_OK)
        status = spl_ctx_status(plan->ctx, why);
    if (comments.failed)
        status = core_fail_memory(why);
    plan->comments = comments.data;
    return status;
}

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

/* A program stores what a sum would add: loops of the user's own must write every output once.
 * Programs too large for the checker are trusted. */
static sluice_status check_user_loops(const sluice_plan *plan, sluice_diag *why)
{
    if (!contains_loops(plan->formula))
        return SLUICE_OK;
    const sluice_status status = prog_check(plan->body, 0, 0, why);
    return status == SLUICE_E_UNSUPPORTED ? SLUICE_OK : status;
}

/* typed: the formula is not the planner's own. */
static sluice_status lower_plan(sluice_plan *plan, bool typed, sluice_diag *why)
{
    sched_lowered made = {.body = NULL};
    sluice_status status = sched_lower(plan->ctx, plan, plan->formula, &made, why);

    plan->sigma = made.sigma;
    plan->merged = made.merged;
    plan->body = made.body;
    if (status == SLUICE_OK && plan->mode != BACKEND_FUSED && has_copies(plan->body))
        status = prog_fits(plan->body, plan->machine->unit0.local_store,
                           PROG_PLACE_SCALARS * sched_scalar_bytes(&plan->problem), why);
    return status == SLUICE_OK && typed ? check_user_loops(plan, why) : status;
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

/* What an execution checks its pointers against. In place one array serves both sides. */
static void set_limits(sluice_plan *plan)
{
    const sluice_problem *p = &plan->problem;
    const size_t scalar = sched_plan_least_scalar(plan);

    plan->misaligned_mask[0] = plan->misaligned_mask[1] = scalar - 1;
    for (int side = 0; side < 2; side++) {
        const bool split = (side ? p->out_layout : p->in_layout) == SLUICE_SPLIT;
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

/* A plan without transfers has to be made in mode FUSED. */
static sluice_status check_streams(const sluice_plan *plan, sluice_diag *why)
{
    if (plan->mode == BACKEND_FUSED || has_copies(plan->body)
        || !plan->machine->transfers.can[BACKEND_FUSED])
        return SLUICE_OK;
    return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "%s",
                     plan->no_stream_reason ? plan->no_stream_reason
                                            : "the formula streams nothing");
}

/* A plan without a problem has the points of its formula. */
static sluice_status check_size(sluice_plan *plan, sluice_diag *why)
{
    const spl *x = plan->formula;

    if (!plan->has_problem && x->rows != x->cols)
        return core_fail(why, SLUICE_E_INVALID, 0,
                         "the formula is %lld x %lld: the sides of a plan have as many points",
                         (long long)x->rows, (long long)x->cols);
    if (!plan->has_problem)
        plan->problem.dim[0].n = plan->core.dim[0].n = (size_t)x->rows;
    return sched_problem_fits(&plan->problem, x, why);
}

static sluice_status build_plan(sluice_plan *plan, const sched_plan_request *request,
                                sluice_diag *why)
{
    backend_program *program = NULL;

    plan->ctx = spl_ctx_open();
    if (!plan->ctx)
        return core_fail_memory(why);
    sluice_status status = choose_formula(plan, request, why);
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
        status =
            plan->machine->table->team->prepare(plan->machine->backend, plan->costs, plan->body,
                                                plan->mode, plan->problem.precision, &program, why);
    plan->program = plan->execution = program;
    plan->own = plan;
    plan->begins = plan->machine->gate && !plan->hooked;
    if (status == SLUICE_OK && plan->hooked)
        sched_hooks_enter(plan);
    if (status == SLUICE_OK)
        set_limits(plan);
    return status;
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
    plan->core = sched_hooks_core(problem, request->hooks);
    plan->mode = mode;
    plan->has_problem = problem->dim[0].n != 0;
    plan->factor = request->factor != 0 ? request->factor : 1;
    plan->scale = plan->has_problem ? plan->factor * sched_problem_factor(problem) : 1;
    plan->reproducible = request->reproducible;
    plan->format = plan->reproducible
                       ? SPL_INTER
                       : vector_format(machine, &plan->core,
                                       sched_problem_batch(problem) * request->batch_scale);
    const sluice_status status = build_plan(plan, request, why);
    if (status == SLUICE_OK)
        *out = plan;
    else
        sched_plan_destroy(plan);
    return status;
}

/* Streams whose blocks do not match the stages inside run by evaluated addresses, which cost many
 * operations each. */
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

/* Replaces *plan, which may be NULL, by the fused one. */
static void replace_by_fused(sluice_plan **plan, sluice_plan *fused, const char *reason)
{
    sched_plan_destroy(*plan);
    snprintf(fused->fused_reason, sizeof fused->fused_reason, "%s", reason);
    *plan = fused;
}

/* Makes the fused plan, which replaces *plan if that is NULL, for `refusal`, or slow. */
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

sluice_status sched_plan_build(sluice_plan **out, sluice_machine *machine,
                               const sluice_problem *problem, const sched_plan_request *request,
                               sluice_diag *why)
{
    const backend_transfers *t = &machine->transfers;
    const backend_transfer_mode wanted = request->reproducible ? BACKEND_FUSED : request->mode;
    const backend_transfer_mode mode = t->can[wanted] ? wanted : t->mode;
    sluice_plan *plan = NULL;
    sluice_diag refusal = {.message = ""};

    if (request->reproducible
        && sched_reproducible_units(machine, problem->precision, why) != SLUICE_OK)
        return SLUICE_E_UNSUPPORTED;
    sluice_status status = build_in_mode(&plan, machine, problem, request, mode, &refusal);
    const bool typed = request->text != NULL; /* streams that the user wrote stay */
    if ((status != SLUICE_OK && status != SLUICE_E_UNSUPPORTED) || mode == BACKEND_FUSED
        || !t->can[BACKEND_FUSED] || (typed && status == SLUICE_OK)) {
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
        plan->machine->table->team->release((backend_program *)(uintptr_t)plan->program);
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
