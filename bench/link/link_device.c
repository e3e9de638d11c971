// SPDX-License-Identifier: BSD-3-Clause
#include "bench/link/link_device.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bench/peers/peer_device.h"
#include "bench/peers/peer_symbol.h"

/* ---- OpenCL; handles are pointers, constants as in CL/cl.h ---- */

enum { CL_OK = 0 };
static const uint64_t read_write = 1, alloc_host = 16, map_both = 3;

typedef struct opencl_api {
    void *(*make_queue)(void *context, void *device, uint64_t properties, int *error);
    void *(*make_buffer)(void *context, uint64_t flags, size_t bytes, void *host, int *error);
    void *(*map)(void *queue, void *buffer, unsigned blocking, uint64_t flags, size_t offset,
                 size_t bytes, unsigned events, void *const *list, void **event, int *error);
    int (*write)(void *queue, void *buffer, unsigned blocking, size_t offset, size_t bytes,
                 const void *host, unsigned events, void *const *list, void **event);
    int (*read)(void *queue, void *buffer, unsigned blocking, size_t offset, size_t bytes,
                void *host, unsigned events, void *const *list, void **event);
    int (*finish)(void *queue);
} opencl_api;

static const peer_symbol opencl_symbols[] = {
    {"clCreateCommandQueue", offsetof(opencl_api, make_queue)},
    {"clCreateBuffer", offsetof(opencl_api, make_buffer)},
    {"clEnqueueMapBuffer", offsetof(opencl_api, map)},
    {"clEnqueueWriteBuffer", offsetof(opencl_api, write)},
    {"clEnqueueReadBuffer", offsetof(opencl_api, read)},
    {"clFinish", offsetof(opencl_api, finish)},
    {NULL, 0},
};

static opencl_api cl;
static const peer_device *cl_device;
static void *cl_queue[LINK_WAYS], *cl_buffer[LINK_WAYS];

static bool load(const char *variable, const char *name, void *api, const peer_symbol *symbols,
                 sluice_diag *why)
{
    const char *const names[] = {name, NULL};
    char file[PATH_MAX];
    void *library = peer_library(variable, names, file, sizeof file);

    if (library && peer_symbols(api, library, "%s", symbols))
        return true;
    peer_refuse(why, "%.239s", library ? "the driver lacks functions" : dlerror());
    return false;
}

static bool opencl_open(const char *units, size_t bytes, sluice_diag *why)
{
    const peer_settings settings = {.units = units};
    int error = CL_OK;

    cl_device = peer_device_open(&settings, why);
    if (!cl_device || !load("SLUICE_PEER_OPENCL", "libOpenCL.so.1", &cl, opencl_symbols, why))
        return false;
    for (int way = 0; way < LINK_WAYS && error == CL_OK; way++) {
        cl_queue[way] = cl.make_queue(cl_device->context, cl_device->device, 0, &error);
        if (error == CL_OK)
            cl_buffer[way] = cl.make_buffer(cl_device->context, read_write, bytes, NULL, &error);
    }
    if (error != CL_OK)
        peer_refuse(why, "%.100s gives no queue or no buffer: %d", cl_device->name, error);
    return error == CL_OK;
}

static void *opencl_pinned(size_t bytes)
{
    int error = CL_OK;
    void *buffer = cl.make_buffer(cl_device->context, read_write | alloc_host, bytes, NULL, &error);
    void *at = error == CL_OK
                   ? cl.map(cl_queue[0], buffer, 1, map_both, 0, bytes, 0, NULL, NULL, &error)
                   : NULL;

    return error == CL_OK ? at : NULL;
}

static bool opencl_enter(void)
{
    return true;
}

static bool opencl_enqueue(link_way way, void *host, size_t from, size_t bytes)
{
    char *at = (char *)host + from;

    return (way == LINK_GET
                ? cl.write(cl_queue[way], cl_buffer[way], 0, from, bytes, at, 0, NULL, NULL)
                : cl.read(cl_queue[way], cl_buffer[way], 0, from, bytes, at, 0, NULL, NULL))
           == CL_OK;
}

