// SPDX-License-Identifier: BSD-3-Clause
/* Devices of all platforms, numbered consecutively. */
#include <stdio.h>
#include <string.h>

#include "backends/group_unit.h"
#include "backends/opencl/cuda_objects.h"
#include "backends/opencl/opencl_state.h"
#include "core/mem.h"
#include "core/status.h"

enum { MOST_PLATFORMS = 32 };

/* Adds the devices of all platforms. A platform without devices is not an error. */
static sluice_status add_devices(const opencl_calls *cl, opencl_devices *out, sluice_diag *why)
{
    cl_platform_id platform[MOST_PLATFORMS];
    cl_uint platforms = 0;

    const cl_int code = cl->clGetPlatformIDs(MOST_PLATFORMS, platform, &platforms);
    if (code != CL_SUCCESS)
        return core_fail(why, SLUICE_E_UNSUPPORTED, 0,
                         "there is no OpenCL device: %s of clGetPlatformIDs",
                         opencl_error_name(code).text);
    for (cl_uint i = 0; i < platforms && i < MOST_PLATFORMS; i++) {
        cl_uint count = 0;
        const cl_uint room = (cl_uint)(OPENCL_DEVICES - out->count);
        if (room == 0
            || cl->clGetDeviceIDs(platform[i], CL_DEVICE_TYPE_ALL, room, out->device + out->count,
                                  &count)
                   != CL_SUCCESS)
            continue;
        for (cl_uint k = 0; k < count && k < room; k++)
            out->cl[out->count++] = cl;
    }
    return out->count > 0 ? SLUICE_OK
                          : core_fail(why, SLUICE_E_UNSUPPORTED, 0, "there is no OpenCL device");
}

static void get_text(const opencl_calls *cl, cl_device_id device, cl_device_info what, char *out,
                     size_t size)
{
    char text[1024] = "";

    if (cl->clGetDeviceInfo(device, what, sizeof text - 1, text, NULL) != CL_SUCCESS)
        text[0] = '\0';
    snprintf(out, size, "%.*s", (int)size - 1, text);
}

/* *out is 0 if the device does not report the number. */
static void get_number(const opencl_calls *cl, cl_device_id device, cl_device_info what, void *out,
                       size_t size)
{
    memset(out, 0, size);
    (void)cl->clGetDeviceInfo(device, what, size, out, NULL);
}

static bool has_extension(const opencl_calls *cl, cl_device_id device, const char *name)
{
    size_t length = 0;
    bool found = false;

    if (cl->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &length) != CL_SUCCESS)
        return false;
    char *text = core_calloc(length + 1, 1);
    if (text && cl->clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, length, text, NULL) == CL_SUCCESS)
        found = strstr(text, name) != NULL;
    core_free(text);
    return found;
}

/* Standard OpenCL does not report this; extensions and other drivers do. */
static opencl_unit_memory unit_memory(const opencl_calls *cl, cl_device_id device)
{
    enum { CAPABILITY_MAJOR = 0x4000, CAPABILITY_MINOR }; /* cl_nv_device_attribute_query */
    opencl_unit_memory out = {0};
    cl_uint major, minor;

    if (cl->describe_unit) {
        cl->describe_unit(device, &out);
    } else if (has_extension(cl, device, "cl_nv_device_attribute_query")) {
        get_number(cl, device, CAPABILITY_MAJOR, &major, sizeof major);
        get_number(cl, device, CAPABILITY_MINOR, &minor, sizeof minor);
        const group_unit_memory of = group_unit_memory_of((int)major, (int)minor);
        out.bytes = of.shared << 10;
        out.cache = of.all << 10;
        out.own = group_unit_shared_own((int)major);
    }
    return out;
}

static void describe_sizes(const opencl_calls *cl, cl_device_id device, opencl_about *a)
{
    get_number(cl, device, CL_DEVICE_MAX_COMPUTE_UNITS, &a->compute_units, sizeof a->compute_units);
    get_number(cl, device, CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, &a->vector_floats,
               sizeof a->vector_floats);
    get_number(cl, device, CL_DEVICE_MAX_WORK_GROUP_SIZE, &a->largest_group,
               sizeof a->largest_group);
    get_number(cl, device, CL_DEVICE_LOCAL_MEM_SIZE, &a->local_memory, sizeof a->local_memory);
    get_number(cl, device, CL_DEVICE_GLOBAL_MEM_SIZE, &a->memory, sizeof a->memory);
    get_number(cl, device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, &a->largest_buffer,
               sizeof a->largest_buffer);
    get_number(cl, device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, &a->cache, sizeof a->cache);
    a->unit_local = unit_memory(cl, device);
}

opencl_about opencl_describe(const opencl_calls *cl, cl_device_id device)
{
    opencl_about a;
    cl_device_type type;
    cl_device_fp_config doubles;
    cl_bool unified;
    cl_command_queue_properties queues;

    memset(&a, 0, sizeof a);
    get_text(cl, device, CL_DEVICE_NAME, a.name, sizeof a.name);
    get_text(cl, device, CL_DRIVER_VERSION, a.driver, sizeof a.driver);
    get_text(cl, device, CL_DEVICE_VERSION, a.version, sizeof a.version);
    get_number(cl, device, CL_DEVICE_TYPE, &type, sizeof type);
    get_number(cl, device, CL_DEVICE_HOST_UNIFIED_MEMORY, &unified, sizeof unified);
    get_number(cl, device, CL_DEVICE_DOUBLE_FP_CONFIG, &doubles, sizeof doubles);
    get_number(cl, device, CL_DEVICE_QUEUE_PROPERTIES, &queues, sizeof queues);
    a.is_cpu = type & CL_DEVICE_TYPE_CPU;
    a.shares_memory = unified;
    a.any_order = a.is_cpu && (queues & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    a.has_f64 = doubles != 0;
    a.has_f16 = has_extension(cl, device, "cl_khr_fp16");
    describe_sizes(cl, device, &a);
    return a;
}

static bool has_nvidia(const opencl_devices *all)
{
    enum { NVIDIA = 0x10de }; /* the vendor's number at PCI-SIG */
    cl_uint vendor = 0;

    for (int i = 0; i < all->count && vendor != NVIDIA; i++)
        get_number(all->cl[i], all->device[i], CL_DEVICE_VENDOR_ID, &vendor, sizeof vendor);
    return vendor == NVIDIA;
}

sluice_status opencl_devices_find(bool driver_alone, opencl_devices *out, sluice_diag *why)
{
    const opencl_calls *cl;
    sluice_status status = SLUICE_OK;

    out->count = 0;
    if (!driver_alone)
        status = opencl_calls_open(&cl, why);
    if (!driver_alone && status == SLUICE_OK)
        status = add_devices(cl, out, why);
    if (!has_nvidia(out)) {
        sluice_diag *const listen = driver_alone ? why : NULL; /* else why keeps OpenCL's words */
        sluice_status own = cuda_calls_open(&cl, listen);
        if (own == SLUICE_OK)
            own = add_devices(cl, out, listen);
        status = driver_alone || own == SLUICE_OK ? own : status;
    }
    return status;
}

void opencl_list_devices(core_text *units)
{
    opencl_devices all;

    if (opencl_devices_find(false, &all, NULL) != SLUICE_OK)
        return;
    for (int i = 0; i < all.count; i++)
        core_text_printf(units, "opencl:%d,", i);
}
