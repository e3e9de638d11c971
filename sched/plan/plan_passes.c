// SPDX-License-Identifier: BSD-3-Clause
#include "sched/plan/plan_passes.h"

#include <stdatomic.h>
#include <string.h>

#include "core/mem.h"
#include "core/status.h"
#include "sched/problem/problem.h"
#include "streaming/feed.h"

enum { MAX_UNITS = 64 };

typedef struct pass {
    prog_pass cut;
    sched_pass_move get, put;
    backend_program *program;
    size_t bytes[2]; /* of a block, as input and as output */
} pass;

typedef struct passes {
    backend_program base; /* first */
    const sluice_plan *plan;
    atomic_uintptr_t scratch; /* kept from the last execution for the next; 0: none, or in use */
    int count;
    pass pass[];
} passes;

/* A pass in execution. */
typedef struct run {
    const passes *all;
    const pass *pass;
    sched_host_array in, out; /* the caller's arrays */
    char *scratch;
    int64_t got; /* blocks numbered so far */
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

/* Bytes of an element of a block, whose re and im are interleaved. */
static size_t element_bytes(const sched_pass_move *m, bool put)
{
    return prog_move_adjacent(&m->move, !put) * m->move.scalar;
}

static sched_pass_part pass_part_of(const run *r, bool put, int64_t k, size_t from, size_t bytes)
{
    const size_t element = element_bytes(put ? &r->pass->put : &r->pass->get, put);

    return (sched_pass_part){.put = put,
                             .var = r->pass->cut.var,
                             .iteration = k,
                             .first = (int64_t)(from / element),
                             .count = (int64_t)(bytes / element)};
}

static void get_part(const void *user, int64_t k, size_t from, size_t bytes, void *to)
{
    const run *r = user;
    const sched_pass_part part = pass_part_of(r, false, k, from, bytes);

    sched_pass_move_run(&r->pass->get, &part, host_array(r, r->pass->cut.get->in), to);
}

static void put_part(const void *user, int64_t k, size_t from, size_t bytes, const void *block)
{
    const run *r = user;
    const sched_pass_part part = pass_part_of(r, true, k, from, bytes);

    sched_pass_move_run(&r->pass->put, &part, host_array(r, r->pass->cut.put->out),
                        (char *)(uintptr_t)block);
}

/* Slots carry block numbers only; the units' backend moves the blocks' data. */
static sluice_status number_block(void *user, sluice_slot *slot)
{
    run *r = user;

    if (r->got == r->pass->cut.body->blocks)
        return SLUICE_END;
    slot->user = (void *)(uintptr_t)r->got++;
    return SLUICE_OK;
}

static sluice_status end_block(void *user, sluice_slot *slot)
{
    (void)user, (void)slot;
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
                                 .carry = {.get = get_part, .put = put_part, .user = r},
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

static sluice_status run_pipeline(run *r, const sluice_slot *slot, int slots, int units)
{
    const sluice_machine *m = r->all->plan->machine;
    const backend_team *team = m->table->team;
    const stream_feed feed = {.source = number_block, .sink = end_block, .user = r};
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

/* There are slots for all blocks in flight, and two between the queues. Slots have no memory: any
 * pointer will do. */
static sluice_status run_pass(run *r)
{
    const sluice_machine *m = r->all->plan->machine;
    const int units = m->units < MAX_UNITS ? m->units : MAX_UNITS;
    const int slots = units * m->table->team->depth(m->backend) + 2;
    sluice_slot *slot = core_calloc((size_t)slots, sizeof *slot);

    if (!slot)
        return SLUICE_E_MEMORY;
    for (int i = 0; i < slots; i++)
        slot[i] = (sluice_slot){.in = r, .out = r, .count = 1};
    const sluice_status status = run_pipeline(r, slot, slots, units);
    core_free(slot);
    return status;
}

/* ---- what a plan calls of a program ---- */

/* The end of a buffer in the host's memory; buffers of blocks belong to the units. */
static size_t end_of_buffer(const prog *p, int buf)
{
    return buf < 2 ? 0 : (size_t)(p->buf[buf].offset + prog_cells_of(&p->buf[buf]));
}

static size_t passes_work_bytes(const backend_program *program)
{
    const passes *all = (const passes *)program;
    const prog *p = all->plan->body;
    size_t places = 0;

    for (int i = 0; i < all->count; i++) {
        const size_t from = end_of_buffer(p, all->pass[i].cut.get->in);
        const size_t to = end_of_buffer(p, all->pass[i].cut.put->out);
        places = from > places ? from : places;
        places = to > places ? to : places;
    }
    return places * PROG_PLACE_SCALARS * sched_scalar_bytes(&all->plan->problem);
}

/* Scratch is kept, since touching new memory for the first time takes longer than the data that go
 * through it. */
static char *take_scratch(passes *all, size_t bytes)
{
    char *kept = (char *)atomic_exchange(&all->scratch, 0);

    return kept ? kept : core_aligned_alloc(bytes);
}

static void return_scratch(passes *all, char *scratch)
{
    core_aligned_free((void *)atomic_exchange(&all->scratch, (uintptr_t)scratch));
}

static sluice_status passes_run(const backend_program *program, const sluice_arrays *a, void *work,
                                int workers)
{
    passes *all = (passes *)(uintptr_t)program; /* only the kept scratch changes */
    const size_t bytes = passes_work_bytes(program);
    char *own = NULL;
    sluice_status status = SLUICE_OK;

    (void)workers;
    if (core_forked(all->plan->machine->mark))
        return SLUICE_E_DEVICE;
    if (!work && bytes > 0 && !(own = take_scratch(all, bytes)))
        return SLUICE_E_MEMORY;
    for (int i = 0; i < all->count && status == SLUICE_OK; i++) {
        run r = {.all = all,
                 .pass = &all->pass[i],
                 .in = {(char *)(uintptr_t)a->in, (char *)(uintptr_t)a->in_im},
                 .out = {a->out, a->out_im},
                 .scratch = work ? work : own};
        status = run_pass(&r);
    }
    if (own)
        return_scratch(all, own);
    return status;
}

static void passes_release(backend_program *program)
{
    passes *all = (passes *)program;

    for (int i = 0; all && i < all->count; i++)
        all->plan->machine->table->team->release(all->pass[i].program);
    if (all)
        core_aligned_free((void *)all->scratch);
    core_free(all);
}

/* The first block of a pass takes all its legs; the others follow at its pace. */
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

    *out = (pass){.cut = *cut};
    sluice_status status = sched_pass_move_of(&out->get, plan->body, cut->get, scalar, why);
    if (status == SLUICE_OK)
        status = sched_pass_move_of(&out->put, plan->body, cut->put, scalar, why);
    if (status != SLUICE_OK)
        return status;
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
    atomic_init(&all->scratch, 0);
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
