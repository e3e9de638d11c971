// SPDX-License-Identifier: BSD-3-Clause
/* The route of sluice_opencl.h: on the device of the OpenCL peers, in their context, queue and
 * buffers. */
#include "api/sluice_opencl.h"
#include "bench/device/bench_device.h"
#include "bench/device/bench_units.h"
#include "bench/peers/peer_device.h"

static const peer_device *device;

static bench_work work;

static bool suits(const char *text)
{
    bench_units units;
    return bench_units_read(&units, text) && units.alone && !units.cuda;
}

static sluice_status open_machine(sluice_machine **out, const peer_settings *s, const char *text,
                                  sluice_diag *why)
{
    bench_units units;
    const sluice_machine_options options = {.units = units.settings};
    const peer_device *found = peer_device_open(s, why);
    if (!found)
        return SLUICE_E_UNSUPPORTED;
    device = found;
    bench_units_read(&units, text);
    return sluice_opencl_machine_open(out, device->context, device->device, &options, why);
}

static void close_route(void)
{
    if (work.block)
        peer_device_release(work.block);
    work = (bench_work){NULL, 0};
}

static sluice_status prepare(const sluice_plan *plan, sluice_diag *why)
{
    static const sluice_opencl_execution nothing;
    if (sluice_opencl_enqueue(plan, &nothing, why) == SLUICE_E_UNSUPPORTED)
        return SLUICE_E_UNSUPPORTED; /* regardless of objects */
    why->message[0] = 0;
    return bench_work_reserve(&work, sluice_opencl_work_bytes(plan), peer_device_buffer,
                              peer_device_release, why);
}

static sluice_opencl_array array_of(void *buffer, const void *block, const void *array)
{
    return array ? (sluice_opencl_array){.buffer = buffer,
                                         .offset =
                                             (size_t)((const char *)array - (const char *)block)}
                 : (sluice_opencl_array){.buffer = NULL};
}

typedef struct calls {
    const sluice_plan *plan;
    const bench_data *data;
    size_t work_bytes;
    void *queue;
} calls;

static bool enqueue(void *user, void *in, void *out)
{
    const calls *c = user;
    const bench_data *d = c->data;
    sluice_opencl_execution x = {.queue = c->queue,
                                 .in = array_of(in, d->in_block, d->in),
                                 .in_im = array_of(in, d->in_block, d->in_im),
                                 .out = array_of(out, d->out_block, d->out),
                                 .out_im = array_of(out, d->out_block, d->out_im)};
    if (c->work_bytes > 0)
        x.work.buffer = work.block;
    return sluice_opencl_enqueue(c->plan, &x, NULL) == SLUICE_OK;
}

static bool run(const sluice_plan *plan, const bench_mirror *m, const bench_data *d, size_t reps)
{
    calls c = {.plan = plan, .data = d, .work_bytes = sluice_opencl_work_bytes(plan)};
    const bool loose = device->loose && c.work_bytes == 0 && m->out;
    c.queue = loose ? device->loose : device->queue;
    return peer_device_run(m, reps, loose ? PEER_LOOSE : PEER_CHAINED, enqueue, &c);
}

const bench_route bench_route_opencl = {
    .name = "OpenCL",
    .suits = suits,
    .open = open_machine,
    .close = close_route,
    .memory = peer_device_memory,
    .prepare = prepare,
    .run = run,
};
