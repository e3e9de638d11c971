// SPDX-License-Identifier: BSD-3-Clause
/* CPU cores as worker units: one unit per core, with a local store in its cache. */
#include "backends/cpu/cpu_backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/cpu/cost/cpu_cost.h"
#include "backends/cpu/cpu_prepare.h"
#include "backends/cpu/cpu_target.h"
#include "backends/isa_target.h"
#include "core/mem.h"
#include "core/quote.h"
#include "core/status.h"
#include "spl/emit/tape_c.h"

enum { MAX_UNITS = 1024 };

/* Used if the caches are unknown. */
static const size_t default_local_store = 256 * 1024;

static cpu_state *state_of(const backend *b)
{
    return (cpu_state *)b;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* Reads the transfer mode, which follows "/". */
static sluice_status read_mode(backend_transfers *t, const char *text, sluice_diag *why)
{
    t->can[BACKEND_FUSED] = t->can[BACKEND_WORKER] = true;
    if (*text == '\0')
        return SLUICE_OK;
    text++;
    t->measure = strcmp(text, "measure") == 0;
    for (int mode = 0; mode < BACKEND_MODES && !t->measure; mode++)
        if (strcmp(text, backend_mode_name(mode)) == 0) {
            t->mode = (backend_transfer_mode)mode;
            return SLUICE_OK;
        }
    return t->measure ? SLUICE_OK
                      : core_fail(why, SLUICE_E_INVALID, 0,
                                  "cpu: transfers are /fused, /worker, /helper or /measure, "
                                  "found '/%s'",
                                  core_quote(text, SIZE_MAX).text);
}

/* Reads "4", "openmp" or "4+openmp", each with a transfer mode ("4/helper", "/worker") or without;
 * NULL: all defaults. */
static sluice_status read_config(cpu_state *b, const char *text, sluice_diag *why)
{
    char *end = NULL;
    long count = 0;

    b->units =
        core_topology_count(b->topology) < MAX_UNITS ? core_topology_count(b->topology) : MAX_UNITS;
    b->pool_table = &cpu_pool_pthread;
    if (!text)
        text = "";
    if (*text >= '0' && *text <= '9') {
        count = strtol(text, &end, 10);
        if (count < 1 || count > MAX_UNITS)
            return core_fail(why, SLUICE_E_INVALID, 0, "cpu:%s: 1 to %d units",
                             core_quote(text, SIZE_MAX).text, MAX_UNITS);
        b->units = (int)count;
        text = *end == '+' ? end + 1 : end;
    }
    const size_t length = strcspn(text, "/");
    const bool unnamed = length == 0 && (!end || *end != '+');
    if (unnamed || is_word(text, length, "pthread"))
        return read_mode(&b->transfers, text + length, why);
#ifdef SLUICE_HAVE_OPENMP
    if (is_word(text, length, "openmp")) {
        b->pool_table = &cpu_pool_openmp;
        return read_mode(&b->transfers, text + length, why);
    }
#endif
    return core_fail(why, SLUICE_E_INVALID, 0,
                     "cpu: expected a number of units or a pool, found '%s'",
                     core_quote(text, SIZE_MAX).text);
}

/* Half of L2: the other half is for tables and the caller's data. */
static size_t local_store(const cpu_state *b)
{
    const core_core *core = core_topology_core(b->topology, 0);

    if (core->l2)
        return core->l2 / (size_t)core->l2_sharers / 2;
    return core->l1 ? core->l1 : default_local_store;
}

static void cpu_close(backend *handle)
{
    cpu_state *b = state_of(handle);

    if (!b)
        return;
    if (b->pool)
        b->pool_table->close(b->pool);
    cpu_helpers_close(b->helpers);
    cpu_scratch_close(b->small);
    cpu_scratch_close(b->large);
    bind_tables_close(b->target.tables);
    cpu_kernels_close(b);
    core_topology_close(b->topology);
    core_free(b);
}

/* Opens the helper threads, which execute transfers while workers compute, if the unit string may
 * need them. */
static sluice_status open_helpers(cpu_state *b, sluice_diag *why)
{
    backend_transfers *t = &b->transfers;
    char where[16];

    if (t->mode != BACKEND_HELPER && !t->measure)
        return SLUICE_OK;
    b->helpers = cpu_helpers_open(b->units, b->topology, b->log);
    if (!b->helpers)
        return core_fail_memory(why);
    core_topology_place_helper(b->topology, 0, b->units, false, where, sizeof where);
    b->target.helpers = cpu_helpers_count(b->helpers);
    t->can[BACKEND_HELPER] = t->mode == BACKEND_HELPER || cpu_helpers_count(b->helpers) > 0;
    if (cpu_helpers_count(b->helpers) == 0)
        snprintf(t->helpers, sizeof t->helpers, "there are no more threads to be had");
    else if (where[0])
        snprintf(t->helpers, sizeof t->helpers, "on hardware threads to spare in the same %s",
                 where);
    else
        snprintf(t->helpers, sizeof t->helpers,
                 "on the workers' own cores: no hardware thread is to spare");
    core_log_line(b->log, CORE_LOG_DISPATCH, "cpu,helpers=%d,%s", cpu_helpers_count(b->helpers),
                  t->helpers);
    return SLUICE_OK;
}

/* The requested number of areas; else `usual`, and more for concurrent callers up to an eighth of
 * the memory. */
static cpu_scratch *open_scratch(int requested, int usual)
{
    return requested > 0 ? cpu_scratch_open(requested, 0)
                         : cpu_scratch_open(usual, core_mem_limit() / 8);
}

/* Fills tables of plans on workers that are idle. */
static void fill_together(void *owner, int want, bind_work *work, void *arg)
{
    const cpu_state *b = (const cpu_state *)owner;

    b->pool_table->run(b->pool, want, true, work, arg);
}

/* SLUICE_TEAMS: "always", or not set. */
static sluice_status read_teams(bool *always, sluice_diag *why)
{
    const char *text = getenv("SLUICE_TEAMS");

    *always = text && strcmp(text, "always") == 0;
    if (text && *text && !*always)
        return core_fail(why, SLUICE_E_INVALID, 0, "SLUICE_TEAMS '%s': expected always",
                         core_quote(text, SIZE_MAX).text);
    return SLUICE_OK;
}

static sluice_status open_parts(cpu_state *b, const backend_config *config, sluice_diag *why)
{
    sluice_status status = core_topology_open(&b->topology, why);

    if (status == SLUICE_OK)
        status = core_cpu_isa(&b->isa, why);
    if (status == SLUICE_OK)
        status = read_config(b, config->text, why);
    if (status == SLUICE_OK)
        status = read_teams(&b->always_teams, why);
    if (status != SLUICE_OK)
        return status;
    b->local_store = config->local_store ? config->local_store : local_store(b);
    cpu_describe_target(b);
    b->target.tables = bind_tables_open();
    isa_target_describe_alike(&b->alike, &b->target);
    b->small = open_scratch(config->callers, b->units);
    b->large = open_scratch(config->large_callers, 1);
    if (!b->target.tables || !b->small || !b->large)
        return core_fail_memory(why);
    status = cpu_kernels_open(b, why);
    if (status != SLUICE_OK)
        return status;
    status = b->pool_table->open(&b->pool, b->units, b->topology, why);
    if (status == SLUICE_OK)
        bind_tables_use(b->target.tables, &(bind_helpers){b->units, fill_together, b});
    if (status == SLUICE_OK)
        status = open_helpers(b, why);
    if (status == SLUICE_OK && core_topology_count(b->topology) > b->units && b->units == MAX_UNITS)
        core_log_line(b->log, CORE_LOG_DISPATCH, "cpu,%d of %d cores are used", MAX_UNITS,
                      core_topology_count(b->topology));
    if (status == SLUICE_OK)
        core_log_line(b->log, CORE_LOG_DISPATCH, "cpu,units=%d,isa=%s,pool=%s,local_store=%zu",
                      b->units, core_isa_name(b->isa), b->pool_table->name, b->local_store);
    return status;
}

static sluice_status cpu_open(backend **out, const backend_config *config, sluice_diag *why)
{
    cpu_state *b = core_calloc(1, sizeof *b);

    if (!b)
        return core_fail_memory(why);
    b->table = &cpu_backend;
    b->log = config->log;
    const sluice_status status = open_parts(b, config, why);
    if (status == SLUICE_OK)
        *out = (backend *)b;
    else
        cpu_close((backend *)b);
    return status;
}

static int cpu_unit_count(const backend *b)
{
    return state_of(b)->units;
}

static void cpu_unit_info(const backend *handle, int unit, sluice_unit_info *out)
{
    const cpu_state *b = state_of(handle);
    const core_core *core =
        core_topology_core(b->topology, unit % core_topology_count(b->topology));

    memset(out, 0, sizeof *out);
    out->kind = SLUICE_UNIT_CPU;
    strncpy(out->isa, core_isa_name(b->isa), sizeof out->isa - 1);
    out->os_index = core->os_index;
    out->numa_node = core->numa_node;
    out->l1 = core->l1;
    out->l2 = core->l2;
    out->l3 = core->l3;
    out->line = core->line;
    out->local_store = b->local_store;
    out->lanes_f32 = bind_lanes(&b->target, b->isa, SLUICE_F32, SPL_INTER);
    out->lanes_f64 = bind_lanes(&b->target, b->isa, SLUICE_F64, SPL_INTER);
}

static void cpu_signature(const backend *handle, core_text *kind, core_text *make)
{
    const cpu_state *b = state_of(handle);
    const core_core *core = core_topology_core(b->topology, 0);

    core_text_printf(kind, "cpu:%s:%08x", core_isa_name(b->isa), cpu_kernels_hash(b));
    if (b->transfers.measure)
        core_text_printf(kind, "/measure");
    else if (b->transfers.mode != BACKEND_FUSED)
        core_text_printf(kind, "/%s", backend_mode_name(b->transfers.mode));
    core_text_printf(make, "%zu:%zu:%zu:%x", core->l1, core->l2, b->local_store, core_cpu_model());
}

static void cpu_transfers(const backend *b, backend_transfers *out)
{
    *out = state_of(b)->transfers;
}

static void cpu_list(core_text *units)
{
    core_text_printf(units, "cpu,");
}

static int cpu_host_cores(const backend *b)
{
    return state_of(b)->units;
}

static sluice_status cpu_fault(const backend *b, int unit, sluice_diag *out)
{
    (void)b;
    (void)unit;
    (void)out;
    return SLUICE_OK; /* a core has no faults to report */
}

static size_t cpu_work_bytes(const backend_program *program)
{
    return ((const cpu_program *)program)->tape.work_bytes;
}

static void print_placement(const backend_program *program, core_text *out)
{
    bind_print(&((const cpu_program *)program)->tape, out);
}

static void name_stage(const backend_program *program, size_t stmt, core_text *out)
{
    bind_name_stage(&((const cpu_program *)program)->tape, stmt, out);
}

static sluice_status print_source(const backend_program *program, spl_c_source *out,
                                  sluice_diag *why)
{
    return tape_c_print(&((const cpu_program *)program)->tape, out, why);
}

static double cpu_kernel_cycles(const backend *handle, const double *costs, int kind, int64_t n,
                                sluice_precision precision, backend_use use)
{
    const cpu_state *b = state_of(handle);
    const spl_codelet *c = isa_target_codelet(&b->target, kind, n, precision, use);

    return c ? cpu_table_cycles(b, costs, c) / c->key.lanes : 0;
}

static int cpu_shorter(const backend *handle, spl_format format)
{
    return isa_target_shorter(&state_of(handle)->target, format);
}

static int cpu_row_lanes(const backend *handle, int kind, int64_t n, sluice_precision precision,
                         spl_format format)
{
    return isa_target_row_lanes(&state_of(handle)->target, kind, n, precision, format);
}

static int cpu_alike_lanes(const backend *handle, sluice_precision precision)
{
    const bind_target *alike = &state_of(handle)->alike;

    return bind_lanes(alike, alike->isa, precision, SPL_INTER);
}

struct backend_thread {
    const cpu_pool_table *table;
    cpu_thread *thread;
};

static backend_thread *cpu_start(backend *handle, void (*fn)(void *), void *arg)
{
    const cpu_state *b = state_of(handle);
    backend_thread *t = core_malloc(sizeof *t);

    if (!t)
        return NULL;
    t->table = b->pool_table;
    t->thread = b->pool_table->start(b->pool, fn, arg);
    if (t->thread)
        return t;
    core_free(t);
    return NULL;
}

static void cpu_join(backend_thread *t)
{
    if (!t)
        return;
    t->table->join(t->thread);
    core_free(t);
}

static const backend_discover discover = {.open = cpu_open,
                                          .close = cpu_close,
                                          .unit_count = cpu_unit_count,
                                          .unit_info = cpu_unit_info,
                                          .signature = cpu_signature,
                                          .fault = cpu_fault,
                                          .transfers = cpu_transfers,
                                          .host_cores = cpu_host_cores,
                                          .list = cpu_list};
static const backend_team team = {.prepare = cpu_prepare,
                                  .sketch = cpu_sketch,
                                  .release = cpu_release,
                                  .work_bytes = cpu_work_bytes,
                                  .estimate = cpu_estimate,
                                  .stages = cpu_stages,
                                  .name_stage = name_stage,
                                  .time = cpu_run_timed,
                                  .kernel_cycles = cpu_kernel_cycles,
                                  .shorter = cpu_shorter,
                                  .row_lanes = cpu_row_lanes,
                                  .alike_lanes = cpu_alike_lanes,
                                  .print = print_placement,
                                  .emit = print_source,
                                  .start = cpu_start,
                                  .join = cpu_join};

const backend_table cpu_backend = {.name = "cpu",
                                   .kind = SLUICE_UNIT_CPU,
                                   .discover = &discover,
                                   .team = &team,
                                   .tuning = &cpu_tuning};
