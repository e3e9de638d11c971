// SPDX-License-Identifier: BSD-3-Clause
/* Streams: a pipeline whose teams run blocks of one plan. */
#include <string.h>

#include "api/sluice.h"
#include "api/stream_teams.h"
#include "core/fork.h"
#include "core/mem.h"
#include "core/status.h"
#include "sched/plan/plan.h"
#include "streaming/feed.h"
#include "streaming/pipeline.h"

enum { MAX_SLOTS = 65536 };

struct sluice_stream {
    const sluice_plan *plan; /* retained */
    sched_fallback fallback; /* the stream's own; NULL: the plan's */
    stream_teams teams;
    sched_block block;
    int slots;
    void **memory;           /* one allocation per slot */
    sluice_machine *pinning; /* whose memory slots have; NULL: ordinary memory */
    stream_pipeline *pipeline;
    sluice_diag *why; /* the caller's; NULL: no reasons are requested */
};

/* ---------------------------------------------------------------- memory ---------------- */

typedef struct slot_shape {
    size_t in, in_im, out, out_im; /* byte offsets of the sides in a slot's memory */
    size_t bytes;
} slot_shape;

static bool reserve_bytes(slot_shape *shape, size_t bytes, size_t *offset)
{
    size_t end;
    *offset = shape->bytes;
    if (!core_add(shape->bytes, bytes, &end) || !core_add(end, 63, &end))
        return false;
    shape->bytes = end & ~(size_t)63; /* each side begins at a multiple of 64 */
    return true;
}

static bool shape_of(const sched_block *b, slot_shape *shape)
{
    *shape = (slot_shape){0};
    return reserve_bytes(shape, b->in_bytes, &shape->in)
           && reserve_bytes(shape, b->in_im_bytes, &shape->in_im)
           && reserve_bytes(shape, b->out_bytes, &shape->out)
           && reserve_bytes(shape, b->out_im_bytes, &shape->out_im);
}

static sluice_slot slot_in(const sched_block *b, const slot_shape *shape, char *memory)
{
    const bool in_place = b->out_bytes == 0;
    sluice_slot s = {.count = b->count};
    s.in = memory + shape->in + b->in_origin;
    if (b->in_im_bytes > 0)
        s.in_im = memory + shape->in_im + b->in_origin;
    s.out = in_place ? s.in : memory + shape->out + b->out_origin;
    if (in_place)
        s.out_im = s.in_im;
    else if (b->out_im_bytes > 0)
        s.out_im = memory + shape->out_im + b->out_origin;
    return s;
}

/* The first of the stream's kinds that copies fastest from memory that it allocates itself. */
static sluice_machine *pinning_machine(const sluice_stream *s)
{
    for (int k = 0; k < s->teams.kinds; k++)
        if (s->teams.kind[k].plan->machine->table->memory != NULL)
            return s->teams.kind[k].plan->machine;
    return NULL;
}

static void *alloc_slot(const sluice_stream *s, size_t bytes)
{
    const sluice_machine *m = s->pinning;
    return m != NULL ? m->table->memory->alloc(m->backend, bytes) : core_aligned_alloc(bytes);
}

static void free_slot(const sluice_stream *s, void *block)
{
    const sluice_machine *m = s->pinning;
    if (m != NULL)
        m->table->memory->free(m->backend, block);
    else
        core_aligned_free(block);
}

static sluice_status open_slot_memory(sluice_stream *s, sluice_slot *initial)
{
    slot_shape shape;
    if (!shape_of(&s->block, &shape))
        return SLUICE_E_MEMORY;
    s->pinning = pinning_machine(s);
    for (int i = 0; i < s->slots; i++) {
        s->memory[i] = alloc_slot(s, shape.bytes);
        if (s->memory[i] == NULL)
            return SLUICE_E_MEMORY;
        initial[i] = slot_in(&s->block, &shape, s->memory[i]);
    }
    return SLUICE_OK;
}

/* ---------------------------------------------------------------- open, close ----------- */

