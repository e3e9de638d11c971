// SPDX-License-Identifier: BSD-3-Clause
#include "backends/fake/fake_backend.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backends/fake/fake_exchange.h"
#include "backends/fake/fake_state.h"
#include "backends/plain_thread.h"
#include "core/mem.h"
#include "core/quote.h"
#include "core/status.h"

static const size_t default_local_store = (size_t)256 << 10;

static const char *const setting_names[FAKE_SETTINGS] = {
    [FAKE_UNITS] = "",      [FAKE_DELAY] = "delay",     [FAKE_SEED] = "seed",
    [FAKE_FAIL] = "fail",   [FAKE_THREADS] = "threads", [FAKE_EXCHANGE] = "exchange",
    [FAKE_DEPTH] = "depth", [FAKE_GET] = "get",         [FAKE_COMPUTE] = "compute",
    [FAKE_PUT] = "put",     [FAKE_LATE] = "late",       [FAKE_SLOW] = "slow",
    [FAKE_BEGIN] = "begin", [FAKE_FINISH] = "finish",   [FAKE_DIE] = "die",
    [FAKE_DYING] = "dying", [FAKE_LAUNCH] = "launch",   [FAKE_CORES] = "cores",
};
enum { MOST_UNITS = 4096, MOST = 1000000000 };

/* ---------------------------------------------------------------- discover -------------- */

/* Reads "3,delay=200,fail=5". */
static sluice_status fake_settings(const char *text, long *setting, sluice_diag *why)
{
    const char *at = text;
    while (at != NULL && *at != '\0') {
        const size_t name = strcspn(at, "=,");
        char *end;
        int i = FAKE_UNITS;
        if (at[name] == '=') {
            for (i = FAKE_UNITS + 1; i < FAKE_SETTINGS; i++)
                if (strlen(setting_names[i]) == name && memcmp(at, setting_names[i], name) == 0)
                    break;
            at += name + 1;
        }
        if (i == FAKE_SETTINGS)
            return core_fail(why, SLUICE_E_INVALID, (size_t)(at - text), "fake:%s: unknown setting",
                             core_quote(text, SIZE_MAX).text);
        const long value = strtol(at, &end, 10);
        const long least = i == FAKE_UNITS ? 1 : 0;
        const long most = i == FAKE_UNITS || i == FAKE_DEPTH ? MOST_UNITS : MOST;
        if (end == at || (*end != ',' && *end != '\0') || value < least || value > most)
            return core_fail(why, SLUICE_E_INVALID, (size_t)(at - text), "fake:%s: a bad number",
                             core_quote(text, SIZE_MAX).text);
        setting[i] = value;
        at = *end == ',' ? end + 1 : end;
    }
    return SLUICE_OK;
}

static sluice_status fake_open(backend **out, const backend_config *config, sluice_diag *why)
{
    *out = NULL;
    backend *b = core_calloc(1, sizeof *b);
    if (b == NULL)
        return core_fail_memory(why);
    b->setting[FAKE_UNITS] = b->setting[FAKE_DYING] = 1;
    const sluice_status status = fake_settings(config->text, b->setting, why);
    if (status == SLUICE_OK)
        b->unit = core_calloc((size_t)b->setting[FAKE_UNITS], sizeof *b->unit);
    if (b->unit == NULL || pthread_mutex_init(&b->lock, NULL) != 0) {
        core_free(b->unit);
        core_free(b);
        return status != SLUICE_OK ? status : core_fail_memory(why);
    }
    b->local_store = config->local_store == 0 ? default_local_store : config->local_store;
    *out = b;
    return SLUICE_OK;
}

static void fake_close(backend *b)
{
    if (b == NULL)
        return;
    pthread_mutex_destroy(&b->lock);
    core_free(b->unit);
    core_free(b);
}

static int fake_unit_count(const backend *b)
{
    return (int)b->setting[FAKE_UNITS];
}

static void fake_unit_info(const backend *b, int unit, sluice_unit_info *out)
{
    (void)unit;
    *out = (sluice_unit_info){.kind = SLUICE_UNIT_FAKE,
                              .isa = "scalar",
                              .os_index = -1,
                              .numa_node = -1,
                              .l1 = (size_t)32 << 10,
                              .l2 = b->local_store,
                              .line = 64,
                              .local_store = b->local_store,
                              .lanes_f32 = 1,
                              .lanes_f64 = 1};
}

static void fake_signature(const backend *b, core_text *kind, core_text *make)
{
    core_text_printf(kind, "fake:");
    for (int i = FAKE_DEPTH; i < FAKE_SETTINGS; i++)
        if (b->setting[i] != 0)
            core_text_printf(kind, "%s%ld,", setting_names[i], b->setting[i]);
    core_text_printf(make, "store%zu", b->local_store);
}

