// SPDX-License-Identifier: BSD-3-Clause
#include "bench/peers/peer_device.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/peers/peer_loop.h"
#include "bench/peers/peer_symbol.h"

/* What is used of OpenCL; handles are pointers, and as in CL/cl.h: */
enum { CL_SUCCESS = 0, CL_DEVICE_NAME = 0x102B, MAX_DEVICES = 32 };
static const uint64_t any_device = 0xFFFFFFFF, read_write = 1, use_host_memory = 8, map_both = 3;

typedef struct opencl_api {
    int (*platforms)(unsigned entries, void **out, unsigned *found);
    int (*devices)(void *platform, uint64_t type, unsigned entries, void **out, unsigned *found);
    int (*device_info)(void *device, unsigned name, size_t size, void *value, size_t *size_ret);
    void *(*make_context)(const intptr_t *properties, unsigned devices, void *const *device,
                          void *notify, void *user, int *error);
    void *(*make_queue)(void *context, void *device, uint64_t properties, int *error);
    void *(*make_buffer)(void *context, uint64_t flags, size_t bytes, void *host, int *error);
    int (*release_buffer)(void *buffer);
    void *(*map)(void *queue, void *buffer, unsigned blocking, uint64_t flags, size_t offset,
                 size_t bytes, unsigned events, void *const *list, void **event, int *error);
    int (*unmap)(void *queue, void *buffer, void *mapped, unsigned events, void *const *list,
                 void **event);
    int (*finish)(void *queue);
} opencl_api;

static const peer_symbol opencl_symbols[] = {
    {"clGetPlatformIDs", offsetof(opencl_api, platforms)},
    {"clGetDeviceIDs", offsetof(opencl_api, devices)},
    {"clGetDeviceInfo", offsetof(opencl_api, device_info)},
    {"clCreateContext", offsetof(opencl_api, make_context)},
    {"clCreateCommandQueue", offsetof(opencl_api, make_queue)},
    {"clCreateBuffer", offsetof(opencl_api, make_buffer)},
    {"clReleaseMemObject", offsetof(opencl_api, release_buffer)},
    {"clEnqueueMapBuffer", offsetof(opencl_api, map)},
    {"clEnqueueUnmapMemObject", offsetof(opencl_api, unmap)},
    {"clFinish", offsetof(opencl_api, finish)},
    {NULL, 0},
};

static opencl_api cl;
static peer_device the_device; /* until the process ends */

static bool load_opencl(sluice_diag *why)
{
    static const char *const names[] = {"libOpenCL.so.1", NULL};
    char file[PATH_MAX];
    void *library = peer_library("SLUICE_PEER_OPENCL", names, file, sizeof file);
    if (library && peer_symbols(&cl, library, "%s", opencl_symbols))
        return true;
    peer_refuse(why, "%.239s", library ? "libOpenCL lacks functions" : dlerror());
    return false;
}

/* All platforms' devices, in their order. */
static unsigned list_devices(void *devices[MAX_DEVICES])
{
    void *platform[MAX_DEVICES];
    unsigned platforms = 0, count = 0;
    if (cl.platforms(MAX_DEVICES, platform, &platforms) != CL_SUCCESS)
        return 0;
    for (unsigned p = 0; p < platforms && p < MAX_DEVICES && count < MAX_DEVICES; p++) {
        unsigned found = 0;
        if (cl.devices(platform[p], any_device, MAX_DEVICES - count, devices + count, &found)
            == CL_SUCCESS)
            count += found < MAX_DEVICES - count ? found : MAX_DEVICES - count;
    }
    return count;
}

/* The number in "cpu:2,opencl:1", 0 where there is none. */
static unsigned wanted_device(const char *units)
{
    static const char word[] = "opencl:";
    const char *found = units ? strstr(units, word) : NULL;
    return found ? (unsigned)strtoul(found + sizeof word - 1, NULL, 10) : 0;
}