static sluice_status start_pipeline(sluice_stream *s, stream_schedule_kind schedule,
                                    const sluice_slot *initial, sluice_diag *why)
{
    const sluice_machine *machine = s->plan->machine;
    const stream_config config = {
        .team = s->teams.team,
        .schedule = {.kind = schedule, .teams = s->teams.count, .rate = s->teams.rate},
        .on_caller = core_forked(machine->mark),
        .slots = s->slots,
        .initial = initial,
        .log = &machine->log};
    return stream_pipeline_open(&s->pipeline, &config, why);
}

static sluice_status open_slots(sluice_stream *s, stream_schedule_kind schedule, sluice_diag *why)
{
    sluice_slot *initial = core_calloc((size_t)s->slots, sizeof *initial);
    sluice_status status = SLUICE_E_MEMORY;
    s->memory = core_calloc((size_t)s->slots, sizeof *s->memory);
    if (initial != NULL && s->memory != NULL)
        status = open_slot_memory(s, initial);
    if (status != SLUICE_OK)
        (void)core_fail(why, status, 0, "no memory for %d slots of %zu + %zu bytes", s->slots,
                        s->block.in_bytes + s->block.in_im_bytes,
                        s->block.out_bytes + s->block.out_im_bytes);
    else
        status = start_pipeline(s, schedule, initial, why);
    core_free(initial);
    return status;
}

static sluice_status build_stream(sluice_stream *s, const sluice_stream_options *options,
                                  sluice_diag *why)
{
    sluice_status status = SLUICE_OK;
    if (options != NULL && options->fallback != NULL)
        status = sched_fallback_open(&s->fallback, s->plan, options->fallback, why);
    if (status == SLUICE_OK)
        status = stream_teams_open(
            &s->teams, s->plan, s->fallback.plan != NULL ? &s->fallback : &s->plan->fallback, why);
    if (status != SLUICE_OK)
        return status;
    const bool fixed = options != NULL && options->deal == SLUICE_DEAL_STATIC;
    s->slots = options != NULL && options->slots > 0 ? options->slots : s->teams.slots;
    return open_slots(s, fixed ? STREAM_CYCLIC : STREAM_DYNAMIC, why);
}

static sluice_status check_stream_options(const sluice_stream_options *o, sluice_diag *why)
{
    static const sluice_stream_options zero;
    if (o == NULL)
        return SLUICE_OK;
    if (memcmp(o->reserved, zero.reserved, sizeof zero.reserved) != 0)
        return core_fail(why, SLUICE_E_INVALID, 0, "reserved fields of the options are not zero");
    if (o->slots < 0 || o->slots > MAX_SLOTS)
        return core_fail(why, SLUICE_E_INVALID, 0, "slots must be 0 to %d, not %d", MAX_SLOTS,
                         o->slots);
    if ((int)o->deal != SLUICE_DEAL_DYNAMIC && o->deal != SLUICE_DEAL_STATIC)
        return core_fail(why, SLUICE_E_INVALID, 0, "deal is neither dynamic nor static");
    return SLUICE_OK;
}

sluice_status sluice_stream_open(sluice_stream **out, const sluice_plan *plan,
                                 const sluice_stream_options *options, sluice_diag *why)
{
    if (out == NULL)
        return core_fail(why, SLUICE_E_INVALID, 0, "there is nowhere to put the stream");
    *out = NULL;
    if (plan == NULL)
        return core_fail(why, SLUICE_E_INVALID, 0, "a stream needs a plan");
    sluice_status status = check_stream_options(options, why);
    if (status != SLUICE_OK)
        return status;
    sluice_stream *s = core_calloc(1, sizeof *s);
    if (s == NULL)
        return core_fail_memory(why);
    sched_plan_retain(plan);
    s->plan = plan;
    s->why = options != NULL ? options->why : NULL;
    sched_plan_block(plan, &s->block);
    status = build_stream(s, options, why);
    if (status != SLUICE_OK) {
        sluice_stream_close(s);
        return status;
    }
    *out = s;
    return SLUICE_OK;
}

