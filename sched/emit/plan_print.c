// SPDX-License-Identifier: BSD-3-Clause
/* Plans as text, at every level. */
#include <string.h>

#include "core/status.h"
#include "core/text.h"
#include "sched/emit/emit.h"
#include "sched/emit/plan_times.h"
#include "sched/plan/hooks.h"
#include "sched/plan/plan.h"
#include "sched/plan/plan_kinds.h"
#include "sched/plan/scenario.h"
#include "sched/plan/transfers.h"
#include "sched/problem/problem.h"

/* Loops whose shares differ in length because p or s does not divide their iterations; each kind
 * once. */
typedef struct uneven {
    struct {
        int64_t n, shares, grain;
    } seen[16];
    int count;
} uneven;

static void find_uneven(const spl *x, uneven *u)
{
    const int64_t n = x->a[1], shares = x->a[4], grain = x->a[5];
    bool known = x->op != SPL_LOOP || x->a[3] == 0 || (n % grain == 0 && n / grain % shares == 0);

    for (int i = 0; i < u->count; i++)
        known = known
                || (u->seen[i].n == n && u->seen[i].shares == shares && u->seen[i].grain == grain);
    if (!known && u->count < (int)(sizeof u->seen / sizeof u->seen[0])) {
        u->seen[u->count].n = n;
        u->seen[u->count].shares = shares;
        u->seen[u->count++].grain = grain;
    }
    for (int i = 0; i < x->nkids; i++)
        find_uneven(x->kid[i], u);
}

typedef void level_writer(const sluice_plan *plan, core_text *out);

static void print_uneven(const sluice_plan *plan, core_text *out)
{
    uneven u = {.count = 0};

    find_uneven(plan->merged, &u);
    for (int i = 0; i < u.count; i++)
        core_text_printf(out, "# uneven: %lld iterations in %lld shares by multiples of %lld\n",
                         (long long)u.seen[i].n, (long long)u.seen[i].shares,
                         (long long)u.seen[i].grain);
}

/* Prints what a kind does in executions and streams, and how fast. */
static void print_kind(const sched_unit_kind *k, const sluice_plan *first, core_text *out)
{
    const sluice_plan *plan = k->plan;

    core_text_printf(out, "# %s, %d unit%s: ", k->table->name, k->units, k->units == 1 ? "" : "s");
    if (!plan) {
        core_text_printf(out, "takes no part: %s\n", k->why);
        return;
    }
    core_text_printf(out, "%zu of %zu transforms of an execution", k->count,
                     sched_plan_count(plan));
    if (k->why[0])
        core_text_printf(out, " (%s)", k->why);
    core_text_printf(out, "; %s %.3g s on one unit, in streams %.3g s a block%s",
                     plan->rate.measured ? "measured" : "predicted", plan->rate.seconds,
                     plan->rate.pace,
                     plan->leaves_streams ? ", which is left to faster kinds" : "");
    core_text_printf(out, plan == first ? "\n" : ": %s\n", plan->line);
}

static void print_kinds(const sluice_plan *plan, core_text *out)
{
    for (int i = 0; plan->kinds && plan->kinds->count > 1 && i < plan->kinds->count; i++)
        print_kind(&plan->kinds->kind[i], plan, out);
}

static void print_formula(const sluice_plan *plan, const sched_times *times, core_text *out)
{
    backend_cost cost;

    if (plan->program->table->team->estimate(plan->program, &cost) != SLUICE_OK)
        out->failed = true;
    sched_scenario_print(plan, out);
    print_uneven(plan, out);
    sched_transfers_print(plan, out);
    sched_hooks_print(plan, out);
    if (plan->comments)
        core_text_printf(out, "%s", plan->comments);
    core_text_printf(
        out,
        "# predicted %.3g s on one unit, bound by %s: %.4g vector operations, %s moved, "
        "working set %s\n",
        cost.seconds, cost.bound, cost.operations, core_bytes(cost.bytes).text,
        core_bytes(cost.working_set).text);
    sched_times_print(plan, times, out);
    print_kinds(plan, out);
    core_text_printf(out, "%s\n", plan->line);
}

static void formula_level(const sluice_plan *plan, core_text *out)
{
    print_formula(plan, NULL, out);
}

