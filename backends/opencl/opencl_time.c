// SPDX-License-Identifier: BSD-3-Clause
/* Times of kernels whose data stay on the device, as in programs that keep them there. Executions
 * are chained in a queue of their own, which is in order and does not profile, since that costs
 * time. */
#include "backends/opencl/opencl_state.h"
#include "core/clock.h"

/* To bound what is in flight: launches after which the queue is flushed, and after which it is
 * waited for. */
enum { FLUSH_EACH = 32, FINISH_EACH = 1024 };

typedef struct chain {
    opencl_lane *lane;
    cl_command_queue queue;
    size_t launches;
} chain;

static sluice_status check(const chain *c, cl_int code, const char *call)
{
    return opencl_check(opencl_owner(c->lane), c->lane->unit, code, call, NULL);
}

static sluice_status finish(const chain *c)
{
    return check(c, opencl_owner(c->lane)->cl->clFinish(c->queue), "clFinish");
}

/* In place the input goes to the output's buffer. */
static sluice_status send_input(const chain *c)
{
    const opencl_lane *lane = c->lane;
    const int first = lane->program->made.in_place ? DEVICE_OUT : DEVICE_IN;
    sluice_status status = SLUICE_OK;

    for (int i = first; i <= first + 1 && status == SLUICE_OK; i++) {
        const opencl_span span = lane->span[i / 2];
        if (!opencl_has_array(lane, i))
            continue;
        const cl_int code = opencl_owner(lane)->cl->clEnqueueWriteBuffer(
            c->queue, lane->array[i].own, CL_FALSE, span.from, span.bytes,
            lane->array[i].user + span.from, 0, NULL, NULL);
        status = check(c, code, "clEnqueueWriteBuffer");
    }
    return status == SLUICE_OK ? finish(c) : status;
}

static sluice_status launch(chain *c, const device_walk *at)
{
    const opencl_calls *cl = opencl_owner(c->lane)->cl;
    const device_kernel *k = &c->lane->program->made.kernel[at->kernel];
    const size_t items = (size_t)k->items, all = (size_t)k->groups * items;

    cl_int code = opencl_set_args(c->lane, at, &c->lane->memory);
    if (code != CL_SUCCESS)
        return check(c, code, "clSetKernelArg");
    code = cl->clEnqueueNDRangeKernel(c->queue, c->lane->kernel[at->kernel], 1, NULL, &all, &items,
                                      0, NULL, NULL);
    if (code != CL_SUCCESS)
        return check(c, code, "clEnqueueNDRangeKernel");
    const size_t number = c->launches++;
    if (number % FINISH_EACH == FINISH_EACH - 1)
        return finish(c);
    return number % FLUSH_EACH == 0 ? check(c, cl->clFlush(c->queue), "clFlush") : SLUICE_OK;
}

/* Executions one after another, and the wait for the last. */
static sluice_status time_runs(chain *c, long repeat, double *seconds)
{
    const double start = core_seconds();
    sluice_status status = SLUICE_OK;

    for (long i = 0; i < repeat && status == SLUICE_OK; i++) {
        device_walk walk = device_walk_begin(&c->lane->program->made, -1);
        while (status == SLUICE_OK && device_walk_next(&walk))
            status = launch(c, &walk);
    }
    const sluice_status finished = finish(c);
    *seconds = core_seconds() - start;
    return status == SLUICE_OK ? finished : status;
}

static sluice_status time_chain(chain *c, const backend_timing *timing, double *seconds, int *runs)
{
    double passed = 0;
    long repeat = 1;

    sluice_status status = send_input(c);
    if (status == SLUICE_OK)
        status = time_runs(c, repeat, &passed); /* the first run does not count */
    for (; status == SLUICE_OK && passed < timing->at_least; repeat *= 2)
        status = time_runs(c, 2 * repeat, &passed);
    for (*runs = 0; status == SLUICE_OK && *runs < timing->runs; (*runs)++) {
        if (*runs > 0 && timing->until > 0 && core_seconds() >= timing->until)
            break;
        status = time_runs(c, repeat, &passed);
        seconds[*runs] = passed / (double)repeat;
    }
    return status;
}

/* Buffers of the device's own for the whole batch. */
static sluice_status set_block(opencl_lane *lane, const backend_block *block)
{
    opencl_set_block(lane, block);
    lane->shares = lane->stages = false;
    return opencl_get_memory(lane);
}

sluice_status opencl_time_there(const backend_program *program, const backend_block *block,
                                const backend_timing *timing, double *seconds, int *runs)
{
    const backend *b = program->owner;
    chain c = {.lane = NULL};
    cl_int code;

    if (core_forked(b->mark) || !opencl_is_alive(b, block->unit))
        return SLUICE_E_DEVICE;
    sluice_status status = opencl_lane_take((const opencl_program *)program, block->unit, &c.lane);
    if (status != SLUICE_OK)
        return status;
    status = set_block(c.lane, block);
    if (status == SLUICE_OK) {
        const opencl_unit *u = &b->unit[block->unit];
        c.queue = b->cl->clCreateCommandQueue(u->context, u->device, 0, &code);
        status = check(&c, code, "clCreateCommandQueue");
    }
    if (status == SLUICE_OK) {
        status = time_chain(&c, timing, seconds, runs);
        b->cl->clReleaseCommandQueue(c.queue);
    }
    if (b->is_callers) /* the caller brings memory of his own */
        opencl_lane_empty(c.lane);
    opencl_lane_return(c.lane);
    return status;
}
