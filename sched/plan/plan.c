// SPDX-License-Identifier: BSD-3-Clause
/* Planning: wisdom first, then the cheapest predicted formula, or the fastest of several
 * measured. */
#include "sched/plan/plan.h"

#include <stdio.h>
#include <string.h>

#include "core/clock.h"
#include "core/mem.h"
#include "core/status.h"
#include "sched/machine/wisdom.h"
#include "sched/plan/hooks.h"
#include "sched/plan/measure.h"
#include "sched/plan/plan_cache.h"
#include "sched/plan/plan_kinds.h"
#include "sched/plan/plan_rate.h"
#include "sched/plan/shares.h"
#include "sched/plan/transfers.h"
#include "sched/planner/formula.h"
#include "sched/problem/problem.h"
#include "sched/problem/problem_keywords.h"

/* The number of formulas that efforts measure and patient time at most. */
static const int measured_formulas = 6, patient_formulas = 24;

static sluice_status check_options(const sluice_plan_options *o, sluice_diag *why)
{
    if (!o)
        return SLUICE_OK;
    for (size_t i = 0; i < sizeof o->reserved / sizeof o->reserved[0]; i++)
        if (o->reserved[i])
            return core_fail(why, SLUICE_E_INVALID, 0, "the options' reserved fields must be zero");
    if ((int)o->effort < 0 || o->effort > SLUICE_PATIENT || !(o->time_limit >= 0))
        return core_fail(why, SLUICE_E_INVALID, 0, "effort or time limit out of range");
    return sched_hooks_check(o->hooks, why);
}

static const sluice_hooks *hooks_of(const sluice_plan_options *o)
{
    return o ? o->hooks : NULL;
}

static double hooks_scale_of(const sluice_plan_options *o)
{
    return o ? sched_hooks_scale(o->hooks) : 1;
}

/* The time at which measuring must end, as core_seconds(); 0: no limit. */
static double deadline_of(const sluice_plan_options *o)
{
    return o && o->time_limit > 0 ? core_seconds() + o->time_limit : 0;
}

static bool is_reproducible(const sluice_machine *machine, const sluice_plan_options *o)
{
    return machine->reproducible || (o && o->reproducible);
}

/* Reproducible plans follow from the problem alone, so nothing is measured for them. */
static sluice_effort effort_of(const sluice_machine *machine, const sluice_plan_options *o)
{
    return o && !is_reproducible(machine, o) ? o->effort : SLUICE_ESTIMATE;
}

const char *sched_plan_formula_text(const sluice_plan *plan)
{
    const char *at = strstr(plan->line, ":= ");

    return at ? at + 3 : plan->line;
}

/* Makes *best a plan by another candidate if that takes less than *fastest seconds. */
static sluice_status try_candidate(sluice_plan **best, const sched_tree *tree, double until,
                                   double *fastest, sluice_diag *why)
{
    const sched_plan_request request = {.mode = (*best)->machine->transfers.mode,
                                        .tree = tree,
                                        .batch_scale = 1,
                                        .costs_from = *best,
                                        .hooks_scale = (*best)->hooks_scale,
                                        .hooks = sched_plan_hooks(*best)};
    sluice_plan *plan = NULL;
    double seconds = 0;

    sluice_status status =
        sched_plan_build(&plan, (*best)->machine, &(*best)->problem, &request, why);
    if (status == SLUICE_OK)
        status = sched_measure_candidate(plan, until, &seconds, why);
    if (status == SLUICE_OK && seconds < *fastest) {
        sluice_plan *slower = *best;
        *best = plan;
        plan = slower;
        *fastest = seconds;
    }
    sched_plan_destroy(plan);
    return status;
}

/* Times the planner's candidates and replaces *best by the fastest, which wisdom keeps. All plans
 * of a problem have the same candidates. */
static sluice_status measure_candidates(sluice_plan **best, const sluice_plan_options *o,
                                        double until, sluice_diag *why)
{
    const int limit = o->effort == SLUICE_PATIENT ? patient_formulas : measured_formulas;
    double fastest = 0;
    sluice_status status = sched_measure_candidate(*best, until, &fastest, why);

    for (int i = 1; i < (*best)->candidates->all.count && i < limit && status == SLUICE_OK
                    && (until == 0 || core_seconds() < until);
         i++)
        status = try_candidate(best, (*best)->candidates->all.tree[i], until, &fastest, why);
    if (status != SLUICE_OK || (*best)->hooks_scale != 1
        || (*best)->hooked) /* a plan with hooks is no wisdom */
        return status;
    char *key = sched_wisdom_key(&(*best)->problem);
    status = key ? sched_wisdom_store((*best)->machine, key, sched_plan_formula_text(*best), true)
                 : SLUICE_E_MEMORY;
    core_free(key);
    return status == SLUICE_E_MEMORY ? core_fail_memory(why) : status;
}

