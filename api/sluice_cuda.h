// SPDX-License-Identifier: BSD-3-Clause
/* Plans on the device memory and in the streams of a program that uses CUDA (docs/DEVICES.md). Data
 * that are on the device stay there; no call waits for the device.
 *
 * Neither cuda.h nor a library of CUDA's is needed to compile and link this: NVIDIA's driver is
 * found when a machine opens, and its types are those of cuda.h by name, CUstream and cudaStream_t
 * alike. In a library that was built without OpenCL's headers these functions return
 * SLUICE_E_UNSUPPORTED and say so. */
#ifndef SLUICE_CUDA_H
#define SLUICE_CUDA_H

#include "sluice.h"

#ifdef __cplusplus
extern "C" {
#endif

struct CUctx_st;    /* *CUcontext */
struct CUstream_st; /* *CUstream, *cudaStream_t */

/* Opens a machine of one unit, a device by its number, for plans as of any machine; kernels are
 * compiled when they are made (libnvrtc) and loaded. `context`: one of this device's, which has to
 * outlive the machine and its plans; NULL: the device's primary context, which the runtime
 * (cudaMalloc and so on) uses, retained until the last plan is destroyed and the machine is closed.
 * `options` may be NULL; their `units`, NULL or "opencl" with settings,
 * "opencl:memory=64M:twiddles=sincos", name no device; the environment's are not read. The thread's
 * current context stays as it is, here and in all calls. E_INVALID: there is no such device, the
 * context is of another one, or units are others; E_UNSUPPORTED: there is no driver. Plans may be
 * executed on the host's arrays too (sluice_execute), in streams of the library's. */
sluice_status sluice_cuda_machine_open(sluice_machine **out, int device, struct CUctx_st *context,
                                       const sluice_machine_options *options, sluice_diag *why);

/* Bytes of work area that an execution needs; 0: none. */
size_t sluice_cuda_work_bytes(const sluice_plan *plan);

typedef struct sluice_cuda_execution {
    /* Of the plan's context. NULL: the legacy default stream, in programs with default streams of
     * threads, too; cudaStreamPerThread: the calling thread's. */
    struct CUstream_st *stream;
    /* Addresses of elements 0, in memory that the device reads and writes: a CUdeviceptr is cast to
     * void *. As in sluice_arrays: out of place they do not overlap, in place they are the same on
     * both sides; in_im, out_im of split sides only, else NULL. Multiples of the complex number's
     * size where a side has such, else of the scalar's. With hooks scalars are what the array
     * holds. */
    const void *in, *in_im;
    void *out, *out_im;
    /* At a multiple of 64 bytes, sluice_cuda_work_bytes bytes; NULL: none is needed. Executions
     * that may run at a time need an area each: those of one stream may share one. */
    void *work;
    uintptr_t reserved[4];
} sluice_cuda_execution;

/* Enqueues an execution, which runs after what the stream has and before what it gets, and returns;
 * any thread at any time. What is known to be wrong is refused before anything is enqueued, with
 * E_INVALID and a sentence: streams of another context, arrays whose first or last byte the driver
 * does not know (where the device does not read the host's memory), overlap, alignment. E_DEVICE,
 * E_MEMORY: a call of the driver's failed, which `why` and sluice_machine_fault name; of the output
 * nothing is known. E_UNSUPPORTED: the plan has hooks that the host applies, or is for units of
 * another kind. What fails later is the stream's next error.
 *
 * Nothing but kernels is enqueued, so the stream may be capturing a graph
 * (cudaStreamBeginCapture); the plan has to outlive the graph. */
sluice_status sluice_cuda_enqueue(const sluice_plan *plan, const sluice_cuda_execution *execution,
                                  sluice_diag *why);

#ifdef __cplusplus
}
#endif
#endif
