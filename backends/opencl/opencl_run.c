// SPDX-License-Identifier: BSD-3-Clause
/* A block's way to the device, through its kernels, and back: commands in three queues, each in
 * order, that wait for each other by events. If the device shares the host's memory, it computes in
 * the user's arrays. The first failing call ends a block; commands enqueued before it are waited
 * for. */
#include <string.h>

#include "backends/opencl/opencl_state.h"
#include "core/mem.h"
#include "core/status.h"

/* ---- commands ---- */

static sluice_status check(const opencl_lane *lane, cl_int code, const char *call)
{
    return opencl_check(opencl_owner(lane), lane->unit, code, call, NULL);
}

void opencl_note_event(opencl_lane *lane, opencl_leg leg, cl_event event)
{
    const opencl_calls *cl = opencl_owner(lane)->cl;

    if (!lane->first[leg]) {
        lane->first[leg] = event;
        return;
    }
    if (lane->last[leg])
        cl->clReleaseEvent(lane->last[leg]);
    lane->last[leg] = event;
}

static cl_event *last_event(opencl_lane *lane, opencl_leg leg)
{
    return lane->last[leg] ? &lane->last[leg] : &lane->first[leg];
}

opencl_waits opencl_wait_for(opencl_lane *lane, opencl_leg leg)
{
    const bool unordered = leg == OPENCL_COMPUTE && opencl_owner(lane)->about.any_order;
    const cl_event *event = lane->first[leg]   ? unordered ? last_event(lane, leg) : NULL
                            : leg > OPENCL_GET ? last_event(lane, (opencl_leg)(leg - 1))
                                               : NULL;
    const bool waits = event && *event;

    return (opencl_waits){waits, waits ? event : NULL};
}

/* Blocks that take turns compute in a queue that is in order, since no block waits for an event of
 * the one before. */
static cl_command_queue queue_of(const opencl_lane *lane, opencl_leg leg)
{
    const opencl_leg compute = opencl_takes_turns(lane->program) ? OPENCL_PUT : OPENCL_COMPUTE;
    const bool computes = lane->shares || leg == OPENCL_COMPUTE;

    return opencl_owner(lane)->unit[lane->unit].queue[computes ? compute : leg];
}

/* ---- get ---- */

static sluice_status get_array(opencl_lane *lane, int array)
{
    const opencl_span span = lane->span[array / 2];
    const opencl_waits wait = opencl_wait_for(lane, OPENCL_GET);
    cl_event event;

    const cl_int code = opencl_owner(lane)->cl->clEnqueueWriteBuffer(
        queue_of(lane, OPENCL_GET), lane->array[array].own, CL_FALSE, span.from, span.bytes,
        lane->array[array].user + span.from, wait.count, wait.event, &event);
    if (code == CL_SUCCESS)
        opencl_note_event(lane, OPENCL_GET, event);
    return check(lane, code, "clEnqueueWriteBuffer");
}

/* Sends the block's slices of tables from the host's memory. */
static sluice_status get_slices(opencl_lane *lane)
{
    const device_program *made = &lane->program->made;
    sluice_status status = SLUICE_OK;

    for (int i = 0; i < made->ntables && status == SLUICE_OK; i++) {
        const device_table *t = &made->table[i];
        const size_t bytes = opencl_slice_bytes(t);
        const opencl_waits wait = opencl_wait_for(lane, OPENCL_GET);
        cl_event event;
        if (t->slices <= 1)
            continue;
        const size_t number = (size_t)(lane->iteration / t->each % t->slices);
        const cl_int code = opencl_owner(lane)->cl->clEnqueueWriteBuffer(
            queue_of(lane, OPENCL_GET), lane->slice[i], CL_FALSE, 0, bytes,
            (const char *)t->data + number * bytes, wait.count, wait.event, &event);
        if (code == CL_SUCCESS)
            opencl_note_event(lane, OPENCL_GET, event);
        status = check(lane, code, "clEnqueueWriteBuffer");
    }
    return status;
}

/* In place the input goes to the output's buffer. */
static sluice_status get_arrays(opencl_lane *lane)
{
    const bool in_place = lane->program->made.in_place;
    sluice_status status = SLUICE_OK;

    for (int i = in_place ? DEVICE_OUT : DEVICE_IN; i <= (in_place ? DEVICE_OUT_IM : DEVICE_IN_IM);
         i++)
        if (opencl_has_array(lane, i) && status == SLUICE_OK)
            status = lane->in_pieces[i / 2] ? opencl_carry_in(lane, i) : get_array(lane, i);
    return status;
}

