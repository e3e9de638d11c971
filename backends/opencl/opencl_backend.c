// SPDX-License-Identifier: BSD-3-Clause
#include "backends/opencl/opencl_backend.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "backends/group_unit.h"
#include "backends/opencl/opencl_state.h"
#include "backends/plain_thread.h"
#include "core/mem.h"
#include "core/status.h"

/* ---- discover ---- */

/* In a child after fork the driver's threads are gone; its objects are left as they are. */
static void opencl_close(backend *b)
{
    if (!b)
        return;
    if (b->mark)
        opencl_ports_close(b);
    if (b->mark && !core_forked(b->mark))
        opencl_units_close(b);
    pthread_mutex_destroy(&b->lock);
    opencl_form_close(b);
    core_topology_close(b->topology);
    core_fork_close(b->mark);
    core_free(b->unit);
    core_free(b);
}

/* The store that work on one block has for itself: half of a CPU core's L2, or the local memory of
 * another device's compute unit. */
static size_t local_store(const backend *b)
{
    const core_core *core = core_topology_core(b->topology, 0);
    const size_t local = (size_t)b->about.local_memory;

    if (!b->about.is_cpu || !core->l2)
        return local > 0 ? local : (size_t)32 << 10;
    return core->l2 / (size_t)core->l2_sharers / 2;
}

static sluice_status open_parts(backend *b, const backend_config *config, sluice_diag *why)
{
    sluice_status status = opencl_config_read(&b->config, config->text, config->native, why);

    if (status == SLUICE_OK)
        status = core_topology_open(&b->topology, why);
    if (status == SLUICE_OK)
        status =
            config->native ? opencl_place_open(b, config->native, why) : opencl_units_open(b, why);
    if (status != SLUICE_OK)
        return status;
    if (b->config.local && b->config.local < (size_t)b->about.local_memory)
        b->about.local_memory = b->config.local;
    b->local_store = config->local_store ? config->local_store : local_store(b);
    status = opencl_form_open(b, why);
    if (status != SLUICE_OK)
        return status;
    b->budget = b->config.memory ? b->config.memory : (size_t)b->about.memory;
    core_log_line(b->log, CORE_LOG_DISPATCH,
                  "opencl,device=%s,driver=%s,units=%d,compute_units=%u,memory=%zu", b->about.name,
                  b->about.driver, b->units, (unsigned)b->about.compute_units, b->budget);
    return SLUICE_OK;
}

static sluice_status opencl_open(backend **out, const backend_config *config, sluice_diag *why)
{
    backend *b = core_calloc(1, sizeof *b);

    *out = NULL;
    if (!b)
        return core_fail_memory(why);
    b->log = config->log;
    pthread_mutex_init(&b->lock, NULL);
    b->mark = core_fork_open();
    const sluice_status status = b->mark ? open_parts(b, config, why) : core_fail_memory(why);
    if (status == SLUICE_OK)
        *out = b;
    else
        opencl_close(b);
    return status;
}

static int opencl_unit_count(const backend *b)
{
    return b->units;
}

static void opencl_unit_info(const backend *b, int unit, sluice_unit_info *out)
{
    const opencl_about *a = &b->about;
    const core_core *core = core_topology_core(b->topology, 0);

    (void)unit;
    *out = (sluice_unit_info){.kind = SLUICE_UNIT_OPENCL,
                              .os_index = -1,
                              .numa_node = -1,
                              .l1 = a->is_cpu ? core->l1 : (size_t)a->local_memory,
                              .l2 = a->is_cpu ? core->l2 : (size_t)a->cache,
                              .l3 = a->is_cpu ? core->l3 : 0,
                              .line = a->is_cpu && !b->has_groups ? core->line : GROUP_UNIT_LINE,
                              .local_store = b->local_store,
                              .lanes_f32 = opencl_lanes(b, SLUICE_F32),
                              .lanes_f64 = opencl_lanes(b, SLUICE_F64),
                              .compute_units = (int)a->compute_units,
                              .groups = opencl_groups(b),
                              .largest_group = a->largest_group,
                              .local_memory = (size_t)a->local_memory,
                              .memory = b->budget,
                              .shares_memory = opencl_shares(b),
                              .has_f64 = a->has_f64,
                              .has_f16 = a->has_f16,
                              .registers = b->has_groups ? GROUP_UNIT_REGISTERS : 0,
                              .twiddles = b->config.twiddles};
    snprintf(out->isa, sizeof out->isa, "%s", opencl_isa(b));
}

