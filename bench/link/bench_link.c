// SPDX-License-Identifier: BSD-3-Clause
#include "bench/link/bench_link.h"

#include <stdlib.h>
#include <string.h>

#include "bench/engine/bench_clock.h"
#include "bench/engine/bench_stop.h"
#include "bench/link/link_rates.h"
#include "bench/report/bench_say.h"

const char bench_link_name[] = "link";

/* Points of the out-of-core transform, without --largest; 8 bytes each. A block of a stream is at
 * most a 32nd of it, within the limits below. */
static const size_t usual_points = (size_t)1 << 28;
enum { POINT = 8, LENGTH = 1024, BLOCK_SHARE = 32, BLOCKS = 40, BEGUN = 6, RUNS = 3 };
enum { LARGEST_BLOCK = 32 << 20, LEAST_BLOCK = 1 << 20, RING = 16 << 20 };

typedef struct bench_link {
    const bench_options *options;
    sluice_machine *machine;
    FILE *json;
    const link_driver *driver;
    size_t points, bytes;                   /* bytes of one side */
    char *in, *out;                         /* ordinary memory */
    double one[LINK_WAYS], both[LINK_WAYS]; /* GB/s from pinned memory: one way, both at once */
} bench_link;

static void say(const bench_link *l, const char *what, double value, const char *unit)
{
    if (l->json != stdout)
        printf("%-58s %10.4g %s\n", what, value, unit);
    fflush(stdout);
    if (l->json)
        fprintf(l->json, "{\"record\":\"link\",\"what\":\"%s\",\"value\":%.6g,\"unit\":\"%s\"}\n",
                what, value, unit);
}

/* ---- the link and the host */

static bool time_ways(bench_link *l, const char *memory, const link_load *load)
{
    static const char *const name[] = {"get", "put"};
    const bool pinned = load->host[0] != l->in;
    double rate[LINK_WAYS];
    char what[80];
    for (int way = 0; way < LINK_WAYS; way++) {
        link_load alone = *load;
        alone.host[!way] = NULL;
        if (!link_transfer_rates(&alone, rate))
            return false;
        l->one[way] = pinned ? rate[way] : l->one[way];
        snprintf(what, sizeof what, "link, %s, %s alone", memory, name[way]);
        say(l, what, rate[way], "GB/s");
    }
    if (!link_transfer_rates(load, rate))
        return false;
    for (int way = 0; way < LINK_WAYS; way++) {
        l->both[way] = pinned ? rate[way] : l->both[way];
        snprintf(what, sizeof what, "link, %s, %s beside the other way", memory, name[way]);
        say(l, what, rate[way], "GB/s");
    }
    return true;
}

static bench_exit time_link(bench_link *l)
{
    static const size_t pieces[] = {256 << 10, 2 << 20, 32 << 20};
    const size_t bytes = l->bytes < (256 << 20) ? l->bytes : 256 << 20;
    sluice_diag why = {0};
    char what[80];
    l->driver = link_device_open(l->options->units, bytes, &why);
    if (!l->driver)
        return bench_refuse("the link", SLUICE_E_DEVICE, &why);
    link_load load = {.driver = l->driver, .host = {l->in, l->out}, .bytes = bytes};
    load.piece = pieces[2];
    bool good = time_ways(l, "ordinary memory", &load);
    load.host[0] = l->driver->pinned(bytes);
    load.host[1] = l->driver->pinned(bytes);
    if (!load.host[0] || !load.host[1])
        return bench_refuse("the link: pinned memory", SLUICE_E_MEMORY, &why);
    memset(load.host[0], 0, bytes);
    memset(load.host[1], 0, bytes);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces && good; i++) {
        load.piece = pieces[i];
        snprintf(what, sizeof what, "pinned, commands of %zu KiB", pieces[i] >> 10);
        good = time_ways(l, what, &load); /* the last rates count: largest commands */
    }
    return good ? BENCH_DONE : bench_refuse("a transfer", SLUICE_E_DEVICE, &why);
}

static int cores_of_host(void)
{
    const sluice_machine_options options = {.units = "cpu"};
    sluice_machine *m = NULL;
    if (sluice_machine_open(&m, &options, NULL) != SLUICE_OK)
        return 1;
    const int cores = sluice_machine_unit_count(m);
    sluice_machine_close(m);
    return cores;
}

static void time_host(const bench_link *l)
{
    const int cores = cores_of_host();
    const size_t bytes = l->bytes < ((size_t)1 << 30) ? l->bytes : (size_t)1 << 30;
    char what[80];
    for (int threads = 1;; threads = 2 * threads < cores ? 2 * threads : cores) {
        snprintf(what, sizeof what, "host, %d threads, memory to a ring of 16 MiB", threads);
        say(l, what, link_copy_rate(threads, l->in, l->out, bytes, RING), "GB/s");
        snprintf(what, sizeof what, "host, %d threads, memory to memory", threads);
        say(l, what, link_copy_rate(threads, l->in, l->out, bytes, 0), "GB/s");
        if (threads == cores)
            break;
    }
}

