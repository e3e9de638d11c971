// SPDX-License-Identifier: BSD-3-Clause
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "backends/group_unit.h"
#include "backends/opencl/cuda_objects.h"
#include "core/mem.h"

static const cuda_calls *driver;

const cuda_calls *cuda(void)
{
    return driver;
}

cl_int cuda_code(int result)
{
    return result == CUDA_OK          ? CL_SUCCESS
           : result == CUDA_NO_MEMORY ? CL_MEM_OBJECT_ALLOCATION_FAILURE
                                      : CUDA_CODES - result;
}

cl_int cuda_enter(cl_context context)
{
    return cuda_code(driver->context_push(context->handle));
}

cl_int cuda_leave(int result)
{
    cuda_context was;

    (void)driver->context_pop(&was);
    return cuda_code(result);
}

static int number_of(cl_device_id device)
{
    return (int)(uintptr_t)device - 1;
}

/* ---- devices ---- */

static cl_int CL_API_CALL get_platforms(cl_uint room, cl_platform_id *out, cl_uint *count)
{
    (void)room;
    *out = NULL;
    *count = 1;
    return CL_SUCCESS;
}

static cl_int CL_API_CALL get_devices(cl_platform_id platform, cl_device_type type, cl_uint room,
                                      cl_device_id *out, cl_uint *count)
{
    int all = 0;
    const int result = driver->device_count(&all);

    (void)platform, (void)type;
    *count = (cl_uint)all;
    for (cl_uint i = 0; i < room && i < *count; i++)
        out[i] = (cl_device_id)(uintptr_t)(i + 1);
    return cuda_code(result);
}

static int attribute(int device, cuda_attribute what)
{
    int value = 0;

    (void)driver->device_attribute(&value, what, device);
    return value;
}

