// SPDX-License-Identifier: BSD-3-Clause
#include "sched/plan/plan_passes.h"

#include <string.h>

#include "core/mem.h"
#include "core/status.h"
#include "sched/problem/problem.h"
#include "streaming/feed.h"

enum { MAX_UNITS = 64, ALIGN = 64 };

typedef struct pass {
    prog_pass cut;
    sched_pass_move get, put;
    backend_program *program;
    size_t bytes[2]; /* of a block, as it is got and as it is put */
} pass;

typedef struct passes {
    backend_program base; /* first */
    const sluice_plan *plan;
    int count;
    pass pass[];
} passes;

/* A pass on its way. */
typedef struct run {
    const passes *all;
    const pass *pass;
    sched_host_array in, out; /* of the caller */
    char *scratch;
    int64_t got; /* blocks */
} run;

/* ---- the host's side ---- */

static sched_host_array host_array(const run *r, int buf)
{
    const prog *p = r->all->plan->body;
    const size_t scalar = r->pass->get.move.scalar;

    if (buf == 0)
        return r->in;
    if (buf == 1)
        return r->out;
    return (sched_host_array){r->scratch + (size_t)p->buf[buf].offset * PROG_PLACE_SCALARS * scalar,
                              NULL};
}

static sluice_status get_block(void *user, sluice_slot *slot)
{
    run *r = user;
    const prog_pass *cut = &r->pass->cut;

    if (r->got == cut->body->blocks)
        return SLUICE_END;
    slot->user = (void *)(uintptr_t)r->got;
    sched_pass_move_run(&r->pass->get, cut->var, r->got++, host_array(r, cut->get->in),
                        (sched_host_array){slot->in, NULL});
    return SLUICE_OK;
}

static sluice_status put_block(void *user, sluice_slot *slot)
{
    const run *r = user;
    const prog_pass *cut = &r->pass->cut;

    sched_pass_move_run(&r->pass->put, cut->var, (int64_t)(uintptr_t)slot->user,
                        (sched_host_array){slot->out, NULL}, host_array(r, cut->put->out));
    return SLUICE_OK;
}

/* ---- the units' side ---- */

static int unit_of(const run *r, int team)
{
    return team % r->all->plan->machine->units;
}

static sluice_status begin_block(void *user, int team, sluice_slot *slot, bool may_wait,
                                 backend_ticket **ticket)
{
    const run *r = user;
    const sluice_machine *m = r->all->plan->machine;
    const backend_block block = {.arrays = {.in = slot->in, .out = slot->out},
                                 .count = 1,
                                 .full = 1,
                                 .iteration = (int64_t)(uintptr_t)slot->user,
                                 .unit = unit_of(r, team)};

    if (may_wait)
        sched_gate_enter(m->gate, block.unit);
    else if (!sched_gate_try(m->gate, block.unit))
        return SLUICE_AGAIN;
    const sluice_status status = m->table->team->begin(r->pass->program, &block, ticket);
    if (status != SLUICE_OK)
        sched_gate_leave(m->gate, block.unit);
    return status;
}

static sluice_status finish_block(void *user, int team, sluice_slot *slot, backend_ticket *ticket,
                                  backend_legs *seconds)
{
    const run *r = user;
    const sluice_machine *m = r->all->plan->machine;
    const sluice_status status = m->table->team->finish(ticket, seconds);

    (void)slot;
    sched_gate_leave(m->gate, unit_of(r, team));
    return status;
}

static bool team_is_alive(void *user, int team)
{
    const run *r = user;
    const sluice_machine *m = r->all->plan->machine;

    return m->table->team->is_alive(m->backend, unit_of(r, team));
}

/* ---- a pass ---- */

static void *alloc_slot(const sluice_machine *m, size_t bytes)
{
    return m->table->memory ? m->table->memory->alloc(m->backend, bytes)
                            : core_aligned_alloc(bytes);
}

static void free_slot(const sluice_machine *m, void *block)
{
    if (m->table->memory)
        m->table->memory->free(m->backend, block);
    else
        core_aligned_free(block);
}

