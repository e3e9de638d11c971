// SPDX-License-Identifier: BSD-3-Clause
/* The functions of NVIDIA's driver (libcuda.so.1) and of its run-time compiler (libnvrtc) that this
 * backend calls, found when a machine opens. SLUICE_CUDA_DRIVER and SLUICE_CUDA_COMPILER name other
 * files. */
#ifndef BACKENDS_CUDA_DRIVER_H
#define BACKENDS_CUDA_DRIVER_H

#include <stddef.h>
#include <stdint.h>

#include "api/sluice.h"
#include "core/text.h"

typedef struct cuda_context *cuda_context;
typedef struct cuda_stream *cuda_stream;
typedef struct cuda_event *cuda_event;
typedef struct cuda_module *cuda_module;
typedef struct cuda_function *cuda_function;
typedef unsigned long long cuda_address;

enum {
    CUDA_OK = 0,
    CUDA_INVALID = 1,
    CUDA_NO_MEMORY = 2,
    CUDA_INVALID_CONTEXT = 201,
    CUDA_INVALID_HANDLE = 400,
    CUDA_NOT_READY = 600,
    CUDA_NOT_SUPPORTED = 801
};
typedef enum cuda_attribute {
    CUDA_LARGEST_BLOCK = 1,
    CUDA_SHARED_MEMORY = 8,
    CUDA_MULTIPROCESSORS = 16,
    CUDA_LEVEL2 = 38,
    CUDA_MAJOR = 75,
    CUDA_MINOR = 76,
    CUDA_UNIT_SHARED_MEMORY = 81,
    CUDA_READS_HOST = 88,         /* pageable memory, too */
    CUDA_MOST_SHARED_MEMORY = 97, /* that a function may ask for */
    CUDA_RESERVED_SHARED_MEMORY = 111
} cuda_attribute;
enum { CUDA_DYNAMIC_SHARED_MEMORY = 8 };          /* of a function */
enum { CUDA_OF_CONTEXT = 1, CUDA_OF_MEMORY = 2 }; /* of a pointer */
enum { CUDA_HOST = 1 };                           /* its memory is the host's */
enum { CUDA_NON_BLOCKING = 1 };                   /* a stream: it waits for no other one */
enum { CUDA_TIMING = 0, CUDA_NO_TIMING = 2 };     /* of an event */

