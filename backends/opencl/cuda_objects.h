// SPDX-License-Identifier: BSD-3-Clause
/* The functions of opencl_calls.h on NVIDIA's driver. A device handle is the device's number plus
 * one, a buffer handle is its address. */
#ifndef BACKENDS_CUDA_OBJECTS_H
#define BACKENDS_CUDA_OBJECTS_H

#include <stdatomic.h>

#include "backends/opencl/cuda_driver.h"
#include "backends/opencl/opencl_calls.h"

/* Codes of driver errors that OpenCL has no name for count down from here. */
enum { CUDA_CODES = -2000 };

struct _cl_context {
    cuda_context handle;
    int device;
    bool is_callers; /* else the device's primary one, retained */
};

struct _cl_command_queue {
    cl_context context;
    cuda_stream stream;
    bool profiles;
};

struct _cl_event {
    cl_context context;
    cuda_event begin, end; /* begin: in queues that profile; NULL: in others */
    atomic_int holders;
};

/* The table; E_UNSUPPORTED with a sentence: there is no driver. */
sluice_status cuda_calls_open(const opencl_calls **out, sluice_diag *why);
/* The driver's functions; NULL before cuda_calls_open succeeded. */
const cuda_calls *cuda(void);
/* A context of the device: the caller's `handle`; NULL: a new one, as by clCreateContext. */
cl_context cuda_context_of(int device, void *handle, cl_int *code);
/* The OpenCL code of a result of the driver. */
cl_int cuda_code(int result);
/* Makes a context the thread's current one until cuda_leave, which returns the code of `result`. */
cl_int cuda_enter(cl_context context);
cl_int cuda_leave(int result);

/* Members of the table, by file. */
void cuda_fill_devices(opencl_calls *table);  /* cuda_devices.c */
void cuda_fill_kernels(opencl_calls *table);  /* cuda_kernels.c */
void cuda_fill_commands(opencl_calls *table); /* cuda_commands.c */

/* cuda_kernels.c: enqueues a kernel; the caller is in its context. */
int cuda_launch(cl_kernel kernel, size_t groups, size_t items, cuda_stream stream);

static inline cl_mem cuda_buffer(cuda_address at)
{
    return (cl_mem)(uintptr_t)at;
}

static inline cuda_address cuda_at(cl_mem buffer)
{
    return (cuda_address)(uintptr_t)buffer;
}

#endif