/* Adds at most `most` characters of a text as one word. */
static void add_word(core_text *out, const char *text, size_t most)
{
    for (size_t i = 0; text[i] && i < most; i++) {
        const char c = isgraph((unsigned char)text[i]) && text[i] != '#' ? text[i] : '_';
        core_text_add(out, &c, 1);
    }
}

static void opencl_groups_price(const backend *b, backend_groups *out)
{
    *out = b->about.is_cpu ? group_core_price : group_unit_price;
    out->unit_local = (int64_t)b->about.unit_local.bytes;
    out->group_local = (int64_t)b->about.unit_local.own;
    out->unit_cache = (int64_t)b->about.unit_local.cache;
}

static void opencl_signature(const backend *b, core_text *kind, core_text *make)
{
    core_text_printf(kind, "opencl:");
    add_word(kind, b->about.name, 50);
    core_text_printf(kind, ":");
    add_word(kind, b->about.driver, 30);
    core_text_printf(kind, ":%s", b->has_codelets ? opencl_isa(b) : b->has_groups ? "gpu" : "item");
    if (b->has_groups && b->config.local)
        core_text_printf(kind, ":local%llu", (unsigned long long)b->about.local_memory);
    if (!b->has_codelets && b->config.twiddles != SLUICE_TWIDDLES_TABLE)
        core_text_printf(kind, ":%s", group_unit_twiddles[b->config.twiddles]);
    core_text_printf(make, "store%zu:%u", b->local_store, (unsigned)b->about.compute_units);
}

static void opencl_transfers(const backend *b, backend_transfers *out)
{
    (void)b;
    *out = (backend_transfers){.can = {[BACKEND_FUSED] = true}, .compute_blocks = true};
}

static int opencl_host_cores(const backend *b)
{
    return b->about.is_cpu ? b->units * (int)b->about.compute_units : 0;
}

/* ---- team ---- */

static void opencl_release(backend_program *program)
{
    opencl_program *p = (opencl_program *)program;

    if (!p)
        return;
    if (!p->is_sketch && !core_forked(program->owner->mark))
        opencl_built_release(p);
    device_program_free(&p->made);
    core_free(p);
}

/* What a program needs on a device: buffers of a block, or, of a program that consists of blocks,
 * of all blocks in flight; its tables; the largest piece. */
typedef struct needs {
    double buffers, tables, piece;
} needs;

static needs needs_of(const opencl_program *p)
{
    const bool shares = opencl_shares(p->base.owner), in_blocks = p->body->blocks > 0;
    const double scratch = (double)p->made.scratch_bytes + (double)p->made.spill_bytes;
    needs n = {.buffers = scratch, .piece = scratch};

    for (int side = 0; side < 2; side++) {
        const double packed = (double)p->made.packed_bytes[side];
        n.piece = packed > n.piece ? packed : n.piece;
        n.buffers += packed;
    }
    for (int side = p->made.in_place; side < 2; side++) {
        const device_side *s = &p->made.side[side];
        const double bytes = (double)device_side_bytes(s);
        n.piece = bytes > n.piece ? bytes : n.piece;
        n.buffers += shares && !in_blocks ? 0 : bytes * (s->split ? 2 : 1);
    }
    for (int i = 0; i < p->made.ntables && !shares; i++)
        *(p->made.table[i].slices > 1 ? &n.buffers : &n.tables) +=
            (double)opencl_slice_bytes(&p->made.table[i]);
    n.buffers *= in_blocks ? OPENCL_DEPTH : 1;
    return n;
}

/* The passes of a plan are parts of one program and run one after another: each keeps its tables
 * while another one has its buffers. */
static needs add_other_passes(const opencl_program *p, needs n)
{
    backend *b = p->base.owner;

    pthread_mutex_lock(&b->lock);
    for (const opencl_program *q = b->programs; q; q = q->next) {
        if (q->body->ctx != p->body->ctx)
            continue;
        const needs other = needs_of(q);
        n.buffers = other.buffers > n.buffers ? other.buffers : n.buffers;
        n.tables += other.tables;
    }
    pthread_mutex_unlock(&b->lock);
    return n;
}