static void sigma_level(const sluice_plan *plan, core_text *out)
{
    core_text_printf(out, "# loops as the tag rules made them\n");
    spl_print(plan->sigma, out);
    core_text_printf(
        out,
        "\n# merged: permutations, diagonals and formats inside gathers, scatters and kernels\n");
    spl_print(plan->merged, out);
    core_text_printf(out, "\n");
}

/* Prints what the level prints for each of the plan's other kinds. */
static void print_others(const sluice_plan *plan, level_writer *write, core_text *out)
{
    for (const sluice_plan *q = plan->next; q; q = q->next) {
        core_text_printf(out, "# %s\n", q->machine->table->name);
        write(q, out);
    }
}

static void one_program(const sluice_plan *plan, core_text *out)
{
    prog_print(plan->body, out);
}

static void program_level(const sluice_plan *plan, core_text *out)
{
    one_program(plan, out);
    print_others(plan, one_program, out);
}

/* Prints what parts would have to send each other if each had a store of its own. */
static void print_exchanges(const sluice_plan *plan, core_text *out)
{
    const double element =
        (double)(sched_scalar_bytes(&plan->problem) * (size_t)prog_min_scalars(plan->body));
    const long long parts = (long long)plan->body->parts;
    prog_exchanges e;
    sluice_diag why;

    if (parts < 2)
        return;
    const sluice_status status = prog_exchange(plan->body, &e, &why);
    if (status == SLUICE_OK)
        core_text_printf(
            out, "# exchanges of %lld parts: %d, input %s, between stages %s, output %s", parts,
            e.exchanges, core_bytes(element * (double)e.in).text,
            core_bytes(element * (double)e.between).text, core_bytes(element * (double)e.out).text);
    else if (status == SLUICE_E_MEMORY)
        out->failed = true;
    else
        core_text_printf(out, "# exchanges of %lld parts: not counted: %s", parts, why.message);
    if (status == SLUICE_OK && e.exchanges > 0)
        core_text_printf(out, ", packets of %s or more",
                         core_bytes(element * (double)e.min_packet).text);
    core_text_printf(out, "\n");
    prog_exchanges_free(&e);
}

static void one_placement(const sluice_plan *plan, core_text *out)
{
    plan->program->table->team->print(plan->program, out);
    print_exchanges(plan, out);
}

static void placement_level(const sluice_plan *plan, core_text *out)
{
    one_placement(plan, out);
    print_others(plan, one_placement, out);
}

/* Prints the text of a level as a JSON string. */
static void print_quoted(const char *text, core_text *out)
{
    core_text_printf(out, "\"");
    for (const char *c = text; *c; c++) {
        if (*c == '\n')
            core_text_printf(out, "\\n");
        else if (*c == '"' || *c == '\\')
            core_text_printf(out, "\\%c", *c);
        else
            core_text_add(out, c, 1);
    }
    core_text_printf(out, "\"");
}

static void quoted_level(const char *name, level_writer *writer, const sluice_plan *plan,
                         core_text *out)
{
    core_text inner = {0};

    writer(plan, &inner);
    core_text_printf(out, ",\"%s\":", name);
    print_quoted(core_text_string(&inner), out);
    if (inner.failed)
        out->failed = true;
    core_text_free(&inner);
}

static void json_kind(const sched_unit_kind *k, core_text *out)
{
    const sluice_plan *plan = k->plan;

    core_text_printf(out,
                     "{\"kind\":\"%s\",\"units\":%d,\"transforms\":%zu,\"why\":", k->table->name,
                     k->units, k->count);
    print_quoted(k->why, out);
    if (plan) {
        core_text_printf(out,
                         ",\"seconds\":%.9g,\"latency_s\":%.9g,\"pace_s\":%.9g,\"measured\":%s,"
                         "\"in_streams\":%s,\"line\":",
                         plan->rate.seconds, plan->rate.latency, plan->rate.pace,
                         plan->rate.measured ? "true" : "false",
                         plan->leaves_streams ? "false" : "true");
        print_quoted(plan->line, out);
        quoted_level("program", one_program, plan, out);
        quoted_level("placement", one_placement, plan, out);
    }
    core_text_printf(out, "}");
}