/* ---- compute ---- */

/* The kernel's groups, fewer in a block that is not full. */
static size_t groups_of(const opencl_lane *lane, const device_kernel *k)
{
    const size_t groups = (size_t)k->groups;

    return k->by_count ? (groups * lane->count + lane->full - 1) / lane->full : groups;
}

static sluice_status launch_kernel(opencl_lane *lane, const device_walk *launch)
{
    const device_kernel *k = &lane->program->made.kernel[launch->kernel];
    const size_t items = (size_t)k->items, all = groups_of(lane, k) * items;
    const opencl_waits wait = opencl_wait_for(lane, OPENCL_COMPUTE);
    cl_event event;

    cl_int code = opencl_set_args(lane, launch, &lane->memory);
    if (code != CL_SUCCESS)
        return check(lane, code, "clSetKernelArg");
    code = opencl_owner(lane)->cl->clEnqueueNDRangeKernel(
        queue_of(lane, OPENCL_COMPUTE), lane->kernel[launch->kernel], 1, NULL, &all, &items,
        wait.count, wait.event, &event);
    if (code == CL_SUCCESS)
        opencl_note_event(lane, OPENCL_COMPUTE, event);
    return check(lane, code, "clEnqueueNDRangeKernel");
}

static sluice_status launch_all(opencl_lane *lane)
{
    const bool in_blocks = lane->program->body->blocks > 0;
    device_walk walk = device_walk_begin(&lane->program->made, in_blocks ? lane->iteration : -1);
    sluice_status status = SLUICE_OK;

    while (status == SLUICE_OK && device_walk_next(&walk))
        status = launch_kernel(lane, &walk);
    return status;
}

/* If blocks take turns, the kernels of one block are enqueued without others between them. */
static sluice_status launch_kernels(opencl_lane *lane)
{
    opencl_built *built = &lane->program->built[lane->unit];

    if (!opencl_takes_turns(lane->program))
        return launch_all(lane);
    pthread_mutex_lock(&built->turn);
    const sluice_status status = launch_all(lane);
    pthread_mutex_unlock(&built->turn);
    return status;
}

/* ---- put ---- */

static sluice_status put_array(opencl_lane *lane, int array)
{
    const opencl_span span = lane->span[1];
    opencl_array *a = &lane->array[array];
    const opencl_waits wait = opencl_wait_for(lane, OPENCL_PUT);
    cl_event event;

    const cl_int code = opencl_owner(lane)->cl->clEnqueueReadBuffer(
        queue_of(lane, OPENCL_PUT), a->own, CL_FALSE, span.from, span.bytes,
        (lane->stages ? a->staged : a->user) + span.from, wait.count, wait.event, &event);
    if (code == CL_SUCCESS)
        opencl_note_event(lane, OPENCL_PUT, event);
    return check(lane, code, "clEnqueueReadBuffer");
}

/* Mapping makes the user's memory hold what the device has written. On a processor it does anyway,
 * and there a command without effect costs as much as a short kernel. */
static sluice_status show_array(opencl_lane *lane, int array)
{
    const opencl_calls *cl = opencl_owner(lane)->cl;
    const size_t bytes = lane->span[1].bytes;
    cl_mem buffer = lane->array[array].shared;
    cl_command_queue queue = queue_of(lane, OPENCL_PUT);
    cl_event event;
    cl_int code;

    void *at = cl->clEnqueueMapBuffer(queue, buffer, CL_FALSE, CL_MAP_READ, 0, bytes, 0, NULL,
                                      &event, &code);
    if (code != CL_SUCCESS)
        return check(lane, code, "clEnqueueMapBuffer");
    opencl_note_event(lane, OPENCL_PUT, event);
    code = cl->clEnqueueUnmapMemObject(queue, buffer, at, 0, NULL, &event);
    if (code == CL_SUCCESS)
        opencl_note_event(lane, OPENCL_PUT, event);
    return check(lane, code, "clEnqueueUnmapMemObject");
}

