// SPDX-License-Identifier: BSD-3-Clause
/* The functions of OpenCL that the layer stands before. The others go to the device directly. */
#include "tests/opencl_layer/opencl_layer_state.h"

#include <CL/cl_layer.h>
#include <stdlib.h>
#include <string.h>

#define NAME_OF(NAME, ...) #NAME,
#define CALL(MACRO, ...) NAME_OF(__VA_ARGS__, )
const char *const layer_call_names[LAYER_MAX_CALLS + 1] = {
#include "tests/opencl_layer/opencl_layer_list.h"
};
#undef CALL

#define NUMBER_OF(NAME, ...) CALL_##NAME,
#define CALL(MACRO, ...) NUMBER_OF(__VA_ARGS__, )
enum {
#include "tests/opencl_layer/opencl_layer_list.h"
    CALLS
};
#undef CALL
_Static_assert((int)CALLS <= (int)LAYER_MAX_CALLS, "layer_call_names holds all");

static const cl_icd_dispatch *real; /* what comes after the layer */

/* The last reference of a buffer gives its memory back; a part of another has none. */
static void forget_buffer(cl_mem buffer)
{
    cl_uint references = 0;
    size_t bytes = 0;
    cl_mem whole = NULL;
    real->clGetMemObjectInfo(buffer, CL_MEM_REFERENCE_COUNT, sizeof references, &references, NULL);
    real->clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL);
    real->clGetMemObjectInfo(buffer, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole, NULL);
    if (references == 1 && !whole)
        layer_return_bytes(bytes);
}

static void forget_event(cl_event event)
{
    cl_uint references = 0;
    real->clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof references, &references, NULL);
    if (references == 1)
        layer_forget_event(event);
}

static void before_release(layer_kind kind, void *object)
{
    if (kind == LAYER_BUFFER)
        forget_buffer(object);
    else if (kind == LAYER_EVENT)
        forget_event(object);
}

/* A new event may have the address of one that had failed, which the device kept for a while. */
static cl_int count_event(cl_int error, const cl_event *event)
{
    if (error == CL_SUCCESS && event) {
        layer_count_made(LAYER_EVENT, 1);
        layer_forget_event(*event);
    }
    return error;
}

/* In place of a command that is to fail: its event comes when it would have, and has failed. */
static cl_int fail_command(cl_command_queue queue, cl_bool blocking, cl_uint count,
                           const cl_event *list, cl_event *event, cl_int error)
{
    if (blocking)
        return error;
    const cl_int made =
        count_event(real->clEnqueueMarkerWithWaitList(queue, count, list, event), event);
    if (made == CL_SUCCESS && event)
        layer_fail_event(*event, error);
    return made;
}

/* ---- functions of one kind each. PARAMS and ARGS are a parameter list and its names. */

