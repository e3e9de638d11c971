// SPDX-License-Identifier: BSD-3-Clause
#include "bench/peers/peer_device.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/device/bench_units.h"
#include "bench/peers/peer_loop.h"
#include "bench/peers/peer_symbol.h"

/* The part of OpenCL that is used; handles are pointers, constants as in CL/cl.h. */
enum {
    CL_SUCCESS = 0,
    CL_DEVICE_VENDOR_ID = 0x1001,
    CL_DEVICE_NAME = 0x102B,
    CL_DEVICE_HOST_UNIFIED_MEMORY = 0x1035
};
enum { MAX_DEVICES = 32 };
static const uint64_t any_device = 0xFFFFFFFF, read_write = 1, use_host_memory = 8, map_both = 3;
static const uint64_t without_order = 1;
/* In a chain of calls, flush after every FLUSH_EACH calls starts the device, and finish after every
 * FINISH_EACH bounds the number in flight. */
enum { FLUSH_EACH = 32, FINISH_EACH = 1024 };

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
    int (*write)(void *queue, void *buffer, unsigned blocking, size_t offset, size_t bytes,
                 const void *from, unsigned events, void *const *list, void **event);
    int (*read)(void *queue, void *buffer, unsigned blocking, size_t offset, size_t bytes, void *to,
                unsigned events, void *const *list, void **event);
    int (*copy)(void *queue, void *from, void *to, size_t from_offset, size_t to_offset,
                size_t bytes, unsigned events, void *const *list, void **event);
    int (*flush)(void *queue);
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
    {"clEnqueueWriteBuffer", offsetof(opencl_api, write)},
    {"clEnqueueReadBuffer", offsetof(opencl_api, read)},
    {"clEnqueueCopyBuffer", offsetof(opencl_api, copy)},
    {"clFlush", offsetof(opencl_api, flush)},
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

/* ---- memory */

static size_t enqueued; /* copies enqueued */

/* Called after command i of a chain. */
static bool keep_going(void *queue, size_t i)
{
    if (i % FINISH_EACH == FINISH_EACH - 1)
        return cl.finish(queue) == CL_SUCCESS;
    return i % FLUSH_EACH != 0 || cl.flush(queue) == CL_SUCCESS;
}

static void *make_own(void *host, size_t bytes)
{
    int error = CL_SUCCESS;
    (void)host;
    return cl.make_buffer(the_device.context, read_write, bytes, NULL, &error);
}

static void release_own(void *block, void *host)
{
    (void)host;
    cl.release_buffer(block);
}

static bool write_own(void *block, void *host, size_t bytes)
{
    return cl.write(the_device.queue, block, 1, 0, bytes, host, 0, NULL, NULL) == CL_SUCCESS;
}

static bool read_own(void *host, void *block, size_t bytes)
{
    return cl.read(the_device.queue, block, 1, 0, bytes, host, 0, NULL, NULL) == CL_SUCCESS;
}

static bool copy_own(void *to, void *from, size_t bytes)
{
    return cl.copy(the_device.queue, from, to, 0, 0, bytes, 0, NULL, NULL) == CL_SUCCESS
           && keep_going(the_device.queue, enqueued++);
}

/* Maps a block once everything before is done; then it belongs to the host. */
static bool take_shared(void *host, void *block, size_t bytes)
{
    int error = CL_SUCCESS;
    (void)host; /* a map of the whole buffer begins there */
    cl.map(the_device.queue, block, 1, map_both, 0, bytes, 0, NULL, NULL, &error);
    return error == CL_SUCCESS;
}

static bool give_shared(void *block, void *host, size_t bytes)
{
    (void)bytes;
    return cl.unmap(the_device.queue, block, host, 0, NULL, NULL) == CL_SUCCESS;
}

static void release_shared(void *block, void *host)
{
    give_shared(block, host, 0);
    cl.finish(the_device.queue);
    cl.release_buffer(block);
}

static void *make_shared(void *host, size_t bytes)
{
    int error = CL_SUCCESS;
    void *block =
        cl.make_buffer(the_device.context, read_write | use_host_memory, bytes, host, &error);
    if (!block || take_shared(host, block, bytes))
        return block;
    cl.release_buffer(block);
    return NULL;
}

static bool wait_for_device(void)
{
    return cl.finish(the_device.queue) == CL_SUCCESS;
}

static const bench_memory own_memory = {.make = make_own,
                                        .release = release_own,
                                        .write = write_own,
                                        .read = read_own,
                                        .copy = copy_own,
                                        .wait = wait_for_device};
