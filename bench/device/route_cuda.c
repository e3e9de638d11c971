// SPDX-License-Identifier: BSD-3-Clause
/* The route of sluice_cuda.h: on a device of NVIDIA's driver, in its primary context, which cuFFT
 * uses too. */
#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "api/sluice_cuda.h"
#include "bench/device/bench_device.h"
#include "bench/device/bench_units.h"
#include "bench/peers/peer_device.h"
#include "bench/peers/peer_symbol.h"

typedef unsigned long long address;

typedef struct driver_api {
    int (*init)(unsigned flags);
    int (*count)(int *out);
    int (*name)(char *out, int length, int device);
    int (*retain)(void **context, int device);
    int (*release)(int device);
    int (*push)(void *context);
    int (*pop)(void **context);
    int (*alloc)(address *out, size_t bytes);
    int (*free)(address at);
    int (*write)(address to, const void *from, size_t bytes, void *stream);
    int (*read)(void *to, address from, size_t bytes, void *stream);
    int (*copy)(address to, address from, size_t bytes, void *stream);
    int (*make_stream)(void **out, unsigned flags);
    int (*drop_stream)(void *stream);
    int (*finish)(void *stream);
} driver_api;

static const peer_symbol symbols[] = {
    {"Init", offsetof(driver_api, init)},
    {"DeviceGetCount", offsetof(driver_api, count)},
    {"DeviceGetName", offsetof(driver_api, name)},
    {"DevicePrimaryCtxRetain", offsetof(driver_api, retain)},
    {"DevicePrimaryCtxRelease_v2", offsetof(driver_api, release)},
    {"CtxPushCurrent_v2", offsetof(driver_api, push)},
    {"CtxPopCurrent_v2", offsetof(driver_api, pop)},
    {"MemAlloc_v2", offsetof(driver_api, alloc)},
    {"MemFree_v2", offsetof(driver_api, free)},
    {"MemcpyHtoDAsync_v2", offsetof(driver_api, write)},
    {"MemcpyDtoHAsync_v2", offsetof(driver_api, read)},
    {"MemcpyDtoDAsync_v2", offsetof(driver_api, copy)},
    {"StreamCreate", offsetof(driver_api, make_stream)},
    {"StreamDestroy_v2", offsetof(driver_api, drop_stream)},
    {"StreamSynchronize", offsetof(driver_api, finish)},
    {NULL, 0},
};

static driver_api cu;

/* The open device and its objects, until the last machine closes. */
static struct {
    int device;
    void *stream; /* NULL: nothing is open */
    bench_work work;
} here;

/* ---- memory */

static void *make_work(size_t bytes)
{
    address at = 0;
    return cu.alloc(&at, bytes) == 0 ? (void *)(uintptr_t)at : NULL;
}

static void release_work(void *block)
{
    cu.free((uintptr_t)block);
}

static void *make_block(void *host, size_t bytes)
{
    (void)host;
    return make_work(bytes);
}

static void release_block(void *block, void *host)
{
    (void)host;
    release_work(block);
}

static bool wait_for_device(void)
{
    return cu.finish(here.stream) == 0;
}

static bool write_block(void *block, void *host, size_t bytes)
{
    return cu.write((uintptr_t)block, host, bytes, here.stream) == 0 && wait_for_device();
}

static bool read_block(void *host, void *block, size_t bytes)
{
    return cu.read(host, (uintptr_t)block, bytes, here.stream) == 0 && wait_for_device();
}

static bool copy_block(void *to, void *from, size_t bytes)
{
    return cu.copy((uintptr_t)to, (uintptr_t)from, bytes, here.stream) == 0;
}

static const bench_memory *memory(void)
{
    static const bench_memory own = {.data = "device",
                                     .make = make_block,
                                     .release = release_block,
                                     .write = write_block,
                                     .read = read_block,
                                     .copy = copy_block,
                                     .wait = wait_for_device};
    return &own;
}

/* ---- the device */

