// SPDX-License-Identifier: BSD-3-Clause
#include "backends/opencl/opencl_calls.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "backends/opencl/cuda_objects.h"
#include "core/status.h"

static const char library_name[] = "libOpenCL.so.1";

/* Filled in once; the library is never closed, as devices may have threads of their own. */
static opencl_calls calls;
static const char *missing = library_name; /* NULL: everything was found */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void find_calls(void)
{
    static const struct {
        const char *name;
        size_t offset;
    } wanted[] = {
#define OPENCL_WANTED(name) {#name, offsetof(opencl_calls, name)},
        OPENCL_CALLS(OPENCL_WANTED)
#undef OPENCL_WANTED
    };
    void *library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);

    if (!library)
        return;
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        void *const symbol = dlsym(library, wanted[i].name);
        if (!symbol) {
            missing = wanted[i].name;
            return;
        }
        memcpy((char *)&calls + wanted[i].offset, &symbol, sizeof symbol);
    }
    missing = NULL;
}

sluice_status opencl_calls_open(const opencl_calls **out, sluice_diag *why)
{
    pthread_once(&once, find_calls);
    *out = &calls;
    return missing ? core_fail(why, SLUICE_E_UNSUPPORTED, 0, "there is no OpenCL: %s was not found",
                               missing)
                   : SLUICE_OK;
}

opencl_error_text opencl_error_name(cl_int code)
{
#define OPENCL_ERROR(name)                                                                         \
    {                                                                                              \
        name, #name                                                                                \
    }
    static const struct {
        cl_int code;
        const char *name;
    } known[] = {
        OPENCL_ERROR(CL_DEVICE_NOT_FOUND),
        OPENCL_ERROR(CL_DEVICE_NOT_AVAILABLE),
        OPENCL_ERROR(CL_COMPILER_NOT_AVAILABLE),
        OPENCL_ERROR(CL_MEM_OBJECT_ALLOCATION_FAILURE),
        OPENCL_ERROR(CL_OUT_OF_RESOURCES),
        OPENCL_ERROR(CL_OUT_OF_HOST_MEMORY),
        OPENCL_ERROR(CL_PROFILING_INFO_NOT_AVAILABLE),
        OPENCL_ERROR(CL_MEM_COPY_OVERLAP),
        OPENCL_ERROR(CL_BUILD_PROGRAM_FAILURE),
        OPENCL_ERROR(CL_MAP_FAILURE),
        OPENCL_ERROR(CL_MISALIGNED_SUB_BUFFER_OFFSET),
        OPENCL_ERROR(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
        OPENCL_ERROR(CL_COMPILE_PROGRAM_FAILURE),
        OPENCL_ERROR(CL_LINKER_NOT_AVAILABLE),
        OPENCL_ERROR(CL_LINK_PROGRAM_FAILURE),
        OPENCL_ERROR(CL_DEVICE_PARTITION_FAILED),
        OPENCL_ERROR(CL_INVALID_VALUE),
        OPENCL_ERROR(CL_INVALID_PLATFORM),
        OPENCL_ERROR(CL_INVALID_DEVICE),
        OPENCL_ERROR(CL_INVALID_CONTEXT),
        OPENCL_ERROR(CL_INVALID_QUEUE_PROPERTIES),
        OPENCL_ERROR(CL_INVALID_COMMAND_QUEUE),
        OPENCL_ERROR(CL_INVALID_HOST_PTR),
        OPENCL_ERROR(CL_INVALID_MEM_OBJECT),
        OPENCL_ERROR(CL_INVALID_BINARY),
        OPENCL_ERROR(CL_INVALID_BUILD_OPTIONS),
        OPENCL_ERROR(CL_INVALID_PROGRAM),
        OPENCL_ERROR(CL_INVALID_PROGRAM_EXECUTABLE),
        OPENCL_ERROR(CL_INVALID_KERNEL_NAME),
        OPENCL_ERROR(CL_INVALID_KERNEL),
        OPENCL_ERROR(CL_INVALID_ARG_INDEX),
        OPENCL_ERROR(CL_INVALID_ARG_VALUE),
        OPENCL_ERROR(CL_INVALID_ARG_SIZE),
        OPENCL_ERROR(CL_INVALID_KERNEL_ARGS),
        OPENCL_ERROR(CL_INVALID_WORK_GROUP_SIZE),
        OPENCL_ERROR(CL_INVALID_WORK_ITEM_SIZE),
        OPENCL_ERROR(CL_INVALID_EVENT_WAIT_LIST),
        OPENCL_ERROR(CL_INVALID_EVENT),
        OPENCL_ERROR(CL_INVALID_OPERATION),
        OPENCL_ERROR(CL_INVALID_BUFFER_SIZE),
        OPENCL_ERROR(CL_INVALID_GLOBAL_WORK_SIZE),
        OPENCL_ERROR(CL_INVALID_DEVICE_PARTITION_COUNT),
        {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    };
#undef OPENCL_ERROR
    opencl_error_text out;

    const char *name = NULL;

    snprintf(out.text, sizeof out.text, "error %d", (int)code);
    if (code < CUDA_CODES && cuda() && cuda()->error_name(CUDA_CODES - code, &name) == CUDA_OK
        && name)
        snprintf(out.text, sizeof out.text, "%s", name);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].code == code)
            snprintf(out.text, sizeof out.text, "%s", known[i].name);
    return out;
}
