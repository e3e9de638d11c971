// SPDX-License-Identifier: BSD-3-Clause
#include "bench/kinds/bench_kinds.h"

#include <string.h>

#include "bench/engine/bench_sluice.h"
#include "bench/engine/bench_stop.h"
#include "bench/kinds/kinds_machines.h"
#include "bench/kinds/kinds_pace.h"
#include "bench/report/bench_report.h"
#include "bench/report/bench_say.h"
#include "bench/tuning/bench_turns.h"

const char bench_kinds_name[] = "kinds";
const char bench_kinds_streams[] = "kinds-stream";

typedef struct bench_kinds {
    const bench_options *options;
    FILE *json;
    kinds_machines machines;
} bench_kinds;

/* ---- records */

static void start_record(const bench_kinds *k, const char *what, const char *problem)
{
    if (k->json != stdout)
        printf("%-10s %-22s", what, problem);
    if (k->json)
        fprintf(k->json, "{\"record\":\"%s\",\"problem\":\"%s\"", what, problem);
}

static void add_number(const bench_kinds *k, const char *name, double value)
{
    if (k->json != stdout)
        printf(" %s=%.4g", name, value);
    if (k->json)
        fprintf(k->json, ",\"%s\":%.6g", name, value);
}

static void end_record(const bench_kinds *k)
{
    if (k->json != stdout)
        putchar('\n');
    if (k->json)
        fputs("}\n", k->json);
    fflush(stdout);
}

/* ---- executions */

enum { CORES, CHAINED, WAITED, ENGINES };

static sluice_status open_engines(const bench_kinds *k, bench_engine engine[ENGINES],
                                  sluice_problem problem, sluice_diag *why)
{
    static const kinds_machine machine[ENGINES] = {KINDS_CORES, KINDS_CHAINED, KINDS_DEVICE};
    sluice_status status = SLUICE_OK;
    for (int i = 0; i < ENGINES && status == SLUICE_OK; i++) {
        problem.workers = i == CORES ? k->machines.cores : 1;
        status = bench_sluice_open(&engine[i], k->machines.machine[machine[i]], &problem,
                                   k->options->effort, why);
    }
    return status;
}

static void report_executions(const bench_kinds *k, const char *problem,
                              bench_engine engine[ENGINES])
{
    static const char *const name[ENGINES] = {"cores_us", "chained_us", "waited_us"};
    double figure[ENGINES];
    start_record(k, "execution", problem);
    for (int i = 0; i < ENGINES; i++) {
        figure[i] = bench_series_figure(&engine[i].series);
        add_number(k, name[i], 1e6 * figure[i]);
    }
    add_number(k, "cores_over_chained", figure[CORES] / figure[CHAINED]);
    add_number(k, "cores_over_waited", figure[CORES] / figure[WAITED]);
    end_record(k);
}

static bench_exit time_executions(const bench_kinds *k, const char *text, const bench_shape *shape)
{
    bench_engine engine[ENGINES] = {0}, *const turns[] = {&engine[0], &engine[1], &engine[2]};
    bench_data data = {0};
    sluice_diag why = {0};
    sluice_status status =
        bench_data_open(&data, shape, (size_t)k->options->address) ? SLUICE_OK : SLUICE_E_MEMORY;
    if (status == SLUICE_OK) {
        bench_data_fill(&data, shape);
        status = open_engines(k, engine, shape->problem, &why);
    }
    if (status == SLUICE_OK && !bench_in_turns(turns, ENGINES, &data, k->options))
        status = SLUICE_E_DEVICE;
    if (status == SLUICE_OK && !bench_stop_requested())
        report_executions(k, text, engine);
    for (int i = 0; i < ENGINES; i++)
        if (engine[i].calls)
            bench_engine_close(&engine[i]);
    bench_data_close(&data);
    return status == SLUICE_OK ? BENCH_DONE : bench_refuse(text, status, &why);
}

/* ---- streams */

typedef struct streamed {
    sluice_machine *machine;
    sluice_plan *plan;
    bench_series block, device, turns; /* turns: executions without a stream */
} streamed;

enum { STREAMS = 3 };
static const kinds_machine stream_machine[STREAMS] = {KINDS_CORES, KINDS_DEVICE, KINDS_BOTH};

static bool note(bench_series *s, double value)
{
    const bool good = bench_series_add(s, value);
    bench_series_close_window(s);
    return good;
}

/* Only the device is compared with executions without a stream: on cores an execution uses all of
 * them for one block, while a stream gives each core its own block. */