/* May a plan made from wisdom be used? An unproven formula is proven now, and forgotten if it is
 * not the problem's transform; if it cannot be proven it stays in wisdom, unused. */
static bool is_trusted(const sluice_plan *plan, const char *key, const char *formula, bool proven)
{
    sluice_machine *m = plan->machine;
    sluice_diag why = {.message = "it is not the transform of its problem"};
    bool right = false;

    if (proven)
        return true;
    const sluice_status status = sched_plan_prove(plan, &right, &why);
    if (status == SLUICE_OK)
        sched_wisdom_judge(m, key, formula, right);
    if (!right)
        core_log_line(&m->log, CORE_LOG_PLAN, "wisdom %s: %s := %s: %s",
                      status == SLUICE_OK ? "dropped" : "not used", key, formula, why.message);
    return right;
}

/* A plan from wisdom; NULL: none may be used. With hooks no formula can be proven. */
static sluice_plan *plan_from_wisdom(sluice_machine *machine, const sluice_problem *problem,
                                     double hooks_scale, const sluice_hooks *hooks)
{
    char *key = sched_wisdom_key(problem);
    bool proven = false;
    char *formula = key ? sched_wisdom_find(machine, key, &proven) : NULL;
    const sched_plan_request request = {.mode = machine->transfers.mode,
                                        .text = formula,
                                        .any_units = true,
                                        .batch_scale = 1,
                                        .hooks_scale = hooks_scale,
                                        .hooks = hooks};
    const bool usable = formula && (proven || !sched_hooks_sides(hooks));
    sluice_plan *plan = NULL;
    sluice_diag why = {.message = ""};

    if (usable && sched_plan_build(&plan, machine, problem, &request, &why) != SLUICE_OK)
        core_log_line(&machine->log, CORE_LOG_PLAN, "wisdom not used: %s := %s: %s", key, formula,
                      why.message);
    if (plan && !is_trusted(plan, key, formula, proven)) {
        sched_plan_destroy(plan);
        plan = NULL;
    }
    core_free(formula);
    core_free(key);
    return plan;
}

/* A plan from wisdom, else the planner's choice by effort, in the fastest transfer mode. */
static sluice_status make_plan(sluice_plan **plan, sluice_machine *machine,
                               const sluice_problem *problem, const sluice_plan_options *options,
                               const sluice_hooks *hooks, double until, sluice_diag *why)
{
    const sched_plan_request cheapest = {.mode = machine->transfers.mode,
                                         .batch_scale = 1,
                                         .hooks_scale = hooks_scale_of(options),
                                         .hooks = hooks,
                                         .reproducible = is_reproducible(machine, options)};
    sluice_status status = SLUICE_OK;

    if (!cheapest.reproducible)
        *plan = plan_from_wisdom(machine, problem, cheapest.hooks_scale, hooks);
    if (!*plan) {
        status = sched_plan_build(plan, machine, problem, &cheapest, why);
        if (status == SLUICE_OK && (*plan)->candidates /* blocks have none */
            && effort_of(machine, options) != SLUICE_ESTIMATE)
            status = measure_candidates(plan, options, until, why);
    }
    if (status == SLUICE_OK && !cheapest.reproducible)
        status = sched_transfers_measure(plan, &cheapest, until, why);
    if (status != SLUICE_OK) {
        sched_plan_destroy(*plan);
        *plan = NULL;
    }
    return status;
}

/* Replaces a plan by the same one with these hooks or, if that exceeds the units' memory, by a new
 * choice with these hooks. */
static sluice_status remake_with(sluice_plan **plan, const sluice_hooks *hooks, sluice_diag *why)
{
    const sluice_plan *like = *plan;
    sched_plan_request request = {.mode = like->mode,
                                  .tree = like->tree,
                                  .text = like->tree ? NULL : sched_plan_formula_text(like),
                                  .batch_scale = 1,
                                  .costs_from = like,
                                  .hooks_scale = like->tree ? like->hooks_scale : 1,
                                  .hooks = hooks,
                                  .reproducible = like->reproducible};

    *plan = NULL;
    sluice_status status = sched_plan_build(plan, like->machine, &like->problem, &request, why);
    if (status == SLUICE_E_MEMORY && request.tree) {
        request.tree = NULL;
        status = sched_plan_build(plan, like->machine, &like->problem, &request, why);
    }
    sched_plan_destroy(like);
    return status;
}

