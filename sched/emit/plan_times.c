// SPDX-License-Identifier: BSD-3-Clause
#include "sched/emit/plan_times.h"

#include "core/mem.h"
#include "core/status.h"
#include "sched/plan/measure.h"
#include "sched/plan/sides.h"

/* The runs of a round last this long together, so that caches are in the state that a run leaves;
 * the fastest round counts. */
static const double round_seconds = 1e-3;
enum { ROUNDS = 5 };

/* ---- measured ---- */

static sluice_status time_round(const sluice_plan *plan, const sluice_arrays *arrays, long runs,
                                double *seconds)
{
    sluice_status status = SLUICE_OK;

    for (size_t i = 0; i < plan->body->nstmts; i++)
        seconds[i] = 0;
    for (long run = 0; run < runs && status == SLUICE_OK; run++)
        status = plan->program->table->team->time(plan->program, arrays, seconds);
    return status;
}

static sluice_status time_loops(double *min, const sluice_plan *plan, double seconds,
                                const sluice_arrays *arrays)
{
    const size_t stmts = plan->body->nstmts;
    const long runs = seconds < round_seconds ? (long)(round_seconds / seconds) + 1 : 1;
    double *now = core_calloc(stmts + 1, sizeof *now);
    sluice_status status = now ? SLUICE_OK : SLUICE_E_MEMORY;

    for (int round = 0; round < ROUNDS && status == SLUICE_OK; round++) {
        status = time_round(plan, arrays, runs, now);
        for (size_t i = 0; i < stmts; i++)
            if (round == 0 || now[i] / (double)runs < min[i])
                min[i] = now[i] / (double)runs;
    }
    core_free(now);
    return status;
}

sluice_status sched_times_measure(sched_times *out, const sluice_plan *plan, sluice_diag *why)
{
    sched_sides sides;

    sluice_status status = sched_measure(plan, 1, 0, &out->seconds, why);
    if (status != SLUICE_OK || !plan->program->table->team->time)
        return status;
    status = sched_sides_open(&sides, plan, 0, why);
    if (status != SLUICE_OK)
        return status;
    out->loop = core_calloc(plan->body->nstmts + 1, sizeof *out->loop);
    status = out->loop ? time_loops(out->loop, plan, out->seconds, &sides.arrays) : SLUICE_E_MEMORY;
    sched_sides_close(&sides);
    return status == SLUICE_E_MEMORY ? core_fail_memory(why) : status;
}

void sched_times_close(sched_times *times)
{
    core_free(times->loop);
    *times = (sched_times){.loop = NULL};
}

/* ---- printed ---- */

/* Prints a stage; prints a loop of several stages, after the last of them. */
typedef struct printer {
    void (*stage)(core_text *out, const char *name, const price_stage *stage, bool first);
    void (*loop)(core_text *out, int stages, double predicted, double measured, bool first);
} printer;

static void print_stages(const sluice_plan *plan, const price_stage *stage, const printer *how,
                         core_text *out)
{
    bool first = true;

    for (size_t i = 0; i < plan->body->nstmts; i++) {
        core_text name = {0};
        if (!prog_is_stage(&plan->body->stmt[i]))
            continue;
        plan->program->table->team->name_stage(plan->program, i, &name);
        how->stage(out, core_text_string(&name), &stage[i], first);
        out->failed = out->failed || name.failed;
        core_text_free(&name);
        first = false;
    }
}

static void print_loops(const sluice_plan *plan, const price_stage *stage, const double *measured,
                        const printer *how, core_text *out)
{
    const size_t stmts = plan->body->nstmts;
    double predicted = 0, seconds = 0;
    int stages = 0;
    bool first = true;

    for (size_t i = 0; i <= stmts; i++) {
        if (stages > 0 && (i == stmts || measured[i] > 0)) {
            how->loop(out, stages, predicted, seconds, first);
            first = false;
            stages = 0;
            predicted = seconds = 0;
        }
        if (i < stmts && prog_is_stage(&plan->body->stmt[i])) {
            stages++;
            predicted += stage[i].cpu + stage[i].memory;
            seconds += measured[i];
        }
    }
}

static void comment_stage(core_text *out, const char *name, const price_stage *s, bool first)
{
    (void)first;
    core_text_printf(out, "# stage %s, predicted %.3g s: arithmetic %.3g, memory %.3g\n", name,
                     s->cpu + s->memory, s->cpu, s->memory);
}

static void comment_loop(core_text *out, int stages, double predicted, double measured, bool first)
{
    core_text_printf(out, "# %s %d stage%s: predicted %.3g s, measured %.3g s\n",
                     first ? "the first" : "the next", stages, stages == 1 ? "" : "s", predicted,
                     measured);
}

static void json_stage(core_text *out, const char *name, const price_stage *s, bool first)
{
    core_text_printf(
        out, "%s{\"stage\":\"%s\",\"predicted_s\":%.9g,\"arithmetic_s\":%.9g,\"memory_s\":%.9g}",
        first ? "" : ",", name, s->cpu + s->memory, s->cpu, s->memory);
}

static void json_loop(core_text *out, int stages, double predicted, double measured, bool first)
{
    core_text_printf(out, "%s{\"stages\":%d,\"predicted_s\":%.9g,\"measured_s\":%.9g}",
                     first ? "" : ",", stages, predicted, measured);
}

static const printer comments = {comment_stage, comment_loop}, json = {json_stage, json_loop};

/* NULL: there are none, or memory ran out. */
static price_stage *stages_of(const sluice_plan *plan, core_text *out)
{
    const backend_team *team = plan->program->table->team;
    price_stage *stage = NULL;

    if (team->stages && team->stages(plan->program, &stage) != SLUICE_OK)
        out->failed = true;
    return stage;
}

void sched_times_print(const sluice_plan *plan, const sched_times *times, core_text *out)
{
    price_stage *stage = stages_of(plan, out);

    if (stage)
        print_stages(plan, stage, &comments, out);
    if (times)
        core_text_printf(out, "# measured %.3g s on one unit\n", times->seconds);
    if (stage && times && times->loop)
        print_loops(plan, stage, times->loop, &comments, out);
    core_free(stage);
}

void sched_times_json(const sluice_plan *plan, const sched_times *times, core_text *out)
{
    price_stage *stage = stages_of(plan, out);

    if (times)
        core_text_printf(out, ",\"measured_s\":%.9g", times->seconds);
    if (stage) {
        core_text_printf(out, ",\"stages\":[");
        print_stages(plan, stage, &json, out);
        core_text_printf(out, "]");
    }
    if (stage && times && times->loop) {
        core_text_printf(out, ",\"loops\":[");
        print_loops(plan, stage, times->loop, &json, out);
        core_text_printf(out, "]");
    }
    core_free(stage);
}