static void json_kinds(const sluice_plan *plan, core_text *out)
{
    const int count = plan->kinds && plan->kinds->count > 1 ? plan->kinds->count : 0;

    for (int i = 0; i < count; i++) {
        core_text_printf(out, i ? "," : ",\"kinds\":[");
        json_kind(&plan->kinds->kind[i], out);
    }
    if (count > 0)
        core_text_printf(out, "]");
}

static void print_json(const sluice_plan *plan, const sched_times *times, core_text *out)
{
    backend_cost cost;
    core_text problem = {0};
    const double points = (double)sched_problem_points(&plan->problem);

    if (plan->program->table->team->estimate(plan->program, &cost) != SLUICE_OK)
        out->failed = true;
    sched_problem_print(&plan->problem, &problem);
    core_text_printf(out, "{\"problem\":");
    print_quoted(core_text_string(&problem), out);
    core_text_printf(out,
                     ",\"points\":%.0f,\"parts\":%lld,\"work_bytes\":%zu,\"predicted_s\":%.9g,"
                     "\"operations\":%.9g,\"bytes\":%.9g,\"bound\":\"%s\"",
                     points, (long long)plan->body->parts,
                     plan->own ? sched_plan_work_bytes(plan->own) : 0, cost.seconds,
                     cost.operations, cost.bytes, cost.bound);
    sched_times_json(plan, times, out);
    json_kinds(plan, out);
    if (problem.failed)
        out->failed = true;
    core_text_free(&problem);
    quoted_level("formula", formula_level, plan, out);
    quoted_level("sigma", sigma_level, plan, out);
    quoted_level("program", one_program, plan, out);
    quoted_level("placement", one_placement, plan, out);
    core_text_printf(out, "}\n");
}

static void json_level(const sluice_plan *plan, core_text *out)
{
    print_json(plan, NULL, out);
}

static sluice_status print_measured(const sluice_plan *plan, sluice_level level, core_text *out,
                                    sluice_diag *why)
{
    sched_times times = {.loop = NULL};
    const sluice_status status = sched_times_measure(&times, plan, why);

    if (status == SLUICE_OK)
        (level == SLUICE_LEVEL_MEASURED ? print_formula : print_json)(plan, &times, out);
    sched_times_close(&times);
    return status;
}

sluice_status sched_plan_print(const sluice_plan *plan, sluice_level level, sluice_write *write,
                               void *user)
{
    static level_writer *const writers[] = {[SLUICE_LEVEL_FORMULA] = formula_level,
                                            [SLUICE_LEVEL_SIGMA] = sigma_level,
                                            [SLUICE_LEVEL_PROGRAM] = program_level,
                                            [SLUICE_LEVEL_PLACEMENT] = placement_level,
                                            [SLUICE_LEVEL_JSON] = json_level};
    core_text text = {0};
    sluice_diag why = {.message = ""};
    sluice_status status = SLUICE_OK;

    if ((int)level < 0 || level > SLUICE_LEVEL_COUNTS)
        return SLUICE_E_INVALID;
    if (plan->hooked
        && (level == SLUICE_LEVEL_C || level == SLUICE_LEVEL_OPENCL
            || level == SLUICE_LEVEL_COUNTS))
        status = core_fail(&why, SLUICE_E_UNSUPPORTED, 0,
                           "hooks are not printed as source, in this version, but for a scale");
    else if (level == SLUICE_LEVEL_C)
        status = sched_emit(plan, &text, &why);
    else if (level == SLUICE_LEVEL_OPENCL)
        status = sched_emit_opencl(plan, &text, &why);
    else if (level == SLUICE_LEVEL_COUNTS)
        status = sched_emit_counts(plan, &text, &why);
    else if (level >= SLUICE_LEVEL_MEASURED)
        status = print_measured(plan, level, &text, &why);
    else
        writers[level](plan, &text);
    if (status == SLUICE_OK)
        status = text.failed ? SLUICE_E_MEMORY : write(user, core_text_string(&text), text.length);
    else if (status == SLUICE_E_UNSUPPORTED && why.message[0])
        write(user, why.message, strlen(why.message));
    core_text_free(&text);
    return status;
}