/* A text that describes the device; false: `what` is not a text. */
static bool device_text(int device, cl_device_info what, char *out, size_t size)
{
    int version = 0;

    if (what == CL_DEVICE_NAME)
        return driver->device_name(out, (int)size, device) == CUDA_OK;
    if (what == CL_DRIVER_VERSION) {
        (void)driver->driver_version(&version);
        snprintf(out, size, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    } else if (what == CL_DEVICE_VERSION) {
        snprintf(out, size, "sm_%d%d, text %08x", attribute(device, CUDA_MAJOR),
                 attribute(device, CUDA_MINOR), (unsigned)cuda_text_hash());
    }
    return what == CL_DRIVER_VERSION || what == CL_DEVICE_VERSION;
}

static cl_ulong memory_of(int device)
{
    size_t bytes = 0;

    (void)driver->device_memory(&bytes, device);
    return bytes;
}

/* The most shared memory that a block may ask for; else what it has without asking. */
static cl_ulong most_shared_memory(int device)
{
    const int most = attribute(device, CUDA_MOST_SHARED_MEMORY);

    return (cl_ulong)(most > 0 ? most : attribute(device, CUDA_SHARED_MEMORY));
}

static cl_ulong device_number(int device, cl_device_info what)
{
    switch (what) {
    case CL_DEVICE_TYPE: return CL_DEVICE_TYPE_GPU;
    case CL_DEVICE_DOUBLE_FP_CONFIG: return CL_FP_FMA | CL_FP_DENORM;
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT: return 1;
    case CL_DEVICE_MAX_COMPUTE_UNITS: return (cl_ulong)attribute(device, CUDA_MULTIPROCESSORS);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE: return (cl_ulong)attribute(device, CUDA_LARGEST_BLOCK);
    case CL_DEVICE_LOCAL_MEM_SIZE: return most_shared_memory(device);
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: return (cl_ulong)attribute(device, CUDA_LEVEL2);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE: return memory_of(device);
    default: return 0; /* no memory shared with the host, queues in order */
    }
}

static cl_int CL_API_CALL get_device_info(cl_device_id device, cl_device_info what, size_t size,
                                          void *out, size_t *length)
{
    const int number = number_of(device);
    const cl_ulong value = device_number(number, what);
    const cl_uint narrow = (cl_uint)value;

    if (what == CL_DEVICE_EXTENSIONS)
        return CL_INVALID_VALUE;
    if (length)
        *length = size;
    if (!device_text(number, what, out, size))
        memcpy(out, size == sizeof narrow ? (const void *)&narrow : &value,
               size < sizeof value ? size : sizeof value);
    return CL_SUCCESS;
}

static void describe_unit(cl_device_id device, opencl_unit_memory *out)
{
    const int number = number_of(device);

    out->bytes = (size_t)attribute(number, CUDA_UNIT_SHARED_MEMORY);
    out->own = (size_t)attribute(number, CUDA_RESERVED_SHARED_MEMORY);
    out->cache =
        group_unit_memory_of(attribute(number, CUDA_MAJOR), attribute(number, CUDA_MINOR)).all
        << 10;
}

/* Devices cannot be partitioned. */
static cl_int CL_API_CALL create_part(cl_device_id device, const cl_device_partition_property *by,
                                      cl_uint room, cl_device_id *out, cl_uint *count)
{
    (void)device, (void)by, (void)room, (void)out, (void)count;
    return CL_DEVICE_PARTITION_FAILED;
}

/* ---- contexts and queues ---- */

/* Is a caller's context one of its device? */
static cl_int check_context(cl_context context)
{
    int device = -1;
    cl_int code = cuda_enter(context);

    if (code == CL_SUCCESS)
        code = cuda_leave(driver->context_device(&device));
    return code == CL_SUCCESS && device != context->device ? CL_INVALID_CONTEXT : code;
}

cl_context cuda_context_of(int device, void *handle, cl_int *code)
{
    cl_context context = core_calloc(1, sizeof *context);

    *code = CL_OUT_OF_HOST_MEMORY;
    if (!context)
        return NULL;
    *context = (struct _cl_context){.handle = handle, .device = device, .is_callers = handle};
    *code = handle ? check_context(context)
                   : cuda_code(driver->context_retain(&context->handle, device));
    if (*code == CL_SUCCESS)
        return context;
    core_free(context);
    return NULL;
}

static cl_context CL_API_CALL create_context(
    const cl_context_properties *properties, cl_uint count, const cl_device_id *device,
    void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *data, cl_int *code)
{
    (void)properties, (void)count, (void)notify, (void)data;
    return cuda_context_of(number_of(*device), NULL, code);
}

static cl_int CL_API_CALL release_context(cl_context context)
{
    const int result = context->is_callers ? CUDA_OK : driver->context_release(context->device);

    core_free(context);
    return cuda_code(result);
}

static cl_command_queue CL_API_CALL create_queue(cl_context context, cl_device_id device,
                                                 cl_command_queue_properties properties,
                                                 cl_int *code)
{
    cl_command_queue queue = core_calloc(1, sizeof *queue);

    (void)device;
    *code = queue ? cuda_enter(context) : CL_OUT_OF_HOST_MEMORY;
    if (*code == CL_SUCCESS) {
        queue->context = context;
        queue->profiles = properties & CL_QUEUE_PROFILING_ENABLE;
        *code = cuda_leave(driver->stream_create(&queue->stream, CUDA_NON_BLOCKING));
    }
    if (*code == CL_SUCCESS)
        return queue;
    core_free(queue);
    return NULL;
}

static cl_int CL_API_CALL release_queue(cl_command_queue queue)
{
    cl_int code = cuda_enter(queue->context);

    if (code == CL_SUCCESS)
        code = cuda_leave(driver->stream_destroy(queue->stream));
    core_free(queue);
    return code;
}

/* A caller's OpenCL queue never belongs to this driver. */
static cl_int CL_API_CALL get_queue_info(cl_command_queue queue, cl_command_queue_info what,
                                         size_t size, void *out, size_t *length)
{
    (void)queue, (void)what, (void)size, (void)out, (void)length;
    return CL_INVALID_COMMAND_QUEUE;
}

void cuda_fill_devices(opencl_calls *table)
{
    table->clGetPlatformIDs = get_platforms;
    table->clGetDeviceIDs = get_devices;
    table->clGetDeviceInfo = get_device_info;
    table->clCreateSubDevices = create_part;
    table->clCreateContext = create_context;
    table->clReleaseContext = release_context;
    table->clCreateCommandQueue = create_queue;
    table->clReleaseCommandQueue = release_queue;
    table->clGetCommandQueueInfo = get_queue_info;
    table->describe_unit = describe_unit;
}

/* ---- the table ---- */

static opencl_calls table;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fill_table(void)
{
    (void)cuda_driver_open(&driver, NULL);
    cuda_fill_devices(&table);
    cuda_fill_kernels(&table);
    cuda_fill_commands(&table);
}

sluice_status cuda_calls_open(const opencl_calls **out, sluice_diag *why)
{
    const cuda_calls *found;
    const sluice_status status = cuda_driver_open(&found, why);

    if (status == SLUICE_OK)
        pthread_once(&once, fill_table);
    *out = &table;
    return status;
}
