// SPDX-License-Identifier: BSD-3-Clause
/* Times sluice through its public header, the way a user's program calls it. */
#include "bench/engine/bench_sluice.h"

#include "bench/engine/bench_clock.h"

static double time_interleaved(bench_engine *e, const bench_data *d, size_t reps)
{
    int failed = 0;
    double start = bench_now();
    for (size_t i = 0; i < reps; i++)
        failed |= sluice_execute(e->state, d->in, d->out);
    double end = bench_now();
    return failed ? -1 : end - start;
}

static double time_split(bench_engine *e, const bench_data *d, size_t reps)
{
    sluice_arrays arrays = {.in = d->in, .in_im = d->in_im, .out = d->out, .out_im = d->out_im};
    int failed = 0;
    double start = bench_now();
    for (size_t i = 0; i < reps; i++)
        failed |= sluice_execute_with(e->state, &arrays, NULL);
    double end = bench_now();
    return failed ? -1 : end - start;
}

static void close_plan(bench_engine *e)
{
    sluice_plan_destroy(e->state);
}

static const bench_calls interleaved_calls = {.time = time_interleaved, .close = close_plan};
static const bench_calls split_calls = {.time = time_split, .close = close_plan};

const char *bench_effort_name(sluice_effort effort)
{
    static const char *const name[] = {
        [SLUICE_ESTIMATE] = "estimate", [SLUICE_MEASURE] = "measure", [SLUICE_PATIENT] = "patient"};
    return name[effort];
}

static bench_engine engine_of(sluice_plan *plan, double seconds)
{
    return (bench_engine){.role = BENCH_SLUICE,
                          .name = "sluice",
                          .plan_s = seconds,
                          .plan_first_s = seconds,
                          .calls = &interleaved_calls,
                          .state = plan};
}

sluice_status bench_sluice_open(bench_engine *e, sluice_machine *machine,
                                const sluice_problem *problem, sluice_effort effort,
                                sluice_diag *why)
{
    sluice_plan *plan = NULL;
    sluice_plan_options options = {.effort = effort};
    double start = bench_now();
    sluice_status status = sluice_plan_create(&plan, machine, problem, &options, why);
    double end = bench_now();
    if (status != SLUICE_OK)
        return status;
    bool split = problem->in_layout == SLUICE_SPLIT || problem->out_layout == SLUICE_SPLIT;
    *e = engine_of(plan, end - start);
    e->effort = bench_effort_name(effort);
    e->workers = problem->workers;
    e->calls = split ? &split_calls : &interleaved_calls;
    return SLUICE_OK;
}

sluice_status bench_sluice_open_formula(bench_engine *e, sluice_machine *machine,
                                        const char *formula, sluice_precision precision,
                                        sluice_diag *why)
{
    sluice_plan *plan = NULL;
    const double start = bench_now();
    const sluice_status status =
        sluice_plan_from_formula(&plan, machine, formula, precision, NULL, why);
    if (status == SLUICE_OK)
        *e = engine_of(plan, bench_now() - start);
    return status;
}
