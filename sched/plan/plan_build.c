// SPDX-License-Identifier: BSD-3-Clause
/* One formula made a plan: formula -> Sigma-SPL -> program -> bound to the units. */
#include <stdio.h>
#include <string.h>

#include "core/mem.h"
#include "core/status.h"
#include "sched/machine/costs.h"
#include "sched/plan/plan.h"
#include "sched/planner/formula.h"
#include "sched/problem/problem.h"
#include "spl/codelet/codelet.h"
#include "spl/rules/rule.h"
#include "spl/rules/sigma.h"

/* First-level caches are indexed by the offset in a page. */
static const int64_t line_bytes = 64;

/* Is the last axis, of those that have more than a point, contiguous on both sides? */
static bool is_dense(const sluice_problem *p)
{
    int d = p->batch_rank + p->rank - 1;

    while (d > p->batch_rank && sched_problem_dim(p, d).n == 1)
        d--;
    const sluice_dim last = sched_problem_dim(p, d);
    return p->in_cyclic.parts == 0 && p->out_cyclic.parts == 0 && last.in_stride == 1
           && last.out_stride == 1;
}

/* Vectors hold interleaved numbers unless both sides are split: then nothing is ever converted. But
 * short transforms fill no vectors that are twice as long: two stages of n points have sqrt(n)
 * columns. That is where a transform is computed by itself: one, or one of `batch` after the other
 * that are too long for codelets that take several side by side. */
static int vector_format(const sluice_machine *m, const sluice_problem *p, size_t batch)
{
    const size_t lanes =
        2 * (size_t)(p->precision == SLUICE_F32 ? m->unit0.lanes_f32 : m->unit0.lanes_f64);
    const size_t n = sched_problem_points(p);

    if (p->in_layout != SLUICE_SPLIT || p->out_layout != SLUICE_SPLIT)
        return SPL_INTER;
    const bool by_itself = batch == 1 || (n > SCHED_ANY && is_dense(p));
    return sched_problem_axes(p) < 2 && n < lanes * lanes && by_itself ? SPL_INTER : SPL_SPLIT;
}

/* Is the packed problem stored in its own order? */
static bool in_order(const sluice_problem *p, int side)
{
    return sched_problem_packed(p, side) && sched_problem_cyclic(p, side).parts == 0;
}

static backend_use alone(const sluice_problem *p)
{
    static const backend_use use[2][2] = {{BACKEND_ALONE, BACKEND_ALONE_SPLIT_OUT},
                                          {BACKEND_ALONE_SPLIT_IN, BACKEND_ALONE_SPLIT}};

    return use[p->in_layout == SLUICE_SPLIT][p->out_layout == SLUICE_SPLIT];
}

static void aim(sched_target *t, const sluice_plan *plan, const sched_recipe *recipe,
                core_text *comments)
{
    sched_target_init(t, plan->ctx, plan->machine, plan->problem.precision);
    t->costs = plan->costs;
    t->format = plan->format;
    if (t->format == SPL_SPLIT && t->lanes > 1)
        t->lanes *= 2;
    t->latency = plan->problem.mode == SLUICE_LATENCY;
    t->dense = is_dense(&plan->problem);
    t->alone = alone(&plan->problem);
    t->one_layout = plan->problem.in_layout == plan->problem.out_layout;
    t->in_place = plan->problem.in_place;
    t->way = plan->machine->transfers.can[BACKEND_FUSED] ? plan->way : BACKEND_FUSED;
    t->variant = recipe->variant > 0 ? recipe->variant : 0;
    t->batch_like = (int64_t)recipe->batch_like;
    t->why = comments;
}

/* The formula of a text, completed. Sizes first: breaking down may take its time. */
static sluice_status read_formula(sluice_plan *plan, const sched_recipe *recipe,
                                  core_text *comments, sluice_diag *why)
{
    sched_target t;

    sluice_status status = spl_parse(plan->ctx, recipe->text, &plan->formula, why);
    if (status == SLUICE_OK && plan->has_problem)
        status = sched_problem_fits(&plan->problem, plan->formula, why);
    if (status != SLUICE_OK)
        return status;
    aim(&t, plan, recipe, comments);
    if (!spl_complete(plan->formula))
        plan->formula = sched_complete(&t, plan->formula);
    plan->variant = -1;
    return spl_ctx_status(plan->ctx, why);
}

/* Which of the planner's formulas for `parts` units it is; -1: none. */
static int variant_of(sluice_plan *plan, const sched_recipe *recipe, int64_t parts)
{
    sched_target t;

    aim(&t, plan, recipe, NULL);
    t.asking = true;
    t.parts = parts;
    for (t.variant = 0; t.variant == 0 || t.variant < plan->variants; t.variant++)
        if (sched_formula(&t, &plan->problem, &plan->variants) == plan->formula) {
            plan->unstreamed = t.unstreamed;
            return t.variant;
        }
    return -1;
}