static bool load_driver(sluice_diag *why)
{
    static const char *const names[] = {"libcuda.so.1", NULL};
    char file[PATH_MAX];
    if (cu.init)
        return true;
    void *library = peer_library("SLUICE_CUDA_DRIVER", names, file, sizeof file);
    if (library && peer_symbols(&cu, library, "cu%s", symbols) && cu.init(0) == 0)
        return true;
    peer_refuse(why, "NVIDIA's driver is not to be had: %.180s",
                library ? "it does not begin" : dlerror());
    cu.init = NULL;
    return false;
}

/* Finds a device by its number, which without the word `cuda` counts OpenCL's devices first, or by
 * its name; -1: there is none. */
static int find_device(const bench_units *units)
{
    const int before = units->cuda ? 0 : peer_device_count();
    int count = 0;
    if (cu.count(&count) != 0)
        return -1;
    for (int i = 0; i < count; i++) {
        char name[128] = "";
        if (cu.name(name, sizeof name, i) == 0 && bench_units_mean(units, before + i, name))
            return i;
    }
    return -1;
}

/* The device's primary context stays the thread's. */
static bool enter_device(int device)
{
    void *context = NULL;
    if (cu.retain(&context, device) != 0)
        return false;
    if (cu.push(context) == 0 && cu.make_stream(&here.stream, 1) == 0) {
        here.device = device;
        return true;
    }
    cu.release(device);
    return false;
}

static bool suits(const char *text)
{
    bench_units units;
    return bench_units_read(&units, text) && units.alone;
}

static sluice_status open_machine(sluice_machine **out, const peer_settings *s, const char *text,
                                  sluice_diag *why)
{
    bench_units units;
    const sluice_machine_options options = {.units = units.settings};
    (void)s;
    bench_units_read(&units, text);
    if (!load_driver(why))
        return SLUICE_E_UNSUPPORTED;
    const int device = find_device(&units);
    if (device < 0 || (here.stream && device != here.device)
        || (!here.stream && !enter_device(device))) {
        peer_refuse(why, "NVIDIA's driver has no %.100s, or not another one at a time", text);
        return SLUICE_E_UNSUPPORTED;
    }
    return sluice_cuda_machine_open(out, device, NULL, &options, why);
}

static void close_route(void)
{
    void *context = NULL;
    if (here.work.block)
        release_work(here.work.block);
    if (here.stream) {
        cu.drop_stream(here.stream);
        cu.pop(&context);
        cu.release(here.device);
    }
    memset(&here, 0, sizeof here);
}

/* ---- executions */

static sluice_status prepare(const sluice_plan *plan, sluice_diag *why)
{
    static const sluice_cuda_execution nothing;
    if (sluice_cuda_enqueue(plan, &nothing, why) == SLUICE_E_UNSUPPORTED)
        return SLUICE_E_UNSUPPORTED; /* regardless of memory */
    why->message[0] = 0;
    return bench_work_reserve(&here.work, sluice_cuda_work_bytes(plan), make_work, release_work,
                              why);
}

static void *array_of(void *at, const void *block, const void *array)
{
    return array ? (char *)at + ((const char *)array - (const char *)block) : NULL;
}

static bool run(const sluice_plan *plan, const bench_mirror *m, const bench_data *d, size_t reps)
{
    const bool works = sluice_cuda_work_bytes(plan) > 0;
    bool good = true;
    for (size_t i = 0; i < reps && good; i++) {
        void *in = bench_mirror_in(m, i), *out = bench_mirror_out(m, i);
        const sluice_cuda_execution x = {.stream = here.stream,
                                         .in = array_of(in, d->in_block, d->in),
                                         .in_im = array_of(in, d->in_block, d->in_im),
                                         .out = array_of(out, d->out_block, d->out),
                                         .out_im = array_of(out, d->out_block, d->out_im),
                                         .work = works ? here.work.block : NULL};
        good = sluice_cuda_enqueue(plan, &x, NULL) == SLUICE_OK;
    }
    return wait_for_device() && good;
}

const bench_route bench_route_cuda = {
    .name = "CUDA",
    .suits = suits,
    .open = open_machine,
    .close = close_route,
    .memory = memory,
    .prepare = prepare,
    .run = run,
};