static sluice_status check_memory(const opencl_program *p, sluice_diag *why)
{
    const backend *b = p->base.owner;
    const needs n = add_other_passes(p, needs_of(p));
    const double all = n.buffers + n.tables;

    if (all > (double)b->budget || n.piece > (double)b->about.largest_buffer)
        return core_fail(why, SLUICE_E_MEMORY, 0,
                         "%s has %s of memory, %s in a piece: the plan needs %s, %s in a piece",
                         b->about.name, core_bytes((double)b->budget).text,
                         core_bytes((double)b->about.largest_buffer).text, core_bytes(all).text,
                         core_bytes(n.piece).text);
    return SLUICE_OK;
}

static sluice_status opencl_prepare(backend *b, const double *costs, const prog *body,
                                    backend_transfer_mode mode, sluice_precision precision,
                                    backend_program **out, sluice_diag *why)
{
    (void)costs, (void)mode;
    *out = NULL;
    if (precision == SLUICE_F64 && !b->about.has_f64)
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0, "%s does not compute in double precision",
                         b->about.name);
    if (core_forked(b->mark))
        return core_fail(why, SLUICE_E_DEVICE, 0,
                         "a device does not follow its process into a fork");
    opencl_program *p = core_calloc(1, sizeof *p);
    if (!p)
        return core_fail_memory(why);
    p->base = (backend_program){.run = opencl_run, .table = &opencl_backend, .owner = b};
    p->body = body;
    sluice_status status = opencl_print_kernels(b, p, precision, why);
    if (status == SLUICE_OK)
        opencl_order_groups(p);
    if (status == SLUICE_OK)
        status = opencl_take_hooks(p, why);
    if (status == SLUICE_OK)
        status = check_memory(p, why);
    if (status == SLUICE_OK)
        status = opencl_build(p, why);
    if (status == SLUICE_OK)
        *out = &p->base;
    else
        opencl_release(&p->base);
    return status;
}

/* The caller's scratch is in the host's memory; devices have scratch of their own. */
static size_t opencl_work_bytes(const backend_program *program)
{
    (void)program;
    return 0;
}

static void opencl_print(const backend_program *program, core_text *out)
{
    const opencl_program *p = (const opencl_program *)program;
    const device_program *made = &p->made;

    core_text_printf(out,
                     "backend opencl: %s, form %s, %d kernels, %" PRId64 " launches, %s of text\n",
                     program->owner->about.name, p->form, made->nkernels, device_launches(made),
                     core_bytes((double)made->source.length).text);
    for (int k = 0; k < made->nkernels; k++)
        core_text_printf(out, "  %s: groups %" PRId64 ", items %" PRId64 ", local %s\n",
                         core_text_string(&made->kernel[k].name), made->kernel[k].groups,
                         made->kernel[k].items,
                         core_bytes((double)made->kernel[k].local_bytes).text);
}

static const backend_discover discover = {.open = opencl_open,
                                          .close = opencl_close,
                                          .unit_count = opencl_unit_count,
                                          .unit_info = opencl_unit_info,
                                          .signature = opencl_signature,
                                          .fault = opencl_fault,
                                          .transfers = opencl_transfers,
                                          .host_cores = opencl_host_cores,
                                          .groups = opencl_groups_price,
                                          .parts = opencl_parts,
                                          .list = opencl_list_devices};
static const backend_team team = {.prepare = opencl_prepare,
                                  .sketch = opencl_sketch,
                                  .release = opencl_release,
                                  .work_bytes = opencl_work_bytes,
                                  .estimate = opencl_estimate,
                                  .kernel_cycles = opencl_kernel_cycles,
                                  .shorter = opencl_shorter,
                                  .row_lanes = opencl_row_lanes,
                                  .alike_lanes = opencl_alike_lanes,
                                  .print = opencl_print,
                                  .start = plain_thread_start,
                                  .join = plain_thread_join,
                                  .depth = opencl_depth,
                                  .begin = opencl_begin,
                                  .is_done = opencl_is_done,
                                  .finish = opencl_finish,
                                  .is_alive = opencl_is_alive,
                                  .time_there = opencl_time_there,
                                  .run_native = opencl_run_native,
                                  .native_work_bytes = opencl_native_work_bytes};

static const backend_memory memory = {.alloc = opencl_alloc, .free = opencl_free};

const backend_table opencl_backend = {.name = "opencl",
                                      .kind = SLUICE_UNIT_OPENCL,
                                      .discover = &discover,
                                      .team = &team,
                                      .memory = &memory};