/* The most parts that something in x is dealt to; 1: nothing is. */
static int64_t most_parts(const spl *x)
{
    int64_t most = x->op == SPL_LOOP && x->a[2] == SPL_PAR ? x->a[1] : 1;

    for (int i = 0; i < x->ntags; i++)
        if (x->tag[i].kind == SPL_TAG_SPE && x->tag[i].a[0] > most)
            most = x->tag[i].a[0];
    for (int i = 0; i < x->nkids; i++) {
        const int64_t parts = most_parts(x->kid[i]);
        most = parts > most ? parts : most;
    }
    return most;
}

/* Which of the planner's own the formula of a text is, if any. What it chose on a machine with
 * another number of units, which deals to as many parts or to four times as many, is dealt to these
 * here, where that is wanted. */
static void find_variant(sluice_plan *plan, const sched_recipe *recipe)
{
    const int64_t units = plan->machine->units, most = most_parts(plan->formula);
    sched_target t;

    if (!plan->has_problem)
        return;
    plan->variant = variant_of(plan, recipe, units);
    for (int64_t parts = most; plan->variant < 0 && recipe->any_units && parts > 0; parts /= 4)
        if (parts != units)
            plan->variant = variant_of(plan, recipe, parts);
    if (plan->variant < 0 || !recipe->any_units)
        return;
    aim(&t, plan, recipe, NULL);
    t.variant = plan->variant;
    plan->formula = sched_formula(&t, &plan->problem, &plan->variants);
}

static sluice_status choose_formula(sluice_plan *plan, const sched_recipe *recipe, sluice_diag *why)
{
    core_text comments = {0};
    sluice_status status;
    sched_target t;

    if (recipe->text) {
        status = read_formula(plan, recipe, &comments, why);
        if (status == SLUICE_OK) {
            find_variant(plan, recipe);
            status = spl_ctx_status(plan->ctx, why);
        }
    } else {
        aim(&t, plan, recipe, &comments);
        plan->variant = recipe->variant;
        plan->formula = sched_formula(&t, &plan->problem, &plan->variants);
        plan->unstreamed = t.unstreamed;
        status = spl_ctx_status(plan->ctx, why);
    }
    if (comments.failed)
        status = core_fail_memory(why);
    plan->comments = comments.data;
    return status;
}

/* Bc(P,B) = L^{N/B}_P (x) I_B: index -> its place where blocks of B are dealt to P parts and stored
 * part after part. */
static const ix *cyclic_layout(spl_ctx *ctx, sluice_cyclic c, int64_t n)
{
    const int64_t block = (int64_t)c.block, parts = (int64_t)c.parts, round = block * parts;
    const ix_term term[3] = {
        {.src = IX_INDEX, .div = 1, .ext = block, .coef = 1},
        {.src = IX_INDEX, .div = block, .ext = parts, .coef = n / parts},
        {.src = IX_INDEX, .div = round, .ext = n / round, .coef = block},
    };

    return ix_digit(ctx, n, n, 0, 3, term);
}

/* Packed index -> element of a side, as digits of the dimensions; NULL where in order. */
static const ix *layout(spl_ctx *ctx, const sluice_problem *p, int side)
{
    ix_term term[SLUICE_MAX_RANK + SLUICE_MAX_BATCH_RANK];
    const int dims = p->rank + p->batch_rank;
    int64_t below = 1;
    int count = 0;

    if (in_order(p, side))
        return NULL;
    if (sched_problem_cyclic(p, side).parts != 0)
        return cyclic_layout(ctx, sched_problem_cyclic(p, side), (int64_t)sched_problem_points(p));
    for (int d = dims - 1; d >= 0; d--) {
        const sluice_dim dim = sched_problem_dim(p, d);
        if (dim.n > 1)
            term[count++] = (ix_term){.src = IX_INDEX,
                                      .div = below,
                                      .ext = (int64_t)dim.n,
                                      .coef = side ? dim.out_stride : dim.in_stride};
        below *= (int64_t)dim.n;
    }
    return ix_digit(ctx, below, below, 0, count, term);
}

static bool has_copies(const prog *p)
{
    for (size_t i = 0; i < p->nstmts; i++)
        if (p->stmt[i].op == PROG_COPY)
            return true;
    return false;
}

/* Does the formula hold loops, gathers or scatters of the user's own? */
static bool has_loops(const spl *x)
{
    if (x->op >= SPL_PERM)
        return true;
    for (int i = 0; i < x->nkids; i++)
        if (has_loops(x->kid[i]))
            return true;
    return false;
}