const peer_device *peer_device_open(const peer_settings *settings, sluice_diag *why)
{
    void *devices[MAX_DEVICES];
    peer_device *d = &the_device;
    const unsigned wanted = wanted_device(settings->units);
    int error = CL_SUCCESS;
    if (d->queue)
        return d;
    if (!load_opencl(why))
        return NULL;
    if (wanted >= list_devices(devices)) {
        peer_refuse(why, "there is no OpenCL device %u", wanted);
        return NULL;
    }
    d->device = devices[wanted];
    cl.device_info(d->device, CL_DEVICE_NAME, sizeof d->name - 1, d->name, NULL);
    d->context = cl.make_context(NULL, 1, &d->device, NULL, NULL, &error);
    d->queue = d->context ? cl.make_queue(d->context, d->device, 0, &error) : NULL;
    if (!d->queue)
        peer_refuse(why, "%.100s gives no queue: %d", d->name, error);
    return d->queue ? d : NULL;
}

/* ---- buffers */

void peer_buffers_free(peer_buffers *b)
{
    void *const buffer[] = {b->in, b->out == b->in ? NULL : b->out};
    void *const mapped[] = {b->in_mapped, b->out_mapped};
    for (int i = 0; i < 2; i++) {
        if (buffer[i] && mapped[i])
            cl.unmap(the_device.queue, buffer[i], mapped[i], 0, NULL, NULL);
        if (the_device.queue)
            cl.finish(the_device.queue);
        if (buffer[i])
            cl.release_buffer(buffer[i]);
    }
    memset(b, 0, sizeof *b);
}

/* Gives the arrays back to the host, when all before is done. */
static bool map_buffers(peer_buffers *b, const bench_data *d)
{
    int error = CL_SUCCESS;
    b->in_mapped =
        cl.map(the_device.queue, b->in, 1, map_both, 0, d->in_bytes, 0, NULL, NULL, &error);
    if (error == CL_SUCCESS && b->out != b->in)
        b->out_mapped =
            cl.map(the_device.queue, b->out, 1, map_both, 0, d->out_bytes, 0, NULL, NULL, &error);
    return error == CL_SUCCESS;
}

static bool make_buffers(peer_buffers *b, const bench_data *d)
{
    int error = CL_SUCCESS;
    peer_buffers_free(b);
    const uint64_t flags = read_write | use_host_memory;
    b->in_host = d->in_block;
    b->out_host = d->out_block;
    b->in = cl.make_buffer(the_device.context, flags, d->in_bytes, d->in_block, &error);
    b->out = d->out_block == d->in_block || !b->in
                 ? b->in
                 : cl.make_buffer(the_device.context, flags, d->out_bytes, d->out_block, &error);
    return error == CL_SUCCESS && map_buffers(b, d);
}

static bool unmap_buffers(peer_buffers *b)
{
    int error = cl.unmap(the_device.queue, b->in, b->in_mapped, 0, NULL, NULL);
    b->in_mapped = NULL;
    if (b->out == b->in)
        return error == CL_SUCCESS;
    error |= cl.unmap(the_device.queue, b->out, b->out_mapped, 0, NULL, NULL);
    b->out_mapped = NULL;
    return error == CL_SUCCESS;
}

bool peer_device_run(peer_buffers *b, const bench_data *d, size_t reps, bool waits,
                     peer_enqueue *enqueue, void *plan)
{
    bool good = (b->in_host == d->in_block && b->out_host == d->out_block) || make_buffers(b, d);
    good = good && unmap_buffers(b);
    for (size_t i = 0; i < reps && good; i++) {
        good = enqueue(plan, b->in, b->out);
        if (waits)
            good = cl.finish(the_device.queue) == CL_SUCCESS && good;
    }
    return good && map_buffers(b, d);
}

bool peer_device_fits(const bench_shape *s, sluice_diag *why)
{
    const peer_loop loop = peer_loop_of(s);
    const size_t bytes = s->points * 2 * s->scalar;
    if (!peer_loop_fits(s, 1, (peer_limits){3, false}, why))
        return false;
    if (loop.count > 1 && ((size_t)loop.in_step != bytes || (size_t)loop.out_step != bytes)) {
        peer_refuse(why, "it is timed without strides");
        return false;
    }
    return true;
}
