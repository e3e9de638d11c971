// SPDX-License-Identifier: BSD-3-Clause
/* Times sluice through its public header, the way a user's program calls it. */
#include "bench/engine/bench_sluice.h"

#include "bench/device/bench_device.h"
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

/* The data are on the device before the clock starts; e->self is the route. */
static double time_there(bench_engine *e, const bench_data *d, size_t reps)
{
    const bench_route *route = e->self;
    const bench_mirror *m = bench_mirror_put(d, e->memory);
    if (!m)
        return -1;
    double start = bench_now();
    bool good = route->run(e->state, m, d, reps);
    double end = bench_now();
    return bench_mirror_back(d, e->memory, false) && good ? end - start : -1;
}

static void close_plan(bench_engine *e)
{
    sluice_plan_destroy(e->state);
}

static const bench_calls interleaved_calls = {.time = time_interleaved, .close = close_plan};
static const bench_calls split_calls = {.time = time_split, .close = close_plan};
static const bench_calls there_calls = {.time = time_there, .close = close_plan};

const char *bench_effort_name(sluice_effort effort)
{
    static const char *const name[] = {
        [SLUICE_ESTIMATE] = "estimate", [SLUICE_MEASURE] = "measure", [SLUICE_PATIENT] = "patient"};
    return name[effort];
}

static bench_engine engine_of(sluice_plan *plan, double seconds, bool split)
{
    return (bench_engine){.role = BENCH_SLUICE,
                          .name = "sluice",
                          .plan_s = seconds,
                          .plan_first_s = seconds,
                          .calls = split ? &split_calls : &interleaved_calls,
                          .state = plan};
}

/* Prepares an engine on a machine whose data are on a device. */
static sluice_status move_there(bench_engine *e, const sluice_machine *machine, sluice_diag *why)
{
    const bench_route *route = bench_device_route(machine);
    const sluice_status status = route ? route->prepare(e->state, why) : SLUICE_OK;
    if (status != SLUICE_OK) {
        close_plan(e);
    } else if (route) {
        e->calls = &there_calls;
        e->self = route;
        e->memory = route->memory();
    }
    return status;
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
    *e = engine_of(plan, end - start, split);
    e->effort = bench_effort_name(effort);
    e->workers = problem->workers;
    return move_there(e, machine, why);
}

sluice_status bench_sluice_open_formula(bench_engine *e, sluice_machine *machine,
                                        const char *formula, sluice_precision precision,
                                        sluice_diag *why)
{
    sluice_plan *plan = NULL;
    const double start = bench_now();
    const sluice_status status =
        sluice_plan_from_formula(&plan, machine, formula, precision, NULL, why);
    if (status != SLUICE_OK)
        return status;
    *e = engine_of(plan, bench_now() - start, false);
    return move_there(e, machine, why);
}