/* A program stores where a sum would add: loops that were typed must write every output once.
 * Beyond what the checker runs through, they are taken at their word. */
static sluice_status check_loops(const sluice_plan *plan, sluice_diag *why)
{
    if (!has_loops(plan->formula))
        return SLUICE_OK;
    const sluice_status status = prog_check(plan->body, 0, 0, why);
    return status == SLUICE_E_UNSUPPORTED ? SLUICE_OK : status;
}

sluice_status sched_lower(spl_ctx *ctx, const sluice_plan *plan, const spl *formula,
                          sched_lowered *out, sluice_diag *why)
{
    const sluice_problem *p = &plan->problem;
    const int64_t element = p->precision == SLUICE_F32 ? 8 : 16;

    out->sigma = spl_to_sigma(ctx, formula);
    out->merged = out->sigma ? spl_merge(ctx, out->sigma, plan->way == BACKEND_FUSED) : NULL;
    const prog_sides sides = {.in = layout(ctx, p, 0),
                              .out = layout(ctx, p, 1),
                              .in_layout = p->in_layout,
                              .out_layout = p->out_layout,
                              .in_place = p->in_place,
                              .out_is_scratch =
                                  in_order(p, 1)
                                  && (p->out_layout == SLUICE_SPLIT) == (plan->format == SPL_SPLIT),
                              .alias = SCHED_PAGE_BYTES / element,
                              .gap = line_bytes / element,
                              .small = (int64_t)plan->machine->unit0.l1 / 2 / element};
    sluice_status status = spl_ctx_status(ctx, why);
    if (status != SLUICE_OK)
        return status;
    if (!out->merged)
        return core_fail_memory(why);
    return prog_lower(&out->body, ctx, out->merged, &sides, why);
}

/* typed: the formula is not the planner's own. */
static sluice_status lower(sluice_plan *plan, bool typed, sluice_diag *why)
{
    sched_lowered made = {.body = NULL};
    sluice_status status = sched_lower(plan->ctx, plan, plan->formula, &made, why);

    plan->sigma = made.sigma;
    plan->merged = made.merged;
    plan->body = made.body;
    if (status == SLUICE_OK && plan->way != BACKEND_FUSED && has_copies(plan->body))
        status = prog_fits(plan->body, plan->machine->unit0.local_store,
                           plan->problem.precision == SLUICE_F32 ? 8 : 16, why);
    return status == SLUICE_OK && typed ? check_loops(plan, why) : status;
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

static void measure_spans(sluice_plan *plan)
{
    const sluice_problem *p = &plan->problem;
    const size_t scalar = p->precision == SLUICE_F32 ? sizeof(float) : sizeof(double);

    plan->misaligned_mask[0] = plan->misaligned_mask[1] = scalar - 1;
    for (int side = 0; side < 2; side++) {
        const bool split = (side ? p->out_layout : p->in_layout) == SLUICE_SPLIT;
        sched_problem_bytes(p, side, &plan->before[side], &plan->after[side]);
        plan->split[side] = split;
        plan->absent[side] = split ? 0 : UINTPTR_MAX;
        if (split)
            plan->misaligned_mask[0] = UINTPTR_MAX;
    }
    plan->in_place = p->in_place;
    plan->reach = p->in_place ? 0 : plan->before[0] + plan->after[1] - 1;
    plan->span = p->in_place ? 1 : plan->reach + plan->before[1] + plan->after[0];
    plan->workers = p->workers;
}

/* Where nothing streams nobody gets or puts: the plan is to be made for that. */
static sluice_status check_streams(const sluice_plan *plan, sluice_diag *why)
{
    if (plan->way == BACKEND_FUSED || has_copies(plan->body)
        || !plan->machine->transfers.can[BACKEND_FUSED])
        return SLUICE_OK;
    return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "%s",
                     plan->unstreamed ? plan->unstreamed : "the formula streams nothing");
}

static sluice_status build(sluice_plan *plan, const sched_recipe *recipe, sluice_diag *why)
{
    backend_program *program = NULL;

    plan->ctx = spl_ctx_open();
    if (!plan->ctx)
        return core_fail_memory(why);
    sluice_status status = choose_formula(plan, recipe, why);
    if (status == SLUICE_OK && !plan->has_problem)
        plan->problem.dim[0].n = (size_t)plan->formula->rows;
    if (status == SLUICE_OK)
        status = sched_problem_fits(&plan->problem, plan->formula, why);
    if (status == SLUICE_OK)
        status = lower(plan, recipe->text && plan->variant < 0, why);
    if (status == SLUICE_OK)
        status = check_streams(plan, why);
    if (status == SLUICE_OK)
        status = sched_plan_check_memory(plan, why);
    if (status == SLUICE_OK)
        status = write_line(plan, why);
    if (status == SLUICE_OK)
        status =
            plan->machine->table->team->prepare(plan->machine->backend, plan->costs, plan->body,
                                                plan->way, plan->problem.precision, &program, why);
    plan->program = program;
    if (status == SLUICE_OK)
        measure_spans(plan);
    return status;
}