static sluice_status put_arrays(opencl_lane *lane)
{
    sluice_status status = SLUICE_OK;

    if (lane->in_pieces[1]) /* they are put once all else is enqueued */
        return SLUICE_OK;

    for (int i = DEVICE_OUT; i <= DEVICE_OUT_IM; i++)
        if (opencl_has_array(lane, i) && status == SLUICE_OK)
            status = !lane->shares                      ? put_array(lane, i)
                     : opencl_owner(lane)->about.is_cpu ? SLUICE_OK
                                                        : show_array(lane, i);
    return status;
}

/* ---- blocks ---- */

static void forget_events(opencl_lane *lane)
{
    const opencl_calls *cl = opencl_owner(lane)->cl;

    for (int leg = 0; leg < OPENCL_LEGS; leg++) {
        if (lane->first[leg])
            cl->clReleaseEvent(lane->first[leg]);
        if (lane->last[leg])
            cl->clReleaseEvent(lane->last[leg]);
        lane->first[leg] = lane->last[leg] = NULL;
    }
}

/* Makes the lane ready for another block. */
static void end_block(opencl_lane *lane)
{
    forget_events(lane);
    opencl_drop_memory(lane);
    opencl_lane_return(lane);
}

/* Waits until no command of the block is in a queue. */
static void drain_queues(const opencl_lane *lane)
{
    const backend *b = opencl_owner(lane);

    for (int leg = 0; leg < OPENCL_LEGS; leg++)
        (void)b->cl->clFinish(b->unit[lane->unit].queue[leg]);
}

static sluice_status enqueue(opencl_lane *lane)
{
    sluice_status status = opencl_get_memory(lane);

    if (status == SLUICE_OK)
        status = opencl_choose_ways(lane);
    if (status == SLUICE_OK)
        status = get_slices(lane);
    if (status == SLUICE_OK && !lane->shares)
        status = get_arrays(lane);
    if (status == SLUICE_OK)
        status = launch_kernels(lane);
    if (status == SLUICE_OK)
        status = put_arrays(lane);
    for (int leg = 0; leg < OPENCL_LEGS && status == SLUICE_OK; leg++)
        if (lane->first[leg])
            status = check(lane, opencl_owner(lane)->cl->clFlush(queue_of(lane, (opencl_leg)leg)),
                           "clFlush");
    if (status == SLUICE_OK && lane->in_pieces[1])
        opencl_carry_out(lane);
    return status;
}

/* May a block that was not enqueued as a whole have written the user's output? */
static bool may_have_written(const opencl_lane *lane)
{
    return lane->shares ? lane->first[OPENCL_COMPUTE] != NULL
                        : lane->first[OPENCL_PUT] && !lane->stages;
}

int opencl_depth(const backend *b)
{
    (void)b;
    return OPENCL_DEPTH;
}

sluice_status opencl_begin(const backend_program *program, const backend_block *block,
                           backend_ticket **out)
{
    const opencl_program *p = (const opencl_program *)program;
    const backend *b = program->owner;
    opencl_lane *lane = NULL;

    *out = NULL;
    if (core_forked(b->mark) || !opencl_is_alive(b, block->unit))
        return SLUICE_E_DEVICE;
    sluice_status status = opencl_lane_take(p, block->unit, &lane);
    if (status == SLUICE_OK) {
        opencl_set_block(lane, block);
        status = enqueue(lane);
    }
    if (status == SLUICE_OK || (lane && may_have_written(lane))) {
        lane->status = status;
        *out = lane;
        return SLUICE_OK;
    }
    opencl_note_block(b, block->unit, status);
    if (lane) {
        drain_queues(lane);
        end_block(lane);
    }
    return status;
}

/* The event of the block's last command. */
static const cl_event *last_event_of_block(const backend_ticket *t)
{
    opencl_lane *lane = (opencl_lane *)(uintptr_t)t;

    for (int leg = OPENCL_LEGS - 1; leg > 0; leg--)
        if (lane->first[leg])
            return last_event(lane, (opencl_leg)leg);
    return last_event(lane, OPENCL_GET);
}

static bool has_ended(const opencl_lane *lane)
{
    const cl_event *end = last_event_of_block(lane);
    cl_int state = CL_COMPLETE;

    if (*end
        && opencl_owner(lane)->cl->clGetEventInfo(*end, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                  sizeof state, &state, NULL)
               != CL_SUCCESS)
        return true; /* finish finds out */
    return state <= CL_COMPLETE;
}