static bool may_measure(const sluice_machine *machine, const sluice_plan_options *options)
{
    return machine->transfers.measure || effort_of(machine, options) != SLUICE_ESTIMATE;
}

/* The user's functions may see only the user's data, so a plan without them is measured. */
static sluice_status make_quiet_plan(sluice_plan **plan, sluice_machine *machine,
                                     const sluice_problem *problem,
                                     const sluice_plan_options *options, double until,
                                     sluice_diag *why)
{
    const sluice_hooks *hooks = hooks_of(options);

    if (!sched_hooks_call(hooks) || !may_measure(machine, options))
        return make_plan(plan, machine, problem, options, hooks, until, why);
    sluice_hooks quiet = *hooks;
    quiet.in.call = quiet.out.call = NULL;
    quiet.in.opencl = quiet.out.opencl = NULL;
    const sluice_status status = make_plan(plan, machine, problem, options, &quiet, until, why);
    return status == SLUICE_OK ? remake_with(plan, hooks, why) : status;
}

/* A plan for one kind of units, with its rate there. */
static sluice_status plan_kind(sluice_plan **plan, sluice_machine *m, const sluice_problem *problem,
                               const sluice_plan_options *options, double until, sluice_diag *why)
{
    const bool measures =
        effort_of(m, options) != SLUICE_ESTIMATE && !sched_hooks_call(hooks_of(options));

    if (m->left_out[0])
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "%s", m->left_out);
    sluice_status status = make_quiet_plan(plan, m, problem, options, until, why);
    if (status == SLUICE_OK)
        status = sched_rate_find(*plan, measures, until, why);
    if (status != SLUICE_OK) {
        sched_plan_destroy(*plan);
        *plan = NULL;
    }
    return status;
}

/* A refusal leaves the problem to other kinds. */
static bool is_refusal(sluice_status status)
{
    return status == SLUICE_E_UNSUPPORTED || status == SLUICE_E_DEVICE;
}

/* A list of plans, one for each kind that can run the problem. If none can, the reason is that of
 * the first kind. */
static sluice_status plan_list(sched_unit_kinds *kinds, sluice_plan **list, sluice_machine *machine,
                               const sluice_problem *problem, const sluice_plan_options *options,
                               double until, sluice_diag *why)
{
    sluice_status result = SLUICE_E_UNSUPPORTED;
    sluice_plan **end = list;
    sched_unit_kind *k = kinds->kind;

    for (sluice_machine *m = machine; m; m = m->next, k++) {
        sluice_diag reason = {.message = ""};
        const sluice_status status = plan_kind(&k->plan, m, problem, options, until, &reason);
        if (status == SLUICE_OK) {
            *end = k->plan;
            end = &k->plan->next;
            continue;
        }
        core_log_line(&m->log, CORE_LOG_PLAN, "%s left out: %s", m->table->name, reason.message);
        snprintf(k->why, sizeof k->why, "%.199s", reason.message);
        if (m == machine || !is_refusal(status)) {
            result = status;
            if (why)
                *why = reason;
        }
        if (!is_refusal(status))
            return status;
    }
    return *list ? SLUICE_OK : result;
}

/* Plans for all kinds of units, the distribution of executions among them, and their fallback. */
static sluice_status make_plans(sluice_plan **out, sluice_machine *machine,
                                const sluice_problem *problem, const sluice_plan_options *options,
                                double until, sluice_diag *why)
{
    const char *fallback = options ? options->fallback : NULL;
    sched_unit_kinds *kinds;

    *out = NULL;
    if (!machine->next && !machine->gate && !fallback)
        return make_quiet_plan(out, machine, problem, options, until, why);
    kinds = sched_kinds_open(machine);
    if (!kinds)
        return core_fail_memory(why);
    sluice_status status = plan_list(kinds, out, machine, problem, options, until, why);
    if (*out)
        (*out)->kinds = kinds;
    else
        core_free(kinds);
    if (status == SLUICE_OK && fallback)
        status = sched_fallback_open(&(*out)->fallback, *out, fallback, why);
    if (status == SLUICE_OK) {
        sched_kinds_deal(kinds);
        status = sched_shares_open(*out, why);
    }
    if (status != SLUICE_OK) {
        sched_plan_destroy(*out);
        *out = NULL;
    }
    return status;
}