#define STATUS(NAME, CLASS, PARAMS, ARGS)                                                          \
    static cl_int CL_API_CALL layer_##NAME PARAMS                                                  \
    {                                                                                              \
        const cl_int error = layer_begin_call(CALL_##NAME, CLASS);                                 \
        return error == CL_SUCCESS ? real->NAME ARGS : error;                                      \
    }
#define PLAIN(NAME, PARAMS, ARGS) STATUS(NAME, LAYER_PLAIN, PARAMS, ARGS)
#define WAITS(NAME, PARAMS, ARGS) STATUS(NAME, LAYER_WAITS, PARAMS, ARGS)

#define RETAINS(NAME, KIND, TYPE)                                                                  \
    static cl_int CL_API_CALL layer_##NAME(TYPE object)                                            \
    {                                                                                              \
        cl_int error = layer_begin_call(CALL_##NAME, LAYER_PLAIN);                                 \
        if (error == CL_SUCCESS)                                                                   \
            error = real->NAME(object);                                                            \
        if (error == CL_SUCCESS)                                                                   \
            layer_count(KIND, 1);                                                                  \
        return error;                                                                              \
    }

#define RELEASES(NAME, KIND, TYPE)                                                                 \
    static cl_int CL_API_CALL layer_##NAME(TYPE object)                                            \
    {                                                                                              \
        layer_begin_call(CALL_##NAME, LAYER_RELEASES);                                             \
        before_release(KIND, object);                                                              \
        const cl_int error = real->NAME(object);                                                   \
        if (error == CL_SUCCESS)                                                                   \
            layer_count(KIND, -1);                                                                 \
        return error;                                                                              \
    }

/* An object; the last parameter is `cl_int *status`. */
#define MAKES(NAME, KIND, TYPE, PARAMS, ARGS)                                                      \
    static TYPE CL_API_CALL layer_##NAME PARAMS                                                    \
    {                                                                                              \
        const cl_int error = layer_begin_call(CALL_##NAME, LAYER_MAKES);                           \
        TYPE object = error == CL_SUCCESS ? real->NAME ARGS : NULL;                                \
        if (error != CL_SUCCESS && status)                                                         \
            *status = error;                                                                       \
        if (object)                                                                                \
            layer_count_made(KIND, 1);                                                             \
        return object;                                                                             \
    }

/* A buffer of `size` bytes. */
#define MAKES_BUFFER(NAME, PARAMS, ARGS)                                                           \
    static cl_mem CL_API_CALL layer_##NAME PARAMS                                                  \
    {                                                                                              \
        cl_int error = layer_begin_call(CALL_##NAME, LAYER_MAKES);                                 \
        if (error == CL_SUCCESS && !layer_take_bytes(size))                                        \
            error = CL_MEM_OBJECT_ALLOCATION_FAILURE;                                              \
        cl_mem object = error == CL_SUCCESS ? real->NAME ARGS : NULL;                              \
        if (error != CL_SUCCESS && status)                                                         \
            *status = error;                                                                       \
        if (object)                                                                                \
            layer_count_made(LAYER_BUFFER, 1);                                                     \
        else if (error == CL_SUCCESS)                                                              \
            layer_return_bytes(size);                                                              \
        return object;                                                                             \
    }

/* A command; its parameters begin with `queue` and end with `count`, `list` and `event`. */
#define ENQUEUES(NAME, BLOCKING, PARAMS, ARGS)                                                     \
    static cl_int CL_API_CALL layer_##NAME PARAMS                                                  \
    {                                                                                              \
        cl_int error = layer_begin_call(CALL_##NAME, LAYER_ENQUEUES);                              \
        if (error != CL_SUCCESS)                                                                   \
            return error;                                                                          \
        error = layer_begin_event(count, list, event != NULL);                                     \
        if (error != CL_SUCCESS)                                                                   \
            return fail_command(queue, BLOCKING, count, list, event, error);                       \
        return count_event(real->NAME ARGS, event);                                                \
    }

#define OWN(NAME)
#define CALL(MACRO, ...) MACRO(__VA_ARGS__)
#include "tests/opencl_layer/opencl_layer_list.h"
#undef CALL

/* ---- those of no kind */

static cl_int CL_API_CALL layer_clGetDeviceIDs(cl_platform_id platform, cl_device_type type,
                                               cl_uint entries, cl_device_id *devices,
                                               cl_uint *found)
{
    cl_int error = layer_begin_call(CALL_clGetDeviceIDs, LAYER_PLAIN);
    if (error == CL_SUCCESS && layer_hides_devices())
        error = CL_DEVICE_NOT_FOUND;
    if (error != CL_SUCCESS && found)
        *found = 0;
    return error == CL_SUCCESS ? real->clGetDeviceIDs(platform, type, entries, devices, found)
                               : error;
}

/* Overwrites an extension's name by blanks where the device shall not have it. */
static void hide_extension(char *list, const char *extension, cl_device_info needs)
{
    unsigned long long value;
    size_t size;
    char *found = strstr(list, extension);
    if (found && layer_device_value(needs, &value, &size) && value == 0)
        memset(found, ' ', strlen(extension));
}

static cl_int CL_API_CALL layer_clGetDeviceInfo(cl_device_id device, cl_device_info name,
                                                size_t size, void *value, size_t *size_ret)
{
    unsigned long long given;
    size_t bytes;
    cl_int error = layer_begin_call(CALL_clGetDeviceInfo, LAYER_PLAIN);
    if (error == CL_SUCCESS)
        error = real->clGetDeviceInfo(device, name, size, value, size_ret);
    if (error != CL_SUCCESS || !value)
        return error;
    if (name == CL_DEVICE_EXTENSIONS) {
        hide_extension(value, "cl_khr_fp64", CL_DEVICE_DOUBLE_FP_CONFIG);
        hide_extension(value, "cl_khr_fp16", CL_DEVICE_HALF_FP_CONFIG);
    } else if (layer_device_value(name, &given, &bytes)) {
        memcpy(value, &given, bytes); /* little-endian, as all machines with a test */
    }
    return CL_SUCCESS;
}

static cl_int CL_API_CALL layer_clCreateSubDevices(cl_device_id device,
                                                   const cl_device_partition_property *properties,
                                                   cl_uint entries, cl_device_id *devices,
                                                   cl_uint *found)
{
    cl_uint count = 0;
    cl_int error = layer_begin_call(CALL_clCreateSubDevices, LAYER_MAKES);
    if (error == CL_SUCCESS)
        error = real->clCreateSubDevices(device, properties, entries, devices, &count);
    if (error == CL_SUCCESS && devices)
        layer_count_made(LAYER_DEVICE, count);
    if (found)
        *found = count;
    return error;
}

static cl_program CL_API_CALL layer_clCreateProgramWithSource(cl_context context, cl_uint count,
                                                              const char **texts,
                                                              const size_t *lengths, cl_int *status)
{
    static const char *spoiled[] = {"__kernel void spoiled(void) { this does not compile; }\n"};
    const cl_int error = layer_begin_call(CALL_clCreateProgramWithSource, LAYER_MAKES);
    if (error != CL_SUCCESS) {
        if (status)
            *status = error;
        return NULL;
    }
    const bool spoil = layer_spoils_source();
    cl_program program = real->clCreateProgramWithSource(
        context, spoil ? 1 : count, spoil ? spoiled : texts, spoil ? NULL : lengths, status);
    if (program)
        layer_count_made(LAYER_PROGRAM, 1);
    return program;
}

static void *CL_API_CALL layer_clEnqueueMapBuffer(cl_command_queue queue, cl_mem buffer,
                                                  cl_bool blocking, cl_map_flags flags,
                                                  size_t offset, size_t size, cl_uint count,
                                                  const cl_event *list, cl_event *event,
                                                  cl_int *status)
{
    cl_int error = layer_begin_call(CALL_clEnqueueMapBuffer, LAYER_ENQUEUES);
    if (error == CL_SUCCESS)
        error = layer_begin_event(count, list, event != NULL);
    if (error != CL_SUCCESS) {
        if (status)
            *status = error;
        return NULL;
    }
    void *mapped = real->clEnqueueMapBuffer(queue, buffer, blocking, flags, offset, size, count,
                                            list, event, status);
    count_event(mapped ? CL_SUCCESS : CL_MAP_FAILURE, event);
    return mapped;
}

static cl_int CL_API_CALL layer_clWaitForEvents(cl_uint count, const cl_event *list)
{
    cl_int error = layer_begin_call(CALL_clWaitForEvents, LAYER_WAITS);
    if (error == CL_SUCCESS)
        error = real->clWaitForEvents(count, list);
    for (cl_uint i = 0; i < count && error == CL_SUCCESS; i++)
        if (layer_event_error(list[i]) != CL_SUCCESS)
            error = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    return error;
}

static cl_int CL_API_CALL layer_clGetEventInfo(cl_event event, cl_event_info name, size_t size,
                                               void *value, size_t *size_ret)
{
    cl_int error = layer_begin_call(CALL_clGetEventInfo, LAYER_PLAIN);
    if (error == CL_SUCCESS)
        error = real->clGetEventInfo(event, name, size, value, size_ret);
    if (error != CL_SUCCESS || name != CL_EVENT_COMMAND_EXECUTION_STATUS || !value)
        return error;
    const cl_int failed = layer_event_error(event);
    if (failed != CL_SUCCESS && *(cl_int *)value == CL_COMPLETE)
        *(cl_int *)value = failed;
    return CL_SUCCESS;
}

/* ---- callbacks hear of failed events, too */

typedef void(CL_CALLBACK *callback_fn)(cl_event event, cl_int status, void *user);

typedef struct callback {
    callback_fn call;
    void *user;
} callback;

static void CL_CALLBACK call_back(cl_event event, cl_int status, void *user)
{
    const callback c = *(callback *)user;
    const cl_int failed = layer_event_error(event);
    free(user);
    c.call(event, failed == CL_SUCCESS ? status : failed, c.user);
}

static cl_int CL_API_CALL layer_clSetEventCallback(cl_event event, cl_int type, callback_fn call,
                                                   void *user)
{
    cl_int error = layer_begin_call(CALL_clSetEventCallback, LAYER_PLAIN);
    callback *c = error == CL_SUCCESS ? malloc(sizeof *c) : NULL;
    if (!c)
        return error == CL_SUCCESS ? CL_OUT_OF_HOST_MEMORY : error;
    *c = (callback){call, user};
    error = real->clSetEventCallback(event, type, call_back, c);
    if (error != CL_SUCCESS)
        free(c);
    return error;
}

/* ---- what the loader asks for */

__attribute__((visibility("default"))) cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name,
                                                                         size_t size, void *value,
                                                                         size_t *size_ret)
{
    static const char title[] = "faults of sluice's tests";
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    const bool asks_version = name == CL_LAYER_API_VERSION;
    const size_t bytes = asks_version ? sizeof version : sizeof title;
    if ((!asks_version && name != CL_LAYER_NAME) || (value && size < bytes))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, asks_version ? (const void *)&version : title, bytes);
    if (size_ret)
        *size_ret = bytes;
    return CL_SUCCESS;
}

__attribute__((visibility("default"))) cl_int CL_API_CALL
clInitLayer(cl_uint entries, const cl_icd_dispatch *target, cl_uint *entries_ret,
            const cl_icd_dispatch **own_ret)
{
    static cl_icd_dispatch own;
    const cl_uint all = sizeof own / sizeof own.clGetPlatformIDs;
    if (!target || !entries_ret || !own_ret || entries < all || !layer_start())
        return CL_INVALID_VALUE;
    real = target;
    memcpy(&own, target, sizeof own);
#define SET_OWN(NAME, ...) own.NAME = layer_##NAME;
#define CALL(MACRO, ...) SET_OWN(__VA_ARGS__, )
#include "tests/opencl_layer/opencl_layer_list.h"
#undef CALL
    *entries_ret = all;
    *own_ret = &own;
    return CL_SUCCESS;
}

__attribute__((visibility("default"))) const opencl_layer *opencl_layer_open(void)
{
    return layer_control();
}