void sluice_stream_close(sluice_stream *stream)
{
    if (stream == NULL)
        return;
    stream_pipeline_close(stream->pipeline);
    stream_teams_close(&stream->teams);
    sched_fallback_close(&stream->fallback);
    for (int i = 0; stream->memory != NULL && i < stream->slots; i++)
        free_slot(stream, stream->memory[i]);
    core_free(stream->memory);
    sched_plan_destroy(stream->plan);
    core_free(stream);
}

/* ---------------------------------------------------------------- blocks ---------------- */

/* Fails a call that lacks a stream or a slot. */
static sluice_status refuse_missing(const sluice_stream *stream)
{
    return core_fail(stream != NULL ? stream->why : NULL, SLUICE_E_INVALID, 0, "slot is NULL");
}

sluice_status sluice_stream_acquire(sluice_stream *stream, sluice_slot **slot, int timeout_ms)
{
    if (stream == NULL || slot == NULL)
        return refuse_missing(stream);
    return stream_pipeline_acquire(stream->pipeline, slot, timeout_ms, stream->why);
}

sluice_status sluice_stream_submit(sluice_stream *stream, sluice_slot *slot)
{
    if (stream == NULL || slot == NULL)
        return refuse_missing(stream);
    return stream_pipeline_submit(stream->pipeline, slot, stream->why);
}

sluice_status sluice_stream_reap(sluice_stream *stream, sluice_slot **slot, int timeout_ms)
{
    if (stream == NULL || slot == NULL)
        return refuse_missing(stream);
    return stream_pipeline_reap(stream->pipeline, slot, timeout_ms, stream->why);
}

sluice_status sluice_stream_release(sluice_stream *stream, sluice_slot *slot)
{
    if (stream == NULL || slot == NULL)
        return refuse_missing(stream);
    return stream_pipeline_release(stream->pipeline, slot, stream->why);
}

sluice_status sluice_stream_finish(sluice_stream *stream)
{
    return stream == NULL ? SLUICE_E_INVALID
                          : stream_pipeline_finish(stream->pipeline, stream->why);
}

sluice_status sluice_stream_cancel(sluice_stream *stream)
{
    return stream == NULL ? SLUICE_E_INVALID
                          : stream_pipeline_cancel(stream->pipeline, stream->why);
}

/* ---------------------------------------------------------------- run ------------------- */

/* Bytes of `count` transforms, as a share of a full block's bytes. */
static uint64_t bytes_of(const sched_block *b, size_t full, uint64_t count)
{
    return (uint64_t)(full / b->count) * count;
}

static void fill_stats(const sluice_stream *s, const stream_times *seconds,
                       sluice_stream_stats *out)
{
    const sched_block *b = &s->block;
    const size_t in = b->in_bytes + b->in_im_bytes;
    stream_totals totals;
    stream_pipeline_totals(s->pipeline, &totals);
    *out = (sluice_stream_stats){
        .blocks = totals.blocks,
        .transforms = totals.count,
        .bytes_in = bytes_of(b, in, totals.count),
        .bytes_out =
            bytes_of(b, b->out_bytes == 0 ? in : b->out_bytes + b->out_im_bytes, totals.count),
        .seconds = seconds->all,
        .get_seconds = seconds->get,
        .compute_seconds = totals.compute_seconds,
        .put_seconds = seconds->put,
        .fallbacks = totals.fallbacks,
    };
}

sluice_status sluice_stream_run(const sluice_plan *plan, sluice_source *source, sluice_sink *sink,
                                void *user, const sluice_stream_options *options,
                                sluice_stream_stats *stats)
{
    sluice_stream *s;
    const stream_feed feed = {.source = source, .sink = sink, .user = user};
    stream_times seconds;
    sluice_diag *const why = options != NULL ? options->why : NULL;
    if (stats != NULL)
        *stats = (sluice_stream_stats){0};
    if (source == NULL || sink == NULL)
        return core_fail(why, SLUICE_E_INVALID, 0, "%s is NULL",
                         source == NULL ? "source" : "sink");
    sluice_status status = sluice_stream_open(&s, plan, options, why);
    if (status != SLUICE_OK)
        return status;
    status = stream_run_feed(s->pipeline, &feed, &seconds, why);
    if (stats != NULL)
        fill_stats(s, &seconds, stats);
    sluice_stream_close(s);
    return status;
}
