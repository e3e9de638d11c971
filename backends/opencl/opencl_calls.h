// SPDX-License-Identifier: BSD-3-Clause
/* The functions of OpenCL 1.2 that this backend calls. They are taken from the system's loader when
 * a machine opens, so programs that use no device need no OpenCL. */
#ifndef BACKENDS_OPENCL_CALLS_H
#define BACKENDS_OPENCL_CALLS_H

#include <CL/cl.h>
#include <CL/cl_icd.h>
#include <stdbool.h>
#include <stddef.h>

#include "api/sluice.h"

#define OPENCL_CALLS(X)                                                                            \
    X(clGetPlatformIDs)                                                                            \
    X(clGetDeviceIDs)                                                                              \
    X(clGetDeviceInfo)                                                                             \
    X(clCreateSubDevices)                                                                          \
    X(clReleaseDevice)                                                                             \
    X(clRetainDevice)                                                                              \
    X(clCreateContext)                                                                             \
    X(clRetainContext)                                                                             \
    X(clGetContextInfo)                                                                            \
    X(clReleaseContext)                                                                            \
    X(clCreateCommandQueue)                                                                        \
    X(clGetCommandQueueInfo)                                                                       \
    X(clReleaseCommandQueue)                                                                       \
    X(clCreateBuffer)                                                                              \
    X(clGetMemObjectInfo)                                                                          \
    X(clReleaseMemObject)                                                                          \
    X(clCreateProgramWithSource)                                                                   \
    X(clCreateProgramWithBinary)                                                                   \
    X(clBuildProgram)                                                                              \
    X(clGetProgramInfo)                                                                            \
    X(clGetProgramBuildInfo)                                                                       \
    X(clReleaseProgram)                                                                            \
    X(clCreateKernel)                                                                              \
    X(clReleaseKernel)                                                                             \
    X(clSetKernelArg)                                                                              \
    X(clEnqueueNDRangeKernel)                                                                      \
    X(clEnqueueReadBuffer)                                                                         \
    X(clEnqueueWriteBuffer)                                                                        \
    X(clEnqueueMapBuffer)                                                                          \
    X(clEnqueueUnmapMemObject)                                                                     \
    X(clWaitForEvents)                                                                             \
    X(clGetEventInfo)                                                                              \
    X(clGetEventProfilingInfo)                                                                     \
    X(clRetainEvent)                                                                               \
    X(clReleaseEvent)                                                                              \
    X(clFlush)                                                                                     \
    X(clFinish)

/* Local memory of a compute unit, for all groups that it runs at a time, and `cache`, the memory
 * that this and the first-level cache share; 0: not known. Each group takes `own` bytes besides its
 * local memory. */
typedef struct opencl_unit_memory {
    size_t bytes, own, cache;
} opencl_unit_memory;

typedef struct opencl_calls {
#define OPENCL_MEMBER(name) cl_api_##name name;
    OPENCL_CALLS(OPENCL_MEMBER)
#undef OPENCL_MEMBER
    /* For drivers other than OpenCL's; NULL for OpenCL. */
    cl_int (*give_local)(cl_kernel kernel, size_t bytes); /* local memory of a group */
    /* From the beginning of one command to the end of another; 0: not known. */
    double (*seconds_between)(cl_event first, cl_event last);
    void (*describe_unit)(cl_device_id device, opencl_unit_memory *out);
} opencl_calls;

/* A device of a context that the caller opened: backend_config.native. */
typedef struct opencl_place {
    cl_context context;
    cl_device_id device;
    bool driver; /* NVIDIA's: device `number`, its context `handle` (NULL: the primary one) */
    int number;
    void *handle;
} opencl_place;

/* An execution on the caller's objects: the argument `run` of backend_team.run_native. */
typedef struct opencl_native_run {
    bool driver;           /* of NVIDIA's */
    const void *execution; /* a sluice_cuda_execution, else a sluice_opencl_execution */
} opencl_native_run;

/* The functions of the system's loader. E_UNSUPPORTED with a sentence: there is none. */
sluice_status opencl_calls_open(const opencl_calls **out, sluice_diag *why);

/* Such as "CL_OUT_OF_RESOURCES"; a number if the code has no name here. */
typedef struct opencl_error_text {
    char text[48];
} opencl_error_text;
opencl_error_text opencl_error_name(cl_int code);

#endif