/* ---- streams */

typedef struct feed {
    const bench_link *link;
    size_t bytes; /* of a block's side */
    bool own;     /* blocks are the caller's ordinary memory, else slots */
    int got, put, warmed;
    double begin, end; /* of the blocks that count */
    double legs[3];
} feed;

static sluice_status next_block(void *user, sluice_slot *slot)
{
    feed *f = user;
    const size_t at = (size_t)f->got * f->bytes % f->link->bytes;
    if (f->got == BLOCKS)
        return SLUICE_END;
    if (f->own) {
        slot->in = f->link->in + at;
        slot->out = f->link->out + at;
    } else if (f->got < BEGUN) {
        memset(slot->in, 0, f->bytes);
    }
    f->got++;
    return SLUICE_OK;
}

/* The pace counts blocks in the middle of the stream only. */
static sluice_status note_block(void *user, sluice_slot *slot)
{
    feed *f = user;
    f->put++;
    if (f->put == BEGUN)
        f->begin = bench_now();
    if (f->put > BEGUN && f->put <= BLOCKS - BEGUN) {
        f->end = bench_now();
        f->legs[0] += slot->get_seconds;
        f->legs[1] += slot->compute_seconds;
        f->legs[2] += slot->put_seconds;
    }
    return SLUICE_OK;
}

static double longer_way(const bench_link *l, size_t bytes)
{
    const double slower = l->both[0] < l->both[1] ? l->both[0] : l->both[1];
    return (double)bytes / slower / 1e9;
}

static void report_stream(const bench_link *l, const feed *f, const char *memory)
{
    static const char *const leg[] = {"get", "compute", "put"};
    const double pace = (f->end - f->begin) / (BLOCKS - 2 * BEGUN);
    double longest = 0;
    char what[80];
    snprintf(what, sizeof what, "stream, %s, a block of %zu MiB", memory, f->bytes >> 20);
    say(l, what, 1e3 * pace, "ms");
    for (int i = 0; i < 3; i++) {
        const double seconds = f->legs[i] / (BLOCKS - 2 * BEGUN);
        longest = seconds > longest ? seconds : longest;
        snprintf(what, sizeof what, "stream, %s, %s, by the device's clock", memory, leg[i]);
        say(l, what, 1e3 * seconds, "ms");
    }
    if (longest > 0) {
        snprintf(what, sizeof what, "stream, %s, over its longest leg", memory);
        say(l, what, pace / longest, "");
    }
    snprintf(what, sizeof what, "stream, %s, over the slower way beside the other", memory);
    say(l, what, pace / longer_way(l, f->bytes), "");
}

static bench_exit time_streams(const bench_link *l)
{
    size_t block = l->bytes / BLOCK_SHARE;
    char problem[48];
    sluice_diag why = {0};
    sluice_plan *plan = NULL;
    block = block > LARGEST_BLOCK ? LARGEST_BLOCK : block < LEAST_BLOCK ? LEAST_BLOCK : block;
    snprintf(problem, sizeof problem, "c2c:f32:%d*%zu", LENGTH, block / POINT / LENGTH);
    sluice_status status = sluice_plan_from_text(&plan, l->machine, problem, NULL, &why);
    for (int own = 0; own < 2 && status == SLUICE_OK; own++) {
        const sluice_stream_options options = {.why = &why};
        feed f = {.link = l, .bytes = block, .own = own};
        status = sluice_stream_run(plan, next_block, note_block, &f, &options, NULL);
        if (status == SLUICE_OK)
            report_stream(l, &f, own ? "ordinary memory" : "slots");
    }
    sluice_plan_destroy(plan);
    return status == SLUICE_OK ? BENCH_DONE : bench_refuse(problem, status, &why);
}

/* ---- executions */

static sluice_status execute(const bench_link *l, const sluice_plan *plan, void *work,
                             double *seconds, sluice_diag *why)
{
    const sluice_arrays arrays = {.in = l->in, .out = l->out, .why = why};
    const double begin = bench_now();
    const sluice_status status = sluice_execute_with(plan, &arrays, work);
    *seconds = bench_now() - begin;
    return status;
}

/* The best of several executions; the first one does not count, as it touches new memory. */
static sluice_status best_of(const bench_link *l, const sluice_plan *plan, double *best,
                             sluice_diag *why)
{
    void *work = sluice_alloc(sluice_plan_work_bytes(plan) + 64);
    sluice_status status = work ? SLUICE_OK : SLUICE_E_MEMORY;
    if (work)
        memset(work, 0, sluice_plan_work_bytes(plan));
    for (int run = 0; run <= RUNS && status == SLUICE_OK; run++) {
        double seconds;
        char what[48];
        status = execute(l, plan, work, &seconds, why);
        *best = run == 0 || seconds < *best ? seconds : *best;
        snprintf(what, sizeof what, "  execution %d", run);
        say(l, what, 1e3 * seconds, "ms");
    }
    sluice_free(work);
    return status;
}