void fake_set_fault(backend *b, const char *name, long number)
{
    (void)core_fail(&b->fault, SLUICE_E_DEVICE, 0, "%s: number %ld was told to fail", name, number);
}

static void set_fault(backend *b, const char *name, long number)
{
    pthread_mutex_lock(&b->lock);
    fake_set_fault(b, name, number);
    pthread_mutex_unlock(&b->lock);
}

/* A run is not tied to a unit, so all units show the same fault. */
static sluice_status fake_fault(const backend *b, int unit, sluice_diag *out)
{
    backend *self = (backend *)(uintptr_t)b; /* the lock changes, nothing that is observable does */
    (void)unit;
    pthread_mutex_lock(&self->lock);
    const bool faulty = b->fault.message[0] != '\0';
    if (faulty && out != NULL)
        *out = b->fault;
    pthread_mutex_unlock(&self->lock);
    return faulty ? SLUICE_E_DEVICE : SLUICE_OK;
}

/* ---------------------------------------------------------------- team ------------------ */

/* splitmix64: a well-mixed function of its argument, so that the sleep of a run depends on its
 * number alone. */
static uint64_t mix_bits(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t fake_random(const backend *b, long number, uint64_t most)
{
    return mix_bits((uint64_t)b->setting[FAKE_SEED] << 32 ^ (uint64_t)number) % (most + 1);
}

void fake_dawdle(const backend *b, long number)
{
    const uint64_t most = (uint64_t)b->setting[FAKE_DELAY];
    if (most == 0)
        return;
    const uint64_t us = fake_random(b, number, most);
    const struct timespec nap = {(time_t)(us / 1000000), (long)(us % 1000000) * 1000};
    nanosleep(&nap, NULL); /* all signals are blocked in workers; elsewhere a short nap will do */
}

/* Part 0 (re) or 1 (im) of point i of a side. */
static char *scalar_at(const fake_program *p, const void *side, const void *im, bool split,
                       size_t i, size_t part)
{
    const char *base = split && part == 1 ? im : side;
    const size_t index = split ? i : 2 * i + part;
    return (char *)(uintptr_t)(base + index * p->scalar);
}

void fake_copy(const fake_program *p, const sluice_arrays *a, size_t points)
{
    for (size_t i = 0; i < points && a->in != a->out; i++)
        for (size_t part = 0; part < 2; part++)
            memcpy(scalar_at(p, a->out, a->out_im, p->split_out, i, part),
                   scalar_at(p, a->in, a->in_im, p->split_in, i, part), p->scalar);
}

/* A worker comes to an exchange, late; false: it fails there. */
static bool arrive_late(void *user)
{
    backend *b = user;
    const long number = atomic_fetch_add_explicit(&b->arrivals, 1, memory_order_relaxed) + 1;
    fake_dawdle(b, number);
    if (number != b->setting[FAKE_EXCHANGE])
        return true;
    set_fault(b, "FAKE_EXCHANGE_FAILED", number);
    return false;
}

/* The program's exchanges, between as many threads as would run it. */
static sluice_status run_exchanges(const fake_program *p, int workers)
{
    backend *b = p->base.owner;
    int64_t members = b->setting[FAKE_UNITS];
    if (b->setting[FAKE_EXCHANGE] == 0)
        return SLUICE_OK;
    members = workers > 0 && workers < members ? workers : members;
    members = p->body->parts < members ? p->body->parts : members;
    return fake_exchange(p->body, (int)members, arrive_late, b);
}

static sluice_status fake_run(const backend_program *program, const sluice_arrays *a, void *work,
                              int workers)
{
    const fake_program *p = (const fake_program *)program;
    backend *b = program->owner;
    const long number = atomic_fetch_add_explicit(&b->runs, 1, memory_order_relaxed) + 1;
    (void)work;
    if (a->in == NULL || a->out == NULL || (p->split_in && a->in_im == NULL)
        || (p->split_out && a->out_im == NULL))
        return SLUICE_E_INVALID;
    fake_dawdle(b, number);
    if (number == b->setting[FAKE_FAIL]) {
        set_fault(b, "FAKE_RUN_FAILED", number);
        return SLUICE_E_DEVICE;
    }
    const sluice_status status = run_exchanges(p, workers);
    if (status != SLUICE_OK)
        return status;
    fake_pass_time(b);
    fake_copy(p, a, p->points);
    return SLUICE_OK;
}

static sluice_status fake_prepare(backend *b, const double *costs, const prog *body,
                                  backend_transfer_mode mode, sluice_precision precision,
                                  backend_program **out, sluice_diag *why)
{
    const prog_sides *sides = &body->sides;
    (void)costs, (void)mode;
    *out = NULL;
    if (sides->in != NULL || sides->out != NULL)
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "fake copies packed arrays only");
    bool reals = body->rows != body->cols;
    for (int side = 0; side < 2 && side < body->nbufs; side++)
        reals |= prog_scalars(&body->buf[side]) == 1;
    if (reals || sides->in_layout > SLUICE_SPLIT || sides->out_layout > SLUICE_SPLIT)
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "fake copies complex numbers only");
    fake_program *p = core_malloc(sizeof *p);
    if (p == NULL)
        return core_fail_memory(why);
    *p = (fake_program){.base = {.run = fake_run, .table = &fake_backend, .owner = b},
                        .body = body,
                        .points = (size_t)body->rows,
                        .scalar = precision == SLUICE_F32 ? sizeof(float) : sizeof(double),
                        .split_in = sides->in_layout == SLUICE_SPLIT,
                        .split_out = sides->out_layout == SLUICE_SPLIT};
    *out = &p->base;
    return SLUICE_OK;
}