bool opencl_is_done(const backend_ticket *lane)
{
    if (core_forked(opencl_owner(lane)->mark))
        return true;
    return lane->in_pieces[1] && lane->status == SLUICE_OK ? opencl_is_carried(lane)
                                                           : has_ended(lane);
}

/* Seconds of a leg's commands, from the first to the last; 0: not known. */
static double leg_seconds(const opencl_lane *lane, opencl_leg leg)
{
    const opencl_calls *cl = opencl_owner(lane)->cl;
    const cl_event first = lane->first[leg], last = lane->last[leg] ? lane->last[leg] : first;
    cl_ulong begin, end;

    if (first && cl->seconds_between)
        return cl->seconds_between(first, last);
    if (!first
        || cl->clGetEventProfilingInfo(first, CL_PROFILING_COMMAND_START, sizeof begin, &begin,
                                       NULL)
               != CL_SUCCESS
        || cl->clGetEventProfilingInfo(last, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL)
               != CL_SUCCESS)
        return 0;
    return end > begin ? 1e-9 * (double)(end - begin) : 0;
}

static sluice_status check_event(const opencl_lane *lane, cl_event event, const char *leg)
{
    cl_int state = CL_COMPLETE;

    if (!event)
        return SLUICE_OK;
    const cl_int code = opencl_owner(lane)->cl->clGetEventInfo(
        event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    return code != CL_SUCCESS ? check(lane, code, "clGetEventInfo")
                              : check(lane, state < 0 ? state : CL_SUCCESS, leg);
}

/* Waits for the last command, which waits for all others. */
static sluice_status wait_for_end(opencl_lane *lane)
{
    static const char *const name[OPENCL_LEGS] = {"a transfer to the device", "a kernel",
                                                  "a transfer from the device"};
    const cl_event *end = last_event_of_block(lane);
    const cl_int code = *end ? opencl_owner(lane)->cl->clWaitForEvents(1, end) : CL_SUCCESS;
    sluice_status status = SLUICE_OK;

    for (int leg = 0; leg < OPENCL_LEGS && status == SLUICE_OK; leg++) {
        status = check_event(lane, lane->first[leg], name[leg]);
        if (status == SLUICE_OK)
            status = check_event(lane, lane->last[leg], name[leg]);
    }
    return status == SLUICE_OK ? check(lane, code, "clWaitForEvents") : status;
}

static void put_staged(const opencl_lane *lane)
{
    for (int i = DEVICE_OUT; i <= DEVICE_OUT_IM; i++)
        if (opencl_has_array(lane, i))
            opencl_copy_elements(lane->program, lane->count, lane->full, lane->array[i].user,
                                 lane->array[i].staged);
}

sluice_status opencl_finish(backend_ticket *lane, backend_legs *seconds)
{
    const backend *b = opencl_owner(lane);

    *seconds = (backend_legs){0, 0, 0};
    if (core_forked(b->mark))
        return SLUICE_E_DEVICE;
    sluice_status status = lane->status;
    if (status == SLUICE_OK && lane->in_pieces[1])
        status = opencl_wait_carried(lane);
    if (status == SLUICE_OK)
        status = wait_for_end(lane);
    if (status != SLUICE_OK)
        drain_queues(lane);
    else if (lane->stages)
        put_staged(lane);
    if (status == SLUICE_OK)
        *seconds = (backend_legs){leg_seconds(lane, OPENCL_GET), leg_seconds(lane, OPENCL_COMPUTE),
                                  leg_seconds(lane, OPENCL_PUT)};
    opencl_note_block(b, lane->unit, status);
    end_block(lane);
    return status == SLUICE_E_MEMORY ? SLUICE_E_DEVICE : status;
}

bool opencl_is_alive(const backend *b, int unit)
{
    backend *self = (backend *)(uintptr_t)b; /* only the lock changes */

    pthread_mutex_lock(&self->lock);
    const bool alive = !self->unit[unit].lost;
    pthread_mutex_unlock(&self->lock);
    return alive && !core_forked(b->mark);
}

sluice_status opencl_run(const backend_program *program, const sluice_arrays *arrays, void *work,
                         int workers)
{
    const backend_block block = {.arrays = *arrays, .count = 1, .full = 1, .unit = 0};
    backend_ticket *ticket;
    backend_legs seconds;

    (void)work, (void)workers;
    const sluice_status status = opencl_begin(program, &block, &ticket);
    return status == SLUICE_OK ? opencl_finish(ticket, &seconds) : status;
}