/* A batch from ordinary memory: input transfer, computation, output transfer. */
static bench_exit time_batch(const bench_link *l)
{
    const size_t points = l->points / 4;
    char problem[48];
    sluice_diag why = {0};
    sluice_plan *plan = NULL;
    double best = 0;
    snprintf(problem, sizeof problem, "c2c:f32:%d*%zu", LENGTH, points / LENGTH);
    sluice_status status = sluice_plan_from_text(&plan, l->machine, problem, NULL, &why);
    if (status == SLUICE_OK)
        status = best_of(l, plan, &best, &why);
    sluice_plan_destroy(plan);
    if (status != SLUICE_OK)
        return bench_refuse(problem, status, &why);
    const double bytes = (double)points * POINT / 1e9;
    say(l, "a batch from ordinary memory, a quarter of it", 1e3 * best, "ms");
    say(l, "a batch, over get and put alone, one after the other",
        best / (bytes / l->one[0] + bytes / l->one[1]), "");
    return BENCH_DONE;
}

static void say_out_of_core(const bench_link *l, double best)
{
    const double bytes = (double)l->bytes / 1e9;
    say(l, "out of core, two passes", 1e3 * best, "ms");
    say(l, "out of core, over two ways there and back, both at once",
        best / (2 * longer_way(l, l->bytes)), "");
    say(l, "out of core, over two ways there and back, one after another",
        best / (2 * (bytes / l->one[0] + bytes / l->one[1])), "");
}

/* Two passes through the host's memory; the device may use half of the bytes of a side. */
static bench_exit time_out_of_core(const bench_link *l)
{
    char units[160], problem[32];
    sluice_diag why = {0};
    sluice_machine *machine = NULL;
    sluice_plan *plan = NULL;
    double best = 0;
    snprintf(units, sizeof units, "%.100s:memory=%zu", l->options->units, l->bytes / 2);
    snprintf(problem, sizeof problem, "c2c:f32:%zu", l->points);
    const sluice_machine_options options = {.units = units};
    sluice_status status = sluice_machine_open(&machine, &options, &why);
    if (status == SLUICE_OK)
        status = sluice_plan_from_text(&plan, machine, problem, NULL, &why);
    if (status == SLUICE_OK) {
        say(l, "out of core, scratch of the host", (double)sluice_plan_work_bytes(plan) / 1e6,
            "MB");
        status = best_of(l, plan, &best, &why);
    }
    sluice_plan_destroy(plan);
    sluice_machine_close(machine);
    if (status != SLUICE_OK)
        return bench_refuse(units, status, &why);
    say_out_of_core(l, best);
    return BENCH_DONE;
}

/* ---- all of it */

static bool open_arrays(bench_link *l)
{
    l->in = sluice_alloc(l->bytes);
    l->out = sluice_alloc(l->bytes);
    if (l->in && l->out) {
        memset(l->in, 0, l->bytes);
        memset(l->out, 0, l->bytes);
    }
    return l->in && l->out;
}

/* The largest power of two that the options allow. */
static size_t points_of(const bench_options *o)
{
    const size_t most = o->filter.largest ? o->filter.largest : usual_points;
    size_t points = (size_t)1 << 18;
    while (2 * points <= most)
        points *= 2;
    return points;
}

/* Measures the link, then streams and transforms. */
static bench_exit time_all(bench_link *l)
{
    static bench_exit (*const part[])(const bench_link *l) = {time_streams, time_batch,
                                                              time_out_of_core};
    bench_exit status = BENCH_IO;
    if (open_arrays(l))
        status = time_link(l);
    else
        bench_complain("there is no memory for two arrays of %zu bytes", l->bytes);
    bench_stop_watch();
    if (status == BENCH_DONE)
        time_host(l);
    for (size_t i = 0; i < sizeof part / sizeof *part && status == BENCH_DONE; i++)
        status = bench_stop_requested() ? BENCH_INTERRUPTED : part[i](l);
    sluice_free(l->in);
    sluice_free(l->out);
    return status;
}

bench_exit bench_link_run(const bench_options *o, sluice_machine *machine, FILE *json)
{
    bench_link l = {.options = o, .machine = machine, .json = json};
    if (!o->units || strncmp(o->units, "opencl", 6) != 0 || strchr(o->units, ',')) {
        bench_complain("--suite link needs --units with one OpenCL device, such as opencl:0");
        return BENCH_USAGE;
    }
    l.points = points_of(o);
    l.bytes = l.points * POINT;
    if (o->list) {
        printf("c2c:f32:%zu\n", l.points);
        return BENCH_DONE;
    }
    return time_all(&l);
}