static bool opencl_wait(link_way way)
{
    return cl.finish(cl_queue[way]) == CL_OK;
}

static const link_driver opencl_driver = {"OpenCL",     opencl_open,    opencl_pinned,
                                          opencl_enter, opencl_enqueue, opencl_wait};

/* ---- NVIDIA's driver, as in cuda.h */

typedef unsigned long long cuda_address;

typedef struct cuda_api {
    int (*init)(unsigned flags);
    int (*context)(void **out, int device);
    int (*push)(void *context);
    int (*memory)(cuda_address *out, size_t bytes);
    int (*host_memory)(void **out, size_t bytes);
    int (*stream)(void **out, unsigned flags);
    int (*copy_to)(cuda_address to, const void *from, size_t bytes, void *stream);
    int (*copy_from)(void *to, cuda_address from, size_t bytes, void *stream);
    int (*finish)(void *stream);
} cuda_api;

static const peer_symbol cuda_symbols[] = {
    {"cuInit", offsetof(cuda_api, init)},
    {"cuDevicePrimaryCtxRetain", offsetof(cuda_api, context)},
    {"cuCtxPushCurrent_v2", offsetof(cuda_api, push)},
    {"cuMemAlloc_v2", offsetof(cuda_api, memory)},
    {"cuMemAllocHost_v2", offsetof(cuda_api, host_memory)},
    {"cuStreamCreate", offsetof(cuda_api, stream)},
    {"cuMemcpyHtoDAsync_v2", offsetof(cuda_api, copy_to)},
    {"cuMemcpyDtoHAsync_v2", offsetof(cuda_api, copy_from)},
    {"cuStreamSynchronize", offsetof(cuda_api, finish)},
    {NULL, 0},
};

static cuda_api cu;
static void *cu_context, *cu_stream[LINK_WAYS];
static cuda_address cu_buffer[LINK_WAYS];

static bool cuda_open(const char *units, size_t bytes, sluice_diag *why)
{
    static const unsigned non_blocking = 1;
    const char *number = strstr(units, "opencl:");
    const int device = number ? (int)strtol(number + strlen("opencl:"), NULL, 10) : 0;

    if (!load("SLUICE_CUDA_DRIVER", "libcuda.so.1", &cu, cuda_symbols, why))
        return false;
    int error = cu.init(0);
    if (!error)
        error = cu.context(&cu_context, device);
    if (!error)
        error = cu.push(cu_context);
    for (int way = 0; way < LINK_WAYS && !error; way++) {
        error = cu.stream(&cu_stream[way], non_blocking);
        if (!error)
            error = cu.memory(&cu_buffer[way], bytes);
    }
    if (error)
        peer_refuse(why, "NVIDIA's driver gives no stream or no memory: %d", error);
    return !error;
}

static void *cuda_pinned(size_t bytes)
{
    void *at = NULL;

    return cu.host_memory(&at, bytes) ? NULL : at;
}

static bool cuda_enter(void)
{
    return cu.push(cu_context) == 0;
}

static bool cuda_enqueue(link_way way, void *host, size_t from, size_t bytes)
{
    char *at = (char *)host + from;

    return (way == LINK_GET ? cu.copy_to(cu_buffer[way] + from, at, bytes, cu_stream[way])
                            : cu.copy_from(at, cu_buffer[way] + from, bytes, cu_stream[way]))
           == 0;
}

static bool cuda_wait(link_way way)
{
    return cu.finish(cu_stream[way]) == 0;
}

static const link_driver cuda_driver = {"CUDA",     cuda_open,    cuda_pinned,
                                        cuda_enter, cuda_enqueue, cuda_wait};

const link_driver *link_device_open(const char *units, size_t bytes, sluice_diag *why)
{
    const link_driver *d = strstr(units, "cuda") ? &cuda_driver : &opencl_driver;

    return d->open(units, bytes, why) ? d : NULL;
}