sluice_status sched_plan_create(sluice_plan **out, sluice_machine *machine,
                                const sluice_problem *problem, const sluice_plan_options *options,
                                sluice_diag *why)
{
    sluice_problem p = *problem;
    sched_planning planning;

    sluice_status status = check_options(options, why);
    const double until = deadline_of(options);
    if (status == SLUICE_OK)
        status = sched_problem_normalise(&p, why);
    if (status != SLUICE_OK)
        return status;
    const sched_plan_key key = {.problem = &p,
                                .effort = effort_of(machine, options),
                                .reproducible = is_reproducible(machine, options),
                                .hooks_scale = hooks_scale_of(options),
                                .fallback = options ? options->fallback : NULL};
    *out = sched_plan_cache_find(machine, &key, options, &planning);
    if (!*out) {
        status = make_plans(out, machine, &p, options, until, why);
        if (status == SLUICE_OK)
            sched_plan_cache_add(&planning, *out);
    }
    if (*out)
        core_log_line(&machine->log, CORE_LOG_PLAN, "%s", (*out)->line);
    return status;
}

/* Parses the problem before ":=". */
static sluice_status read_problem(sluice_problem *p, const char *begin, const char *end,
                                  sluice_diag *why)
{
    const size_t blanks = strspn(begin, " ");

    for (begin += blanks; end > begin && end[-1] == ' ';)
        end--;
    sluice_status status =
        sched_problem_parse_n(p, begin, end > begin ? (size_t)(end - begin) : 0, why);
    if (status != SLUICE_OK && why)
        why->offset += blanks;
    return status;
}

/* Refuses what can be refused before the formula is parsed. */
static sluice_status check_formula_options(sluice_precision precision,
                                           const sluice_plan_options *options, sluice_diag *why)
{
    const sluice_status status = check_options(options, why);

    if (status != SLUICE_OK)
        return status;
    if ((int)precision != SLUICE_F32 && precision != SLUICE_F64)
        return core_fail(why, SLUICE_E_INVALID, 0, "the precision is neither f32 nor f64");
    if (options && options->fallback)
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                         "plans made of a formula have no fallback, plans of a problem have");
    return SLUICE_OK;
}

/* A plan of the formula request->text, in the fastest transfer mode. */
static sluice_status plan_of_text(sluice_plan **out, sluice_machine *machine,
                                  const sluice_problem *p, const sched_plan_request *request,
                                  const sluice_plan_options *options, sluice_diag *why)
{
    sluice_status status = sched_plan_build(out, machine, p, request, why);

    if (status == SLUICE_OK && !request->reproducible && !sched_hooks_call(request->hooks))
        status = sched_transfers_measure(out, request, deadline_of(options), why);
    if (status != SLUICE_OK) {
        sched_plan_destroy(*out);
        *out = NULL;
    }
    return status;
}

static sched_plan_request request_of(const sluice_machine *machine, const char *text,
                                     const sluice_plan_options *options)
{
    return (sched_plan_request){.mode = machine->transfers.mode,
                                .text = text,
                                .batch_scale = 1,
                                .hooks_scale = hooks_scale_of(options),
                                .hooks = hooks_of(options),
                                .reproducible = is_reproducible(machine, options)};
}

sluice_status sched_plan_from_formula(sluice_plan **out, sluice_machine *machine,
                                      const char *formula, sluice_precision precision,
                                      const sluice_plan_options *options, sluice_diag *why)
{
    const char *colon = strstr(formula, ":="), *text = colon ? colon + 2 : formula;
    text += strspn(text, " \t\r\n");
    const sched_plan_request request = request_of(machine, text, options);
    sluice_problem p = {.kind = {SLUICE_C2C}, .precision = precision, .rank = 1};
    sched_planning planning;

    sluice_status status = check_formula_options(precision, options, why);
    if (status == SLUICE_OK && colon)
        status = read_problem(&p, formula, colon, why);
    if (status != SLUICE_OK)
        return status;
    const sched_plan_key key = {.problem = &p,
                                .text = text,
                                .effort = effort_of(machine, options),
                                .reproducible = request.reproducible,
                                .hooks_scale = request.hooks_scale};
    *out = sched_plan_cache_find(machine, &key, options, &planning);
    if (*out)
        return SLUICE_OK;
    status = plan_of_text(out, machine, &p, &request, options, why);
    if (status == SLUICE_OK)
        sched_plan_cache_add(&planning, *out);
    else if (why)
        why->offset += (size_t)(text - formula); /* 0: the error is in no particular place */
    return status;
}