/* It runs no loops at all. */
static void fake_transfers(const backend *b, backend_transfers *out)
{
    (void)b;
    *out = (backend_transfers){.can = {[BACKEND_FUSED] = true}};
}

static void fake_release(backend_program *program)
{
    core_free(program);
}

static size_t fake_work_bytes(const backend_program *program)
{
    (void)program;
    return 0;
}

/* What `delay` does is no part of the price. */
static sluice_status fake_estimate(const backend_program *program, backend_cost *out)
{
    const fake_program *p = (const fake_program *)program;
    const long *set = program->owner->setting;
    const long compute = set[FAKE_LAUNCH] + set[FAKE_COMPUTE];
    const long longer = set[FAKE_GET] > set[FAKE_PUT] ? set[FAKE_GET] : set[FAKE_PUT];
    const double us = (double)(set[FAKE_GET] + compute + set[FAKE_PUT]);
    const double copy = 1e-9 * (double)p->points;
    *out = (backend_cost){.seconds = 1e-6 * us + copy,
                          .latency = 1e-6 * (double)set[FAKE_LAUNCH],
                          .pace = 1e-6 * (double)(compute > longer ? compute : longer) + copy,
                          .bound = "memory"};
    return SLUICE_OK;
}

static void fake_print(const backend_program *program, core_text *out)
{
    const fake_program *p = (const fake_program *)program;
    core_text_printf(out, "backend fake: copies %zu points\n", p->points);
}

static backend_thread *fake_start(backend *b, void (*fn)(void *arg), void *arg)
{
    const long number = atomic_fetch_add_explicit(&b->starts, 1, memory_order_relaxed) + 1;
    if (b->setting[FAKE_THREADS] != 0 && number > b->setting[FAKE_THREADS])
        return NULL;
    return plain_thread_start(b, fn, arg);
}

static int fake_host_cores(const backend *b)
{
    return (int)b->setting[FAKE_CORES];
}

static void *fake_alloc(backend *b, size_t bytes)
{
    void *block = core_aligned_alloc(bytes);
    if (block != NULL)
        atomic_fetch_add_explicit(&b->pinned, 1, memory_order_relaxed);
    return block;
}

static void fake_free(backend *b, void *block)
{
    if (block != NULL)
        atomic_fetch_sub_explicit(&b->pinned, 1, memory_order_relaxed);
    core_aligned_free(block);
}

long fake_pinned(const backend *b)
{
    return atomic_load_explicit(&b->pinned, memory_order_relaxed);
}

static const backend_discover fake_discover = {
    .open = fake_open,
    .close = fake_close,
    .unit_count = fake_unit_count,
    .unit_info = fake_unit_info,
    .signature = fake_signature,
    .fault = fake_fault,
    .transfers = fake_transfers,
    .host_cores = fake_host_cores,
};

static const backend_memory fake_memory = {.alloc = fake_alloc, .free = fake_free};

static const backend_team fake_team = {
    .prepare = fake_prepare,
    .release = fake_release,
    .work_bytes = fake_work_bytes,
    .estimate = fake_estimate,
    .print = fake_print,
    .start = fake_start,
    .join = plain_thread_join,
    .depth = fake_depth,
    .begin = fake_begin,
    .is_done = fake_is_done,
    .finish = fake_finish,
    .is_alive = fake_is_alive,
};

const backend_table fake_backend = {
    .name = "fake",
    .kind = SLUICE_UNIT_FAKE,
    .discover = &fake_discover,
    .team = &fake_team,
    .memory = &fake_memory,
};