static size_t padded(size_t bytes)
{
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

static bool open_slots(const run *r, sluice_slot *slot, int slots)
{
    const bool in_place = r->pass->cut.body->sides.in_place;
    const size_t in = padded(r->pass->bytes[0]), out = in_place ? 0 : padded(r->pass->bytes[1]);
    bool made = true;

    for (int i = 0; i < slots && made; i++) {
        char *memory = alloc_slot(r->all->plan->machine, in + out);
        made = memory != NULL;
        slot[i] = (sluice_slot){
            .in = memory, .out = !made || in_place ? memory : memory + in, .count = 1};
    }
    return made;
}

static sluice_status run_pipeline(run *r, const sluice_slot *slot, int slots, int units)
{
    const sluice_machine *m = r->all->plan->machine;
    const backend_team *team = m->table->team;
    const stream_feed feed = {.source = get_block, .sink = put_block, .user = r};
    stream_team teams[MAX_UNITS];
    stream_pipeline *pipeline = NULL;

    for (int i = 0; i < units; i++)
        teams[i] = (stream_team){.depth = team->depth(m->backend),
                                 .begin = begin_block,
                                 .is_done = team->is_done,
                                 .finish = finish_block,
                                 .is_alive = team_is_alive,
                                 .user = r,
                                 .threads = team,
                                 .owner = m->backend,
                                 .unit = m->first_unit + i};
    const stream_config config = {.team = teams,
                                  .schedule = {.kind = STREAM_DYNAMIC, .teams = units},
                                  .slots = slots,
                                  .initial = slot,
                                  .log = &m->log};
    sluice_status status = stream_pipeline_open(&pipeline, &config, NULL);
    if (status == SLUICE_OK)
        status = stream_run_feed(pipeline, &feed, NULL, NULL);
    stream_pipeline_close(pipeline);
    return status;
}

/* Slots for what is in flight, one that is filled and one that is emptied. */
static sluice_status run_pass(run *r)
{
    const sluice_machine *m = r->all->plan->machine;
    const int units = m->units < MAX_UNITS ? m->units : MAX_UNITS;
    const int slots = units * m->table->team->depth(m->backend) + 2;
    sluice_slot *slot = core_calloc((size_t)slots, sizeof *slot);
    sluice_status status = SLUICE_E_MEMORY;

    if (slot && open_slots(r, slot, slots))
        status = run_pipeline(r, slot, slots, units);
    for (int i = 0; slot && i < slots; i++)
        free_slot(m, slot[i].in);
    core_free(slot);
    return status;
}

/* ---- what a plan asks of a program ---- */

static size_t passes_work_bytes(const backend_program *program)
{
    const sluice_plan *plan = ((const passes *)program)->plan;

    return (size_t)plan->body->shared_elems * PROG_PLACE_SCALARS
           * sched_scalar_bytes(&plan->problem);
}

static sluice_status passes_run(const backend_program *program, const sluice_arrays *a, void *work,
                                int workers)
{
    const passes *all = (const passes *)program;
    const size_t bytes = passes_work_bytes(program);
    char *own = NULL;
    sluice_status status = SLUICE_OK;

    (void)workers;
    if (core_forked(all->plan->machine->mark))
        return SLUICE_E_DEVICE;
    if (!work && bytes > 0 && !(own = core_aligned_alloc(bytes)))
        return SLUICE_E_MEMORY;
    for (int i = 0; i < all->count && status == SLUICE_OK; i++) {
        run r = {.all = all,
                 .pass = &all->pass[i],
                 .in = {(char *)(uintptr_t)a->in, (char *)(uintptr_t)a->in_im},
                 .out = {a->out, a->out_im},
                 .scratch = work ? work : own};
        status = run_pass(&r);
    }
    core_aligned_free(own);
    return status;
}

static void passes_release(backend_program *program)
{
    passes *all = (passes *)program;

    for (int i = 0; all && i < all->count; i++)
        all->plan->machine->table->team->release(all->pass[i].program);
    core_free(all);
}

/* The first block of a pass takes all legs, the others follow at its pace. */
static sluice_status passes_estimate(const backend_program *program, backend_cost *out)
{
    const passes *all = (const passes *)program;

    *out = (backend_cost){.bound = "memory", .working_set = (double)passes_work_bytes(program)};
    for (int i = 0; i < all->count; i++) {
        const double blocks = (double)all->pass[i].cut.body->blocks;
        backend_cost one;
        const sluice_status status =
            all->plan->machine->table->team->estimate(all->pass[i].program, &one);
        if (status != SLUICE_OK)
            return status;
        const double pace = one.pace > 0 ? one.pace : one.seconds;
        out->seconds += one.seconds + (blocks - 1) * pace;
        out->operations += blocks * one.operations;
        out->bytes += blocks * one.bytes;
        out->working_set += one.working_set;
    }
    out->pace = out->seconds;
    return SLUICE_OK;
}

static void passes_print(const backend_program *program, core_text *out)
{
    const passes *all = (const passes *)program;

    for (int i = 0; i < all->count; i++) {
        const pass *x = &all->pass[i];
        core_text_printf(out,
                         "pass %d through the host's memory: %lld blocks, %s got, %s put each\n", i,
                         (long long)x->cut.body->blocks, core_bytes((double)x->bytes[0]).text,
                         core_bytes((double)x->bytes[1]).text);
        all->plan->machine->table->team->print(x->program, out);
    }
}

static const backend_team passes_team = {.release = passes_release,
                                         .work_bytes = passes_work_bytes,
                                         .estimate = passes_estimate,
                                         .print = passes_print};
static const backend_table passes_table = {
    .name = "blocks", .kind = SLUICE_UNIT_OPENCL, .team = &passes_team};

/* ---- made ---- */

static sluice_status prepare_pass(const sluice_plan *plan, const prog_pass *cut, pass *out,
                                  sluice_diag *why)
{
    const sluice_machine *m = plan->machine;
    const size_t scalar = sched_scalar_bytes(&plan->problem);
    const prog_buf *buf = cut->body->buf;

    *out = (pass){.cut = *cut,
                  .get = sched_pass_move_of(plan->body, cut->get, scalar),
                  .put = sched_pass_move_of(plan->body, cut->put, scalar)};
    for (int side = 0; side < 2; side++)
        out->bytes[side] = (size_t)(buf[side].elems * prog_scalars(&buf[side])) * scalar;
    return m->table->team->prepare(m->backend, plan->costs, cut->body, BACKEND_BLOCKS,
                                   plan->problem.precision, &out->program, why);
}

sluice_status sched_passes_prepare(const sluice_plan *plan, backend_program **out, sluice_diag *why)
{
    prog_pass *cut;
    int count;

    *out = NULL;
    sluice_status status = prog_passes(plan->body, &cut, &count, why);
    if (status != SLUICE_OK)
        return status;
    passes *all = core_calloc(1, sizeof *all + (size_t)count * sizeof all->pass[0]);
    if (!all)
        return core_fail_memory(why);
    all->plan = plan;
    all->base = (backend_program){
        .run = passes_run, .table = &passes_table, .owner = plan->machine->backend};
    for (; all->count < count && status == SLUICE_OK; all->count++)
        status = prepare_pass(plan, &cut[all->count], &all->pass[all->count], why);
    if (status == SLUICE_OK)
        *out = &all->base;
    else
        passes_release(&all->base);
    return status;
}