/* Member of the table, name of the function in the library, arguments. */
#define CUDA_CALLS(X)                                                                              \
    X(init, cuInit, (unsigned flags))                                                              \
    X(driver_version, cuDriverGetVersion, (int *out))                                              \
    X(device_count, cuDeviceGetCount, (int *out))                                                  \
    X(device_name, cuDeviceGetName, (char *out, int length, int device))                           \
    X(device_memory, cuDeviceTotalMem_v2, (size_t * out, int device))                              \
    X(device_attribute, cuDeviceGetAttribute, (int *out, int attribute, int device))               \
    X(context_retain, cuDevicePrimaryCtxRetain, (cuda_context * out, int device))                  \
    X(context_release, cuDevicePrimaryCtxRelease_v2, (int device))                                 \
    X(context_push, cuCtxPushCurrent_v2, (cuda_context context))                                   \
    X(context_pop, cuCtxPopCurrent_v2, (cuda_context * out))                                       \
    X(context_device, cuCtxGetDevice, (int *out))                                                  \
    X(memory_alloc, cuMemAlloc_v2, (cuda_address * out, size_t bytes))                             \
    X(memory_free, cuMemFree_v2, (cuda_address at))                                                \
    X(host_alloc, cuMemAllocHost_v2, (void **out, size_t bytes))                                   \
    X(host_free, cuMemFreeHost, (void *at))                                                        \
    X(pointer_attribute, cuPointerGetAttribute, (void *out, int attribute, cuda_address at))       \
    X(copy_to, cuMemcpyHtoDAsync_v2,                                                               \
      (cuda_address to, const void *from, size_t bytes, cuda_stream stream))                       \
    X(copy_from, cuMemcpyDtoHAsync_v2,                                                             \
      (void *to, cuda_address from, size_t bytes, cuda_stream stream))                             \
    X(copy_now, cuMemcpyHtoD_v2, (cuda_address to, const void *from, size_t bytes))                \
    X(module_load, cuModuleLoadData, (cuda_module * out, const void *image))                       \
    X(module_unload, cuModuleUnload, (cuda_module module))                                         \
    X(module_function, cuModuleGetFunction,                                                        \
      (cuda_function * out, cuda_module module, const char *name))                                 \
    X(function_set, cuFuncSetAttribute, (cuda_function function, int attribute, int value))        \
    X(launch, cuLaunchKernel,                                                                      \
      (cuda_function function, unsigned groups_x, unsigned groups_y, unsigned groups_z,            \
       unsigned items_x, unsigned items_y, unsigned items_z, unsigned shared, cuda_stream stream,  \
       void **arguments, void **extra))                                                            \
    X(stream_create, cuStreamCreate, (cuda_stream * out, unsigned flags))                          \
    X(stream_destroy, cuStreamDestroy_v2, (cuda_stream stream))                                    \
    X(stream_context, cuStreamGetCtx, (cuda_stream stream, cuda_context * out))                    \
    X(stream_wait, cuStreamWaitEvent, (cuda_stream stream, cuda_event event, unsigned flags))      \
    X(stream_finish, cuStreamSynchronize, (cuda_stream stream))                                    \
    X(event_create, cuEventCreate, (cuda_event * out, unsigned flags))                             \
    X(event_record, cuEventRecord, (cuda_event event, cuda_stream stream))                         \
    X(event_query, cuEventQuery, (cuda_event event))                                               \
    X(event_wait, cuEventSynchronize, (cuda_event event))                                          \
    X(event_elapsed, cuEventElapsedTime, (float *milliseconds, cuda_event begin, cuda_event end))  \
    X(event_destroy, cuEventDestroy_v2, (cuda_event event))                                        \
    X(error_name, cuGetErrorName, (int code, const char **out))

typedef struct cuda_program *cuda_program;

#define CUDA_COMPILER_CALLS(X)                                                                     \
    X(create, nvrtcCreateProgram,                                                                  \
      (cuda_program * out, const char *text, const char *name, int headers,                        \
       const char *const *header, const char *const *header_name))                                 \
    X(compile, nvrtcCompileProgram,                                                                \
      (cuda_program program, int options, const char *const *option))                              \
    X(binary_size, nvrtcGetCUBINSize, (cuda_program program, size_t * out))                        \
    X(binary, nvrtcGetCUBIN, (cuda_program program, char *out))                                    \
    X(log_size, nvrtcGetProgramLogSize, (cuda_program program, size_t * out))                      \
    X(log, nvrtcGetProgramLog, (cuda_program program, char *out))                                  \
    X(destroy, nvrtcDestroyProgram, (cuda_program * program))

#define CUDA_MEMBER(member, name, arguments) int(*member) arguments;
typedef struct cuda_calls {
    CUDA_CALLS(CUDA_MEMBER)
} cuda_calls;
typedef struct cuda_compiler {
    CUDA_COMPILER_CALLS(CUDA_MEMBER)
} cuda_compiler;
#undef CUDA_MEMBER

/* The driver, ready for use; E_UNSUPPORTED with a sentence: there is none. */
sluice_status cuda_driver_open(const cuda_calls **out, sluice_diag *why);
/* NULL: there is none. */
const cuda_compiler *cuda_compiler_open(void);

/* Translates kernels in OpenCL C, as spl/emit prints them, to CUDA C++. A launch gives them the
 * bytes of their local memory. */
void cuda_text(const char *opencl, core_text *out);
/* Hash of the text that the translation adds: kernels compiled with another one are not used. */
uint32_t cuda_text_hash(void);

/* Machine code for an architecture such as "sm_90"; core_free. NULL: the log's first line says
 * why. */
char *cuda_compile(const char *opencl, const char *architecture, size_t *length, core_text *log);

#endif