static const bench_memory shared_memory = {.is_shared = true,
                                           .make = make_shared,
                                           .release = release_shared,
                                           .write = give_shared,
                                           .read = take_shared,
                                           .wait = wait_for_device};
static bench_memory the_memory; /* of the open device */

const bench_memory *peer_device_memory(void)
{
    return &the_memory;
}

void *peer_device_buffer(size_t bytes)
{
    return make_own(NULL, bytes);
}

void peer_device_release(void *buffer)
{
    release_own(buffer, NULL);
}

/* ---- the device */

/* The devices of all platforms, in order. */
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

static bool is_nvidia(void *device)
{
    enum { NVIDIA = 0x10de }; /* by PCI-SIG */
    unsigned vendor = 0;
    cl.device_info(device, CL_DEVICE_VENDOR_ID, sizeof vendor, &vendor, NULL);
    return vendor == NVIDIA;
}

/* For units of NVIDIA's driver, which counts only its own devices, finds the same device. False:
 * there is none. */
static bool find_device(peer_device *d, const bench_units *units)
{
    void *devices[MAX_DEVICES];
    const int count = (int)list_devices(devices);
    for (int i = 0, other = 0; i < count; i++) {
        if (units->cuda && !is_nvidia(devices[i])) {
            other++;
            continue;
        }
        memset(d->name, 0, sizeof d->name);
        cl.device_info(devices[i], CL_DEVICE_NAME, sizeof d->name - 1, d->name, NULL);
        d->device = devices[i];
        d->number = i - other;
        if (bench_units_mean(units, d->number, d->name))
            return true;
    }
    return false;
}

static bool is_meant(const peer_device *d, const bench_units *units)
{
    return bench_units_mean(units, d->number, d->name)
           && (d->shares || !d->unified || units->copies);
}

int peer_device_count(void)
{
    void *devices[MAX_DEVICES];
    sluice_diag why;
    return load_opencl(&why) ? (int)list_devices(devices) : 0;
}

/* Stores the properties of the device, and its memory. */
static void describe_device(peer_device *d, const bench_units *units, bool on_device)
{
    unsigned unified = 0;
    cl.device_info(d->device, CL_DEVICE_HOST_UNIFIED_MEMORY, sizeof unified, &unified, NULL);
    d->unified = unified != 0;
    d->shares = d->unified && !units->copies;
    the_memory = d->shares ? shared_memory : own_memory;
    the_memory.data = on_device || !d->shares ? "device" : "host";
}

const peer_device *peer_device_open(const peer_settings *settings, sluice_diag *why)
{
    peer_device *d = &the_device;
    bench_units units;
    int error = CL_SUCCESS;
    bench_units_read(&units, settings->units);
    if (d->queue && is_meant(d, &units))
        return d;
    if (d->queue) {
        peer_refuse(why, "another device is open, %.100s", d->name);
        return NULL;
    }
    if (!load_opencl(why))
        return NULL;
    if (!find_device(d, &units)) {
        peer_refuse(why, "there is no OpenCL device %.100s",
                    settings->units ? settings->units : "");
        return NULL;
    }
    describe_device(d, &units, settings->on_device);
    d->context = cl.make_context(NULL, 1, &d->device, NULL, NULL, &error);
    d->queue = d->context ? cl.make_queue(d->context, d->device, 0, &error) : NULL;
    if (d->queue && d->shares && settings->without_order)
        d->loose = cl.make_queue(d->context, d->device, without_order, &error);
    if (!d->queue)
        peer_refuse(why, "%.100s gives no queue: %d", d->name, error);
    return d->queue ? d : NULL;
}

/* ---- computations */

bool peer_device_run(const bench_mirror *m, size_t reps, peer_order order, peer_enqueue *enqueue,
                     void *plan)
{
    void *queue = order == PEER_LOOSE ? the_device.loose : the_device.queue;
    bool good = queue == the_device.queue || cl.finish(the_device.queue) == CL_SUCCESS;
    for (size_t i = 0; i < reps && good; i++) {
        good = enqueue(plan, bench_mirror_in(m, i), bench_mirror_out(m, i))
               && (order == PEER_WAITED ? cl.finish(queue) == CL_SUCCESS : keep_going(queue, i));
    }
    return cl.finish(queue) == CL_SUCCESS && good;
}

bool peer_device_first(const bench_data *d, peer_enqueue *enqueue, void *plan)
{
    const bench_mirror *m = bench_mirror_put(d, &the_memory);
    const bool good = m && peer_device_run(m, 1, PEER_CHAINED, enqueue, plan);
    return bench_mirror_back(d, &the_memory, false) && good;
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