static sluice_status stream_one(const bench_kinds *k, streamed *s, size_t bytes, bool in_turns,
                                sluice_diag *why)
{
    const double seconds = k->options->seconds;
    double turns_s = 0;
    kinds_pace pace;
    sluice_status status = kinds_pace_stream(&pace, s->machine, s->plan, bytes, seconds, why);
    if (status == SLUICE_OK && in_turns)
        status = kinds_pace_turns(&turns_s, s->plan, pace.slots, bytes, seconds, why);
    if (status != SLUICE_OK)
        return status;
    const bool noted = note(&s->block, pace.block_s) && note(&s->device, pace.device)
                       && (!in_turns || note(&s->turns, turns_s));
    return noted ? SLUICE_OK : SLUICE_E_MEMORY;
}

/* One window of each stream in turn. */
static sluice_status stream_window(const bench_kinds *k, streamed stream[STREAMS], size_t bytes,
                                   sluice_diag *why)
{
    sluice_status status = SLUICE_OK;
    for (int i = 0; i < STREAMS && status == SLUICE_OK; i++)
        if (stream[i].plan)
            status = stream_one(k, &stream[i], bytes, stream_machine[i] == KINDS_DEVICE, why);
    return status;
}

static void report_streams(const bench_kinds *k, const char *problem, const streamed *stream)
{
    const double cores = bench_series_figure(&stream[0].block),
                 device = bench_series_figure(&stream[1].block),
                 turns = bench_series_figure(&stream[1].turns);
    start_record(k, "stream", problem);
    add_number(k, "cores_us", 1e6 * cores);
    add_number(k, "device_us", 1e6 * device);
    add_number(k, "turns_us", 1e6 * turns);
    add_number(k, "turns_over_device", turns / device);
    if (stream[2].plan) {
        const double both = bench_series_figure(&stream[2].block);
        add_number(k, "both_us", 1e6 * both);
        add_number(k, "cores_over_both", cores / both);
        add_number(k, "device_share", bench_series_figure(&stream[2].device));
        add_number(k, "least_share", stream[2].device.min);
        add_number(k, "largest_share", stream[2].device.max);
    }
    end_record(k);
}

/* A stream has the workers of its machine, each of which computes a block. */
static sluice_status plan_streams(const bench_kinds *k, streamed stream[STREAMS],
                                  const sluice_problem *problem, sluice_diag *why)
{
    sluice_status status = SLUICE_OK;
    for (int i = 0; i < STREAMS && status == SLUICE_OK; i++) {
        stream[i].machine = k->machines.machine[stream_machine[i]];
        if (stream[i].machine)
            status = sluice_plan_create(&stream[i].plan, stream[i].machine, problem, NULL, why);
    }
    return status;
}

static bench_exit time_streams(const bench_kinds *k, const char *text, const bench_shape *shape)
{
    streamed stream[STREAMS] = {0};
    sluice_problem problem;
    sluice_diag why = {0};
    sluice_status status = sluice_problem_parse(&problem, text, &why);
    if (status == SLUICE_OK)
        status = plan_streams(k, stream, &problem, &why);
    for (int w = 0; w < k->options->windows && status == SLUICE_OK && !bench_stop_requested(); w++)
        status = stream_window(k, stream, shape->in.block_bytes, &why);
    if (status == SLUICE_OK && !bench_stop_requested())
        report_streams(k, text, stream);
    for (int i = 0; i < STREAMS; i++) {
        sluice_plan_destroy(stream[i].plan);
        bench_series_free(&stream[i].block);
        bench_series_free(&stream[i].device);
        bench_series_free(&stream[i].turns);
    }
    return status == SLUICE_OK ? BENCH_DONE : bench_refuse(text, status, &why);
}

/* ---- all of it */

static bench_exit time_item(const bench_kinds *k, const bench_item *item)
{
    sluice_problem problem;
    bench_shape shape;
    sluice_diag why = {0};
    sluice_status status = sluice_problem_parse(&problem, item->text, &why);
    if (status == SLUICE_OK)
        status = bench_shape_make(&shape, &problem, &why);
    if (status != SLUICE_OK)
        return bench_refuse(item->text, status, &why);
    const bool streams = strcmp(item->group, bench_kinds_streams) == 0;
    return (streams ? time_streams : time_executions)(k, item->text, &shape);
}

bench_exit bench_kinds_run(const bench_options *o, const bench_items *items,
                           sluice_machine *machine, FILE *json)
{
    bench_kinds k = {.options = o, .json = json};
    if (!o->units || strncmp(o->units, "opencl", 6) != 0 || strchr(o->units, ',')) {
        bench_complain("--suite kinds needs --units with one OpenCL device, such as opencl:0");
        return BENCH_USAGE;
    }
    bench_exit worst = kinds_machines_open(&k.machines, o, machine);
    if (worst != BENCH_DONE)
        return worst;
    bench_stop_watch();
    for (int i = 0; i < items->count && !bench_stop_requested(); i++) {
        const bench_exit done = time_item(&k, &items->item[i]);
        worst = done > worst ? done : worst;
    }
    kinds_machines_close(&k.machines);
    return bench_stop_requested() ? BENCH_INTERRUPTED : worst;
}