static sluice_status build_way(sluice_plan **out, sluice_machine *machine,
                               const sluice_problem *problem, const sched_recipe *recipe,
                               backend_way way, sluice_diag *why)
{
    sluice_plan *plan = core_calloc(1, sizeof *plan);

    if (!plan)
        return core_fail_memory(why);
    atomic_init(&plan->holders, 1);
    sched_machine_hold(machine);
    plan->machine = machine;
    plan->costs = recipe->like ? recipe->like->costs : sched_costs_now(machine);
    plan->problem = *problem;
    plan->way = way;
    plan->has_problem = problem->dim[0].n != 0;
    plan->format =
        vector_format(machine, problem, sched_problem_batch(problem) * recipe->batch_like);
    const sluice_status status = build(plan, recipe, why);
    if (status == SLUICE_OK)
        *out = plan;
    else
        sched_plan_destroy(plan);
    return status;
}

/* Streams whose blocks do not go with the stages inside are run by evaluated addresses, each of which
 * counts as many operations. */
static bool is_slow(const sluice_plan *streamed, const sluice_plan *fused)
{
    static const double most = 2;
    const backend_team *team = fused->machine->table->team;

    return team->estimate(streamed->program).operations
           > most * team->estimate(fused->program).operations;
}

/* Fused in place of *plan, which may be NULL, for what stands in `reason`. */
static void take_fused(sluice_plan **plan, sluice_plan *fused, const char *reason)
{
    sched_plan_destroy(*plan);
    snprintf(fused->fused, sizeof fused->fused, "%s", reason);
    *plan = fused;
}

sluice_status sched_plan_build(sluice_plan **out, sluice_machine *machine,
                               const sluice_problem *problem, const sched_recipe *recipe,
                               sluice_diag *why)
{
    const backend_transfers *t = &machine->transfers;
    const backend_way way = t->can[recipe->way] ? recipe->way : t->way;
    sluice_plan *plan = NULL, *fused = NULL;
    sluice_diag refusal = {.message = ""};

    sluice_status status = build_way(&plan, machine, problem, recipe, way, &refusal);
    const bool typed = recipe->text != NULL; /* streams that somebody asked for stay */
    if ((status != SLUICE_OK && status != SLUICE_E_UNSUPPORTED) || way == BACKEND_FUSED
        || !t->can[BACKEND_FUSED] || (typed && status == SLUICE_OK)) {
        if (status != SLUICE_OK && why)
            *why = refusal;
        *out = plan;
        return status;
    }
    const bool streamed = status == SLUICE_OK;
    status = build_way(&fused, machine, problem, recipe, BACKEND_FUSED, why);
    if (status != SLUICE_OK)
        sched_plan_destroy(plan);
    else if (!streamed)
        take_fused(&plan, fused, refusal.message);
    else if (is_slow(plan, fused))
        take_fused(&plan, fused, "blocks do not go with the stages inside");
    else
        sched_plan_destroy(fused);
    *out = status == SLUICE_OK ? plan : NULL;
    return status;
}

void sched_plan_hold(const sluice_plan *plan)
{
    sched_machine_hold(plan->machine);
    /* Whoever holds it counts; the rest of a plan stays as it was made. */
    atomic_fetch_add_explicit(&((sluice_plan *)(uintptr_t)plan)->holders, 1, memory_order_relaxed);
}

void sched_plan_let_go(const sluice_plan *held)
{
    sluice_plan *plan = (sluice_plan *)(uintptr_t)held;

    /* acq_rel: whatever other holders did with the plan happened before it is freed. */
    if (atomic_fetch_sub_explicit(&plan->holders, 1, memory_order_acq_rel) != 1)
        return;
    if (plan->program)
        plan->machine->table->team->release((backend_program *)(uintptr_t)plan->program);
    spl_ctx_close(plan->ctx);
    core_free(plan->line);
    core_free(plan->comments);
    core_free(plan);
}

void sched_plan_destroy(const sluice_plan *plan)
{
    if (!plan)
        return;
    sluice_machine *machine = plan->machine;
    sched_plan_let_go(plan);
    sched_machine_drop(machine);
}
